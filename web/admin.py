"""The admin site."""

from django.contrib.admin import AdminSite


class Site(AdminSite):
    """Django's admin with the product's name."""

    site_header = "ABL Workbench"
    site_title = "ABL Workbench"
    index_title = "Administration"
