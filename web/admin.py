"""The admin site."""

from __future__ import annotations

from typing import Any

from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.urls import reverse


class Site(AdminSite):
    """Django's admin with the product's name, and its own forms where passwords are checked."""

    site_header = "ABL Workbench"
    site_title = "ABL Workbench"
    index_title = "Administration"

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The sign-in form; 429 while passwords are not checked."""
        from web.sign_in.forms import AdminSignInForm, answered_later  # needs the applications

        self.login_form = AdminSignInForm
        answer = super().login(request, extra_context)
        return answered_later(answer, (getattr(answer, "context_data", None) or {}).get("form"))

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """The form to change one's own password; 429 while the old one is not checked."""
        from web.sign_in.forms import PasswordChange  # needs the applications

        request.current_app = self.name
        view = PasswordChange.as_view(
            success_url=reverse("admin:password_change_done", current_app=self.name),
            extra_context={**self.each_context(request), **(extra_context or {})},
        )
        return view(request)
