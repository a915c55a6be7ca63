"""A row of the tables of addresses: who may ask, what is sent, what comes back."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

EVERYONE = ("owner", "editor", "reviewer", "viewer", "stranger", "anonymous")
MAY = {
    "view": {"owner", "editor", "reviewer", "viewer"},
    "test": {"owner", "editor", "reviewer"},
    "edit": {"owner", "editor"},
    "manage": {"owner"},
}
"""What a right is called, and who holds it."""
JSON = "application/json"


class Route(NamedTuple):
    """A route and method: what right it needs, what is sent, the status when it works."""

    name: str
    method: str
    needs: str
    data: dict[str, Any] | None
    works: int

    @property
    def api(self) -> bool:
        """Whether programs ask there, in JSON."""
        return self.name.startswith("api-")

    def send(self, client: Any, address: str, data: dict[str, Any] | None = None) -> Any:
        """One request: by programs as JSON, by people as a form; a GET in its query string."""
        given = data if data is not None else self.data or {}
        if self.api and self.method != "get":
            return client.generic(self.method.upper(), address, json.dumps(given), JSON)
        return getattr(client, self.method)(address, given)

    def check(self, response: Any, role: str) -> None:
        """What somebody of a role gets: sent to sign in, not found, forbidden, or what works."""
        if role == "anonymous":
            assert response.status_code == (401 if self.api else 302)
            assert self.api or response.url.startswith("/login/")
        elif role == "stranger":
            assert response.status_code == 404
        else:
            words = "" if response.streaming else response.content[:300]
            assert response.status_code == (self.works if role in MAY[self.needs] else 403), words
