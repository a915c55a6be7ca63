"""Signing in, with patience for who mistypes and none for who guesses."""

from __future__ import annotations

from math import ceil
from typing import Any

from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import views as auth_views
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.http import HttpResponse

from web.throttling import Allowance

FAILURES_A_MINUTE = 10
failures = Allowance()
"""Wrong passwords, by user name and address."""


class SlowedDown:
    """For forms that sign in: after ten wrong passwords for a name from an address it does not look until later."""

    request: Any
    data: Any

    def clean(self) -> dict[str, Any]:
        """Sign in. Raises ``ValidationError``; with the code ``slowed-down`` it says how many seconds to wait."""
        name = str(self.data.get("username", ""))[:150].casefold()
        caller = (name, self.request.META.get("REMOTE_ADDR", "") if self.request else "")
        seconds = ceil(failures.wait(caller, rate=FAILURES_A_MINUTE))
        if seconds:
            words = f"Too many wrong passwords for this name from here. Try again in {seconds} s."
            raise ValidationError(words, code="slowed-down")
        try:
            cleaned: dict[str, Any] = super().clean()  # type: ignore[misc]
        except ValidationError:
            failures.take(caller, rate=FAILURES_A_MINUTE)
            raise
        return cleaned


class SignInForm(SlowedDown, AuthenticationForm):
    """Of the product's own page."""


class AdminSignInForm(SlowedDown, AdminAuthenticationForm):
    """Of Django's admin."""


class Login(auth_views.LoginView):
    """The sign-in page; somebody signed in already goes on to the projects."""

    template_name = "registration/login.html"
    redirect_authenticated_user = True
    authentication_form = SignInForm

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """The form again; 429 while it does not look."""
        answer = super().form_invalid(form)
        if form.has_error("__all__", code="slowed-down"):
            answer.status_code = 429
        return answer
