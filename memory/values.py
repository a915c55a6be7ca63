"""What a fact may be: path, owner, value, time to live. An error names the field, the value and what would be right."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from abl.limits import MAX_TTL_DAYS
from abl.runtime.privacy.masking import Display
from memory.log.chain import canonical
from memory.models import Scope

VALUE_BYTES = 256 * 1024
VALUE_DEPTH = 64
OWNER_LENGTH = 200
PATH_LENGTH = 300

_SEGMENT = r"[A-Za-z_][A-Za-z0-9_]*"
_PATH = re.compile(rf"{_SEGMENT}(\.{_SEGMENT})+")
_TTL = re.compile(r"([1-9][0-9]{0,10})([smhd])")
_NUL = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
_SCOPES = frozenset(Scope.values)
_SPELLER = json.JSONEncoder(ensure_ascii=False)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_LONGEST = timedelta(days=MAX_TTL_DAYS)
_KINDS = {str: "string", bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}

SOURCE_TEXT = ("agent", "session", "cause", "document", "by")
SOURCE_NUMBER = ("conversation", "turn", "event", "revision", "line", "column", "end_line", "end_column")


def ttl_seconds(ttl: str) -> int | None:
    """Seconds of a TTL such as ``90d`` (docs/spec 03 §4), or None when it is not one."""
    found = _TTL.fullmatch(ttl)
    if not found:
        return None
    seconds = int(found[1]) * _SECONDS[found[2]]
    return seconds if seconds <= _LONGEST.total_seconds() else None


def type_of(value: Any) -> str:
    """ABL's name for the type of a JSON value; ``null`` for null."""
    return _KINDS.get(type(value), "null")


def domain_of(path: str) -> str:
    """The domain that a path is in by its second segment (docs/spec 03 §5); "" for one without."""
    return path.split(".", 2)[1] if "." in path else ""


def problems_of(*, scope: str, owner: str, path: str, ttl: str | None) -> dict[str, str]:
    """Field to what is wrong with the address or life of a fact; empty when all is right."""
    problems = {}
    if scope not in _SCOPES:
        problems["scope"] = f"{scope!r} is not a scope; use {', '.join(Scope.values)}"
    elif scope == Scope.PROJECT and owner:
        problems["owner"] = f"{owner!r} is given, but a fact of the project belongs to nobody; leave it empty"
    elif scope != Scope.PROJECT and not 0 < len(owner) <= OWNER_LENGTH:
        problems["owner"] = f"give the {'user' if scope == Scope.USER else 'tree'} id, 1 to {OWNER_LENGTH} characters"
    if not storable_text(owner):
        problems["owner"] = "has a character that cannot be stored (NUL or half a surrogate pair)"
    if len(path) > PATH_LENGTH or not _PATH.fullmatch(path):
        problems["path"] = f"{path[:80]!r} is not a path; use two or more names with dots between, such as user.tier"
    if ttl and ttl_seconds(ttl) is None:
        problems["ttl"] = (
            f"{ttl[:20]!r} is not a time to live; use a whole number and s, m, h or d, such as 90d, "
            f"at most {MAX_TTL_DAYS}d"
        )
    return problems


def value_text(value: Any) -> str:
    """Canonical JSON of a value. Raises ``ValueError`` whose text says what is wrong with it."""
    if depth_of(value) > VALUE_DEPTH:
        raise ValueError(f"nested deeper than {VALUE_DEPTH} levels")
    try:
        text = canonical(value)
    except (ValueError, TypeError) as error:
        raise ValueError("is not JSON: numbers must be finite, keys text") from error
    if not storable_text(text) or ("\\u0000" in text and _NUL.search(text)):
        raise ValueError("has a character that cannot be stored (NUL or half a surrogate pair)")
    size = len(text.encode())
    if size > VALUE_BYTES:
        raise ValueError(f"is {size:,} bytes of JSON; at most {VALUE_BYTES:,} are stored")
    return text


def spelled(value: Any) -> str:
    """JSON with the keys in their order, as facts keep it."""
    return _SPELLER.encode(value)


def storable_text(text: str) -> bool:
    """False for what PostgreSQL refuses: NUL and unpaired surrogates."""
    return "\x00" not in text and (text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text))


def storable(value: Any) -> Any:
    """A run's value with characters that no database keeps replaced, so that a user's text never stops a turn."""
    if isinstance(value, str):
        return value if storable_text(value) else re.sub("[\x00\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, Mapping):
        return {storable(str(key)): storable(item) for key, item in value.items()}
    return [storable(item) for item in value] if isinstance(value, (list, tuple)) else value


def depth_of(value: Any) -> int:
    """Levels of nesting, counted without recursion and no further than matters."""
    if not isinstance(value, (dict, list)):
        return 0
    level, items = 0, [value]
    while items and level <= VALUE_DEPTH:
        items = [x for item in items for x in _children(item)]
        level += bool(items)
    return level


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def masked(value: Any, masking: Mapping[str, Any]) -> Any:
    """How a sensitive value is shown, ``masking`` being fields of ``Display``; redacted where it says nothing."""
    return Display.read(masking).show(value)


def source_of(source: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a source that are kept, flat; ``span`` of a run becomes document, line and column.

    ``revisions``, path of a document to the number of the revision that runs, becomes the ``revision`` of the document.
    """
    span = source.get("span") or {}
    start, end = span.get("start") or {}, span.get("end") or {}
    flat = {
        **source,
        "document": source.get("document") or span.get("path"),
        "line": source.get("line") or start.get("line"),
        "column": source.get("column") or start.get("column"),
        "end_line": source.get("end_line") or end.get("line"),
        "end_column": source.get("end_column") or end.get("column"),
    }
    flat["revision"] = source.get("revision") or (source.get("revisions") or {}).get(flat["document"])
    kept: dict[str, Any] = {name: storable(str(flat[name]))[:300] for name in SOURCE_TEXT if flat.get(name)}
    kept.update({name: int(flat[name]) for name in SOURCE_NUMBER if isinstance(flat.get(name), int)})
    return kept


def lines_of(text: str) -> list[str]:
    """A stored value as the lines that a history compares: one per key of an object, a text of several lines as they
    stand, else the value on one line."""
    value = json.loads(text)
    if isinstance(value, str) and "\n" in value:
        return value.split("\n")
    if isinstance(value, dict):
        return [f"{canonical(key)}: {json.dumps(item, ensure_ascii=False)}" for key, item in value.items()]
    return [json.dumps(value, ensure_ascii=False)]


def parsed(text: str | None) -> Any:
    """A value of the log; None for one that was erased."""
    return json.loads(text) if text is not None else None
