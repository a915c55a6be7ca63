"""The description of the API, made once: it is the same for everybody, and to make it takes a second of work."""

from __future__ import annotations

import threading
from typing import Any

from drf_spectacular.generators import SchemaGenerator

_lock = threading.Lock()
_made: dict[str, Any] = {}


class Generator(SchemaGenerator):
    """Keeps the public description, by version, for the life of the process."""

    def get_schema(self, request: Any = None, public: bool = False) -> Any:
        """The description as a dictionary, which nobody may change."""
        if not public:
            return super().get_schema(request=request, public=public)  # type: ignore[no-untyped-call]
        version = str(self.api_version)
        with _lock:
            if version not in _made:
                _made[version] = super().get_schema(request=request, public=public)  # type: ignore[no-untyped-call]
        return _made[version]
