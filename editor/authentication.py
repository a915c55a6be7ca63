"""``Authorization: Bearer <token>``: one user in one project (docs/spec 12 §5)."""

from __future__ import annotations

from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from editor import selectors, services
from editor.models import ApiToken, User

CHALLENGE = 'Bearer realm="api"'


class TokenAuthentication(BaseAuthentication):
    """Reads the bearer token; ``request.auth`` is the ``ApiToken``, whose project limits what is seen."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        """The token's user, None without a bearer header; a bad token is 401."""
        scheme, _, secret = get_authorization_header(request).partition(b" ")
        if scheme.lower() == b"token":
            raise AuthenticationFailed("Send a token as Authorization: Bearer <token>.")
        if scheme.lower() != b"bearer":
            return None
        token = selectors.token_get(secret=secret.decode("latin-1").strip())
        if token is None:
            raise AuthenticationFailed("The token is unknown or was revoked.")
        services.token_used(token=token)
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """Makes DRF answer 401, not 403, to a caller without credentials."""
        return CHALLENGE
