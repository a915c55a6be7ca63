"""Applications: the shared web parts and the admin site with its own title."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig as DjangoAdminConfig


class WebConfig(AppConfig):
    """What the three applications share and that knows no domain."""

    name = "web"


class AdminConfig(DjangoAdminConfig):
    """Django's admin under the product's name."""

    default_site = "web.admin.Site"
