"""What the API under ``/api/v1/memory/`` shares: a token says who asks and for which project (docs/spec 11 §1)."""

from __future__ import annotations

from django.urls import URLPattern, path
from rest_framework.views import APIView

from editor.models import ApiToken, Project, User
from editor.selectors import project_get
from memory.facts.api import problem
from web.api.fields import StrictQuery
from web.errors import Forbidden

ACCESS = {401: problem("No token, or one that does not work"), 403: problem("No token (`token-needed`), or no right")}
"""Answers that every address here may give."""


class TokenNeeded(Forbidden):
    """A signed-in browser asked; only a token says which project is meant."""

    code = "token-needed"
    title = "These addresses need an API token"


class TokenView(StrictQuery):
    """A view of what belongs to the user and the project of a token."""

    def project(self, permission: str = "project.view") -> Project:
        """The project of the token, if its user still may. Raises ``TokenNeeded``, ``NotFound``, ``Forbidden``."""
        token = self.request.auth
        if not isinstance(token, ApiToken):
            raise TokenNeeded("Send an API token. It identifies the user and the project.")
        return project_get(user=token.user, slug=token.project.slug, permission=permission, token=token)

    @property
    def caller(self) -> User:
        """The user of the token; to be asked for after ``project``."""
        return self.request.user  # type: ignore[return-value]

    @property
    def owner(self) -> str:
        """How facts, blocks and conversations name the user of the token."""
        return self.caller.get_username()


def slashed(route: str, view: type[APIView], name: str) -> list[URLPattern]:
    """The address without and with a final slash; only the first is in the description of the API."""
    return [
        path(route, view.as_view(), name=name),
        path(f"{route}/", view.as_view(schema=None), name=f"{name}-slash"),
    ]
