"""JSON pointers (RFC 6901), with which problems name their place."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote


def pointer_of(parts: Iterable[str | int]) -> str:
    """``/a/0`` of ``("a", 0)``; "" for the whole document."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


def keys_of_pointer(pointer: str) -> tuple[str, ...]:
    """The keys of a pointer as texts. ValueError when it does not begin with a slash."""
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise ValueError(f"{pointer!r} is not a JSON pointer")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer[1:].split("/"))


def pointer_of_reference(reference: str) -> str | None:
    """The pointer of a ``$ref`` into its own document, such as ``#/$defs/name``; None for any other reference."""
    if not reference.startswith("#"):
        return None
    fragment = unquote(reference[1:])
    return fragment if not fragment or fragment.startswith("/") else None
