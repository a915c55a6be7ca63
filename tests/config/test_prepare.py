"""``manage.py prepare`` makes what is missing, once."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command

from editor.models import Project

pytestmark = pytest.mark.django_db


def prepare() -> str:
    """What the command says."""
    out = StringIO()
    call_command("prepare", stdout=out)
    return out.getvalue()


def test_the_first_time_makes_an_admin_and_the_examples(settings):
    settings.ADMIN_PASSWORD = ""
    password = prepare().split("with the password ")[1].split()[0]
    admin = get_user_model().objects.get(username="admin")
    assert admin.is_superuser
    assert admin.check_password(password)
    assert set(Project.objects.values_list("slug", flat=True)) == {
        "hotel-desk",
        "number-keeper",
        "support-desk",
        "transfer-desk",
    }


def test_the_password_may_be_given_and_is_then_not_printed(settings):
    settings.ADMIN_PASSWORD = "given by the environment"
    assert settings.ADMIN_PASSWORD not in prepare()
    assert get_user_model().objects.get(username="admin").check_password(settings.ADMIN_PASSWORD)


def test_it_is_safe_to_repeat_and_then_says_how_to_reset_the_password(settings):
    settings.ADMIN_PASSWORD = "the first"
    prepare()
    projects = sorted(Project.objects.values_list("pk", flat=True))
    settings.ADMIN_PASSWORD = "the second"
    assert "changepassword admin" in prepare()
    assert get_user_model().objects.get(username="admin").check_password("the first")
    assert sorted(Project.objects.values_list("pk", flat=True)) == projects


def test_an_admin_by_another_name_is_enough():
    get_user_model().objects.create_superuser("root", password="correct horse battery")
    prepare()
    assert not get_user_model().objects.filter(username="admin").exists()
