"""Signing in, and changing the own password: forms that look at passwords within the counts of ``guessing``."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.admin.forms import AdminPasswordChangeForm as DjangoPasswordChangeForm
from django.contrib.auth import views as auth_views
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.views.decorators.debug import sensitive_variables

from web.errors import Busy
from web.sign_in.guessing import SlowDown, guessing

NOT_NOW = ("slowed-down", "busy")
"""Codes of form errors that ask to try again later. The answer is 429."""


def not_now(error: SlowDown | Busy) -> ValidationError:
    """The error of a form that did not look at a password."""
    return ValidationError(error.detail, code=error.code, params={"retry_after": error.data["retry_after"]})


def address_of(request: HttpRequest | None) -> str:
    """The address that a request came from; taken from the headers of a trusted proxy (``config.asgi``)."""
    return str(request.META.get("REMOTE_ADDR", "")) if request is not None else ""


class SlowedDown:
    """For forms that sign in: they do not look at a password when there were too many wrong ones."""

    request: Any
    data: Any
    cleaned_data: dict[str, Any]

    def clean(self) -> dict[str, Any]:
        """Sign in. Raises ``ValidationError``; with the code ``slowed-down`` or ``busy`` it looked at nothing."""
        name = str(self.cleaned_data.get("username") or self.data.get("username") or "")
        try:
            with guessing.attempt(name, address_of(self.request)):
                cleaned: dict[str, Any] = super().clean()  # type: ignore[misc]
                if not cleaned.get("username") or not cleaned.get("password"):
                    raise ValidationError("Enter your user name and your password.", code="required")
        except (SlowDown, Busy) as error:
            raise not_now(error) from None
        return cleaned


class SignInForm(SlowedDown, AuthenticationForm):
    """Of the product's own page."""


class AdminSignInForm(SlowedDown, AdminAuthenticationForm):
    """Of Django's admin."""


class PasswordChangeForm(DjangoPasswordChangeForm):
    """Of Django's admin. It is counted too: whoever uses somebody's open browser must not guess faster here than at
    the sign-in.
    """

    def __init__(self, *args: Any, address: str = "", **options: Any) -> None:
        super().__init__(*args, **options)
        self.address = address

    @sensitive_variables("old_password")
    def clean_old_password(self) -> str:
        """The right password."""
        try:
            with guessing.attempt(self.user.get_username(), self.address):
                return str(super().clean_old_password())
        except (SlowDown, Busy) as error:
            raise not_now(error) from None


def answered_later(answer: HttpResponse, form: Any) -> HttpResponse:
    """The page of a form; 429 with ``Retry-After`` where it did not look at a password."""
    errors = form.errors.as_data().values() if form is not None else ()
    for error in (each for listed in errors for each in listed if each.code in NOT_NOW):
        answer.status_code = 429
        answer["Retry-After"] = str((error.params or {}).get("retry_after", 1))
    return answer


class Login(auth_views.LoginView):
    """The sign-in page; somebody signed in already goes on to the projects."""

    template_name = "registration/login.html"
    redirect_authenticated_user = True
    authentication_form = SignInForm

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """The form again; 429 while it does not look."""
        return answered_later(super().form_invalid(form), form)


class PasswordChange(auth_views.PasswordChangeView):
    """Another password of one's own, in the admin."""

    form_class = PasswordChangeForm

    def get_form_kwargs(self) -> dict[str, Any]:
        """What the form needs to count."""
        return {**super().get_form_kwargs(), "address": address_of(self.request)}

    def form_invalid(self, form: Any) -> HttpResponse:
        """The form again; 429 while it does not look."""
        return answered_later(super().form_invalid(form), form)
