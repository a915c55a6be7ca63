"""How the API description names bearer tokens; importing this module is enough."""

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """``Authorization: Bearer <token>``."""

    target_class = "editor.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        """The scheme as OpenAPI writes it."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "One user in one project; made in the project's settings.",
        }
