"""Makers of what tests need, with sensible values for everything a test does not care about."""

from __future__ import annotations

import factory
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.hashers import make_password
from django.contrib.sessions.backends.db import SessionStore
from factory.django import DjangoModelFactory

from editor.models import Document, Membership, Project, Revision, User

AGENT = 'AGENT: Desk\nGOAL: "Help"\n'


class UserFactory(DjangoModelFactory):
    """A user who signs in by ``sign_in``, or with the password that a test gives."""

    class Meta:
        model = User

    username = factory.Sequence(lambda n: f"user{n}")
    password = None

    @classmethod
    def _create(cls, model_class, *args, **kwargs):
        return super()._create(model_class, *args, **{**kwargs, "password": make_password(kwargs["password"])})


class ProjectFactory(DjangoModelFactory):
    """A project without members."""

    class Meta:
        model = Project

    name = factory.Sequence(lambda n: f"Project {n}")
    slug = factory.Sequence(lambda n: f"project-{n}")


class MembershipFactory(DjangoModelFactory):
    """An editor of a project."""

    class Meta:
        model = Membership

    project = factory.SubFactory(ProjectFactory)
    user = factory.SubFactory(UserFactory)
    role = "editor"


def members_of(project, roles):
    """User by role, named after it. Two statements for all of them: hundreds of tests begin with this."""
    users = User.objects.bulk_create(User(username=role, password=make_password(None)) for role in roles)
    Membership.objects.bulk_create(
        Membership(project=project, user=user, role=role) for user, role in zip(users, roles, strict=True)
    )
    return dict(zip(roles, users, strict=True))


def sign_in(client, user):
    """The client, signed in: a session as ``force_login`` leaves it, with two statements instead of seven."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    return client


class DocumentFactory(DjangoModelFactory):
    """A document with one revision; ``text`` is its text, ``author`` who saved it."""

    class Meta:
        model = Document
        skip_postgeneration_save = True

    project = factory.SubFactory(ProjectFactory)
    path = factory.Sequence(lambda n: f"desk{n}.agent.abl")

    @factory.post_generation
    def text(self, create, extracted, **kwargs):
        if create:
            text = AGENT if extracted is None else extracted
            self.head = Revision.objects.create(document=self, number=1, text=text, author=kwargs.get("author"))
            self.save(update_fields=["head"])
