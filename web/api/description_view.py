"""The description of the API over HTTP (docs/spec 12 §5). Apart from its generator, which the settings name."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularAPIView
from rest_framework.request import Request

_rendered: dict[str, bytes | str] = {}


class SchemaView(SpectacularAPIView):
    """OpenAPI 3 in YAML or JSON, for anybody, so rendered once for each: to write it takes longer than most pages."""

    @extend_schema(exclude=True)
    def get(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:
        """The description in the format that is asked for."""
        renderer = request.accepted_renderer
        if renderer.media_type not in _rendered:
            schema = self._get_schema_response(request).data  # type: ignore[no-untyped-call]
            _rendered[renderer.media_type] = renderer.render(schema, renderer.media_type, {})
        charset = f"; charset={renderer.charset}" if renderer.charset else ""
        answer = HttpResponse(_rendered[renderer.media_type], content_type=f"{renderer.media_type}{charset}")
        filename = self._get_filename(request, self.api_version)  # type: ignore[no-untyped-call]
        answer["Content-Disposition"] = f'inline; filename="{filename}"'
        return answer

    def _get_version_parameter(self, request: Request) -> None:
        """Always None: there is one version, and any other name would be generated and cached."""
