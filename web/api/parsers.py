"""Reading request bodies of the API within bounds, and writing responses that any client's text can be part of."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.http import HttpRequest
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request

from web.errors import TooLarge
from web.limits import MAX_BODY, MAX_DEPTH, MAX_DIGITS, MAX_VALUES, too_large

__all__ = [
    "MAX_BODY",
    "MAX_DEPTH",
    "BoundedJSONParser",
    "ForgivingJSONRenderer",
    "json_problem",
    "json_value",
    "too_large",
]


class BoundedJSONParser(BaseParser):
    """JSON of bounded size whose numbers are finite and that is not nested beyond ``MAX_DEPTH``.

    It has at most ``MAX_BODY`` bytes, or what its view says in ``max_body``, and at most ``MAX_VALUES`` values.
    Not a ``JSONParser``: what that one parses is held to Django's bound for forms, which is smaller.
    """

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """The parsed body; ``TooLarge`` or ``ParseError``."""
        request: Request | HttpRequest | None = (parser_context or {}).get("request")
        most = getattr((parser_context or {}).get("view"), "max_body", MAX_BODY)
        size = request.META.get("CONTENT_LENGTH", "") if request is not None else ""
        if str(size).isdigit() and int(size) > most:
            raise too_large(int(size), most)
        raw = stream.read(most + 1)
        if len(raw) > most:
            raise too_large(len(raw), most)
        try:
            return json_value(raw)
        except ManyValues as error:
            raise TooLarge(fields={"body": str(error)}) from None
        except ValueError as error:
            raise ParseError(f"The body {json_problem(error)}.") from None


class ManyValues(ValueError):
    """A JSON text may hold more than ``MAX_VALUES`` values."""

    def __init__(self) -> None:
        super().__init__(f"it has more than {MAX_VALUES:,} values (texts, numbers, lists, objects)")


class AsciiJSONRenderer(JSONRenderer):
    """JSON in which every other character is an escape."""

    ensure_ascii = True


class ForgivingJSONRenderer(JSONRenderer):
    """JSON in UTF-8; half of a surrogate pair, which UTF-8 lacks, is written as JSON's escape for it."""

    def render(self, data: Any, *args: Any, **kwargs: Any) -> bytes:
        """The bytes of an answer."""
        try:
            return bytes(super().render(data, *args, **kwargs))
        except UnicodeEncodeError:
            return bytes(AsciiJSONRenderer().render(data, *args, **kwargs))


def json_value(raw: str | bytes, *, repeated: bool = False) -> Any:
    """The value of a JSON text. ``ValueError`` says what is wrong, also for numbers and depths that JSON may not have.

    Bytes are UTF-8.

    :param repeated: an object may have a key twice, and the last counts. Stored JSON must not repeat a key, because it
        is unclear which value counts.
    """
    data = raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogatepass")
    if holds_more_values(data, MAX_VALUES):
        raise ManyValues
    try:
        value = json.loads(
            str(raw, "utf-8") if isinstance(raw, bytes) else raw,
            parse_constant=refuse,
            parse_float=finite,
            parse_int=whole,
            object_pairs_hook=None if repeated else unrepeated,
        )
    except RecursionError:
        raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels") from None
    if nested_deeper(value, MAX_DEPTH):
        raise ValueError(f"it is nested deeper than {MAX_DEPTH} levels")
    return value


def json_problem(error: ValueError) -> str:
    """What is wrong with a text that ``json_value`` refused, without the messages of Python's parser."""
    if isinstance(error, json.JSONDecodeError):
        return f"is not valid JSON (line {error.lineno}, column {error.colno})"
    if isinstance(error, UnicodeError):
        return "is not valid JSON: it is not UTF-8 text"
    return f"is not valid JSON: {error}"


def holds_more_values(raw: bytes, most: int) -> bool:
    """Whether a JSON text may hold more than ``most`` values, found before any of them is made.

    Each value follows a comma, or is the first of a list or object, or the only one; those signs are counted
    outside of texts. Of what is no JSON only the part before the mistake is counted right, and only that is ever read.
    """
    if len(raw) <= most:
        return False
    plain = raw.replace(b"\\\\", b"").replace(b'\\"', b"")  # what is left of quotes begins and ends texts
    if plain.count(b'"') > 4 * most:  # two of each text, and each value has a key at most
        return True
    outside = b"".join(plain.split(b'"')[::2])
    return 1 + sum(outside.count(sign) for sign in (b",", b"[", b"{")) > most


def unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys all differ."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"it has the key {json.dumps(name[:80], ensure_ascii=False)} twice in one object")
        found[name] = value
    return found


def finite(text: str) -> float:
    """A number with a fraction or an exponent."""
    number = float(text)
    if not math.isfinite(number):
        refuse(text)
    return number


def whole(text: str) -> int:
    """A number without a fraction."""
    if len(text.lstrip("-")) > MAX_DIGITS:
        raise ValueError(f"{text[:20]}… has {len(text):,} digits; {MAX_DIGITS} are allowed")
    return int(text)


def refuse(text: str) -> NoReturn:
    """The refusal of NaN, Infinity and what overflows to it."""
    raise ValueError(f"{text[:40]} is not a finite number")


def nested_deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects lie in each other more than ``levels`` deep; counted without recursion."""
    items = [value]
    for _ in range(levels + 1):
        items = [x for item in items if isinstance(item, (dict, list)) for x in inner(item)]
        if not items:
            return False
    return True


def inner(item: Any) -> Any:
    """What lies in a list or object; an empty one counts as a level too."""
    return (item.values() if isinstance(item, dict) else item) or (None,)
