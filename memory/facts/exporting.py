"""Facts as a file: CSV for spreadsheets, JSON for programs. Both are written while the facts are read."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone

from editor.models import Project
from memory.facts.selectors import Shown, facts_chosen, shown
from memory.lists.paging import facts_matching
from memory.lists.query import FactQuery
from memory.models import Fact
from web.errors import Invalid

COLUMNS = (
    "scope", "owner", "path", "type", "state", "value", "sensitive", "masked", "version", "written_at", "expires_at",
    "ttl", "agent", "conversation", "turn", "cause", "by", "document", "line", "revision",
)  # fmt: skip
TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}
AT_ONCE = 100
"""Facts in one chunk of the file. Each chunk checks anew which facts are still readable."""

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|[\t\r\n]")

Clock = Callable[[], datetime]


def cell(value: Any) -> str:
    """A cell that no spreadsheet reads as a formula: a text that starts like one gets an apostrophe in front.

    Negative numbers stay what they are.
    """
    text = "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def csv_pieces(facts: Iterable[Fact], clock: Clock) -> Iterator[bytes]:
    """A row with the names of the columns, then one for each fact; values as JSON, empty for an expired one."""
    yield _row(COLUMNS)
    for some in _batches(facts):
        now = clock()
        yield b"".join(_row(map(cell, _cells(shown(fact, now)))) for fact in some)


def json_pieces(facts: Iterable[Fact], clock: Clock, **about: Any) -> Iterator[bytes]:
    """One object: what ``about`` says, and ``facts`` in the shape of the API."""
    yield f'{json.dumps(about, ensure_ascii=False)[:-1]}, "facts": ['.encode()
    between = ""
    for some in _batches(facts):
        now = clock()
        yield "".join(f"{between if n == 0 else ','}\n{_object(fact, now)}" for n, fact in enumerate(some)).encode()
        between = ","
    yield b"\n]}\n"


def kind_asked(given: Mapping[str, str], default: str) -> str:
    """The kind of file that a query string asks for, as ``as=csv``. Raises ``Invalid`` for one that is not made."""
    if "format" in given:
        raise Invalid(fields={"format": "is called as here: as=csv or as=json"})
    kind = given.get("as", default)
    if kind not in TYPES:
        raise Invalid(fields={"as": f"{kind[:20]!r} is not one of {', '.join(TYPES)}"})
    return kind


def facts_file(
    request: HttpRequest, *, project: Project, kind: str, query: FactQuery, chosen: Iterable[int] | None = None
) -> StreamingHttpResponse:
    """The answer with the facts that pass the filters, or those with the keys ``chosen``, as a file of a kind."""
    now = timezone.now()
    about: dict[str, Any] = {"project": project.slug, "exported_at": now.isoformat()}
    if chosen is not None:
        facts: Iterable[Fact] = facts_chosen(project=project, pks=chosen)
    else:
        facts = facts_matching(project=project, query=query, now=now)
        about["filters"] = query.params()
    pieces = csv_pieces(facts, timezone.now) if kind == "csv" else json_pieces(facts, timezone.now, **about)
    return download(request, pieces, name=f"{project.slug}-facts", kind=kind)


def download(request: HttpRequest, pieces: Iterator[bytes], *, name: str, kind: str) -> StreamingHttpResponse:
    """The answer with a file that is sent as it is made; ``kind`` is csv or json."""
    body: Any = _in_turns(pieces) if isinstance(request, ASGIRequest) else pieces
    headers = {"Content-Disposition": f'attachment; filename="{name}.{kind}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(body, content_type=TYPES[kind], headers=headers)


def _batches(facts: Iterable[Fact]) -> Iterator[list[Fact]]:
    rest = iter(facts)
    while some := list(islice(rest, AT_ONCE)):
        yield some


async def _in_turns(pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
    """The chunks as an async iterator, so that the event loop never waits for the whole file; each is made in the
    request's thread.
    """

    def following() -> bytes | None:
        return next(pieces, None)

    while (piece := await sync_to_async(following)()) is not None:
        yield piece


def _row(cells: Iterable[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue().encode()


def _cells(seen: Shown) -> list[Any]:
    fact = {**seen.fact.source, **seen.as_dict()}
    fact["value"] = json.dumps(fact["value"], ensure_ascii=False) if seen.readable else ""
    return [fact.get(name) for name in COLUMNS]


def _object(fact: Fact, now: datetime) -> str:
    return json.dumps(shown(fact, now).as_dict(), ensure_ascii=False)
