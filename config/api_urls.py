"""Addresses of the API, version 1 (docs/spec 12 §5)."""

from django.urls import include, path, re_path

from web.problems import api_not_found

urlpatterns = [
    path("", include("editor.api_urls")),
    path("", include("memory.api_urls")),
    path("", include("constraints.api_urls")),
    re_path(r"^.*$", api_not_found),
]
