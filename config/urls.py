"""Addresses of everything. Each application names its own; here they are put together."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import include, path
from django.views.generic import RedirectView
from drf_spectacular.views import SpectacularSwaggerSplitView

from config.health import healthz
from web.api.description_view import SchemaView
from web.problems import api_not_found
from web.sign_in.forms import Login

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("login/", Login.as_view(), name="login"),
    path("logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("admin/", admin.site.urls),
    path("api/schema/", SchemaView.as_view(), name="schema"),
    path("api/docs/", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="api-docs"),
    path("api/v1", api_not_found),
    path("api/v1/", include("config.api_urls")),
    path("favicon.ico", RedirectView.as_view(url=f"{settings.STATIC_URL}favicon.svg"), name="favicon"),
    path("", include("constraints.urls", namespace="constraints")),
    path("", include("memory.urls", namespace="memory")),
    path("", include("editor.urls", namespace="editor")),
]

handler404 = "web.views.not_found"
handler403 = "web.views.forbidden"
handler400 = "web.views.bad_request"
handler500 = "web.views.server_error"
