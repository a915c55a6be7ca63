"""Requests of the memory client, and the exceptions for failed ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

API = "/api/v1/memory/"
SECONDS = 30.0
CONFLICT, NOT_FOUND = 409, 404


class MemoryRefused(Exception):
    """The server refused. ``status`` is that of HTTP, ``code`` and ``fields`` are those of the problem object."""

    def __init__(self, status: int, problem: Mapping[str, Any]) -> None:
        self.status = status
        self.code = str(problem.get("code", "error"))
        self.detail = str(problem.get("detail", f"the server answered {status}"))
        self.fields: dict[str, str] = dict(problem.get("fields") or {})
        self.problem = dict(problem)
        super().__init__(self.detail)


class MemoryNotFound(MemoryRefused):
    """The server does not have the requested object."""


class MemoryConflict(MemoryRefused):
    """It was changed since it was read. ``current`` is what it is now, None when it is gone."""

    current: Any = None


def name_of(text: str, what: str) -> str:
    """A name as a part of an address. ``ValueError`` for an empty one, which would be the address of the list."""
    if not text:
        raise ValueError(f"{what} is {text!r}; give its name")
    return quote(text, safe="")


@dataclass(frozen=True, slots=True)
class Call:
    """One request below the memory API; what is None in ``query`` is left out."""

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None

    def arguments(self) -> dict[str, Any]:
        """What httpx takes."""
        query = {name: value for name, value in self.query.items() if value is not None}
        more = {} if self.body is None else {"json": self.body}
        return {"method": self.method, "url": self.path, **({"params": query} if query else {}), **more}


def answer_of(response: httpx.Response) -> Any:
    """The JSON of an answer, None for one without a body. Raises ``MemoryRefused`` or one of its kinds."""
    if response.is_success:
        return response.json() if response.content else None
    try:
        problem = response.json()
    except ValueError:
        problem = None
    kinds: dict[int, type[MemoryRefused]] = {CONFLICT: MemoryConflict, NOT_FOUND: MemoryNotFound}
    kind = kinds.get(response.status_code, MemoryRefused)
    raise kind(response.status_code, problem if isinstance(problem, dict) else {})


def settings_of(url: str, token: str, timeout: float) -> dict[str, Any]:
    """What both clients of httpx are made with. ``url`` is that of the workbench, with its path prefix if any."""
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
    return {"base_url": url.rstrip("/") + API, "headers": headers, "timeout": timeout}


class Connection:
    """A connection; close it, or use it as a context manager."""

    def __init__(self, url: str, token: str, *, timeout: float = SECONDS, **options: Any) -> None:
        """``options`` go to ``httpx.Client``."""
        self._http = httpx.Client(**{**settings_of(url, token, timeout), **options})

    def send(self, call: Call) -> Any:
        """The answer to a call. Raises ``MemoryRefused`` for a refusal and what httpx raises for a lost connection."""
        return answer_of(self._http.request(**call.arguments()))

    def close(self) -> None:
        """Close the connections to the server."""
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class AsyncConnection:
    """The same for async code."""

    def __init__(self, url: str, token: str, *, timeout: float = SECONDS, **options: Any) -> None:
        """``options`` go to ``httpx.AsyncClient``."""
        self._http = httpx.AsyncClient(**{**settings_of(url, token, timeout), **options})

    async def send(self, call: Call) -> Any:
        """The answer to a call. Raises what ``Connection.send`` does."""
        return answer_of(await self._http.request(**call.arguments()))

    async def aclose(self) -> None:
        """Close the connections to the server."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.aclose()
