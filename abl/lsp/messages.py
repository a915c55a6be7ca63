"""Messages of the language server protocol as data, and the errors for those that cannot be read."""

from __future__ import annotations

import json
from typing import Any, Final

from cattrs import Converter, transform_error
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest, JsonRpcParseError
from pygls.protocol import default_converter

from abl.lsp.wire import MAX_MESSAGE

_MOST_REASONS: Final = 3
Message = dict[str, Any]


def exact_converter() -> Converter:
    """pygls' converter, but a text has to be a text and a number a number: ``null`` is not the text "None"."""
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]
    # What is registered for a class holds for its enumerations as well.
    converter.register_structure_hook(str, lambda value, kind: _exact(value, str) if kind is str else kind(value))
    converter.register_structure_hook(bool, lambda value, _: _exact(value, bool))
    converter.register_structure_hook(int, lambda value, kind: _whole(value) if kind is int else kind(value))
    return converter


def _exact(value: object, kind: type) -> object:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r:.80} is no {kind.__name__}")
    return value


def _whole(value: object) -> int:
    if isinstance(value, float) and value.is_integer():  # some clients know floats only
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{value!r:.80} is no whole number")
    return value


def message_of(body: bytes | None) -> Message | JsonRpcException:
    """A body as a message, or the error that it deserves."""
    if body is None:
        return JsonRpcInvalidRequest(f"Messages have at most {MAX_MESSAGE:,} bytes")
    try:
        message = json.loads(body.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        return JsonRpcParseError(f"Not JSON: {error}"[:200])
    if not isinstance(message, dict):
        return JsonRpcInvalidRequest("A message is an object")
    return message


def is_id(value: object) -> bool:
    """True for what names a request: a text or a whole number."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def reasons(error: Exception) -> str:
    """What the converter could not read, and where."""
    found = transform_error(error, "params") if hasattr(error, "exceptions") else [str(error)]
    return "; ".join(found[:_MOST_REASONS])[:500]
