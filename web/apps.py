"""Applications: the shared web parts and the admin site with its own title."""

from django.apps import AppConfig
from django.contrib.admin.apps import AdminConfig as DjangoAdminConfig


class WebConfig(AppConfig):
    """What the three applications share and that knows no domain."""

    name = "web"

    def ready(self) -> None:
        """Have the description of the API know what is said about bodies, and cookies read in one pass."""
        from web import cookies
        from web.api import schema  # noqa: F401  (importing schema registers it)

        cookies.mend()


class AdminConfig(DjangoAdminConfig):
    """Django's admin under the product's name."""

    default_site = "web.admin.Site"
