"""What a request may say: known names only, and values as they are (docs/spec 12 §5).

An unknown name is refused with a suggestion: if it were ignored, a misspelt ``dry_run`` would erase data. Numbers and
texts are not converted into each other, and texts are not trimmed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.settings import api_settings

from abl.syntax.recovery.suggest import closest
from web.costly import CostlyView
from web.errors import Invalid

SHOWN = 60
WHOLE_LARGEST = 2**31 - 1
KINDS = {str: "a text", bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}


def shown(value: Any) -> str:
    """A value of a body as JSON, cut."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def unknown(name: str, valid: Iterable[str]) -> str:
    """Why a name is refused: names the likely one, or all valid ones."""
    names = list(valid)
    near = closest(name, names)
    if near:
        return f"is not known; did you mean {near[0]}?"
    return f"is not known; there {'is' if len(names) == 1 else 'are'} {', '.join(names)}." if names else "is not known."


class Fields(serializers.Serializer[Any]):
    """A body; a field that is not known is refused."""

    def to_internal_value(self, data: Any) -> Any:
        """The checked fields."""
        if isinstance(data, Mapping):
            strange = [str(name) for name in data if name not in self.fields]
            if strange:
                raise serializers.ValidationError({name[:80]: unknown(name, self.fields) for name in strange[:10]})
        return super().to_internal_value(data)


class Text(serializers.CharField):
    """A text as it is: not trimmed, and no number or flag taken for one."""

    def __init__(self, **options: Any) -> None:
        most = options.get("max_length")
        bound = f"1 to {most:,} characters" if most else "at least one character"
        words = {"max_length": "is longer than {max_length} characters.", "blank": f"is empty; give {bound}."}
        given = options.pop("error_messages", {})
        super().__init__(**{"trim_whitespace": False, "error_messages": {**words, **NULL, **given}, **options})

    def to_internal_value(self, data: Any) -> str:
        """The text; other JSON is refused."""
        if not isinstance(data, str):
            raise refusal(data, "a text")
        return str(super().to_internal_value(data))


class Named(serializers.DictField):
    """Values by name, at most ``most``. If there are more, none is checked, since each may have an error of its own."""

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(**options)
        self.most = most

    def to_internal_value(self, data: Any) -> Any:
        """The checked values by name."""
        if isinstance(data, dict) and len(data) > self.most:
            raise serializers.ValidationError(f"has {len(data):,} entries; at most {self.most:,} are allowed.")
        return super().to_internal_value(data)


class Several(serializers.ListField):
    """A list of at most ``most`` values; if there are more, none is checked."""

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(**options)
        self.most = most

    def to_internal_value(self, data: Any) -> Any:
        """The checked values."""
        if isinstance(data, list) and len(data) > self.most:
            raise serializers.ValidationError(f"has {len(data):,} values; at most {self.most:,} are allowed.")
        return super().to_internal_value(data)


class Whole(serializers.IntegerField):
    """A whole number of JSON."""

    def __init__(self, **options: Any) -> None:
        words = {"max_value": "is more than {max_value}.", "min_value": "is less than {min_value}."}
        super().__init__(**{"error_messages": {**words, **NULL, **options.pop("error_messages", {})}, **options})

    def to_internal_value(self, data: Any) -> int:
        """The number; 2.0 is 2."""
        if isinstance(data, float) and data.is_integer():
            data = int(data)
        if not isinstance(data, int) or isinstance(data, bool):
            raise refusal(data, "a whole number")
        return data


class Number(serializers.FloatField):
    """A number of JSON."""

    def to_internal_value(self, data: Any) -> float:
        """The number."""
        if not isinstance(data, (int, float)) or isinstance(data, bool) or not math.isfinite(data):
            raise refusal(data, "a number")
        return float(data)


class Flag(serializers.BooleanField):
    """``true`` or ``false``: no text or number that means as much."""

    def to_internal_value(self, data: Any) -> bool:
        """The flag."""
        if not isinstance(data, bool):
            raise refusal(data, "true or false")
        return data


class Choice(serializers.ChoiceField):
    """One of some texts."""

    def to_internal_value(self, data: Any) -> Any:
        """The text; the error lists the valid ones."""
        if not isinstance(data, str) or data not in self.choices:
            raise serializers.ValidationError(f"{shown(data)} is not one of {', '.join(map(str, self.choices))}")
        return data


NULL = {"null": "is null; leave it out or give a value.", "required": "is missing."}


def refusal(value: Any, right: str) -> serializers.ValidationError:
    """The error for a value of another kind."""
    kind = next((word for cls, word in KINDS.items() if type(value) is cls), "nothing")
    return serializers.ValidationError(f"{shown(value)} is {kind}; give {right}.")


class StrictQuery(CostlyView):
    """A view that refuses undeclared query parameters, and repeated ones."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate the caller, then check the parameters."""
        super().initial(request, *args, **kwargs)
        given = request.query_params
        if not given:
            return
        known = self.parameters(request)
        problems = {name[:80]: unknown(name, known) for name in given if name not in known and name != FORMAT}
        twice = [name for name in given if name in known and len(given.getlist(name)) > 1 and not known[name]]
        problems |= {name: f"is given {len(given.getlist(name))} times; give it once" for name in twice}
        if problems:
            raise Invalid(fields=problems)

    def parameters(self, request: Request) -> dict[str, bool]:
        """Query parameters that the description of the operation names, and whether each may be repeated."""
        handler = getattr(self, str(request.method).lower(), None)
        kind = getattr(handler, "kwargs", {}).get("schema")
        pages = self.page_parameters(request)
        if kind is None:
            return pages
        description = kind()
        description.view, description.method = self, str(request.method)
        found = [item for item in description.get_override_parameters() if isinstance(item, OpenApiParameter)]
        return pages | {item.name: bool(item.many) for item in found if item.location == OpenApiParameter.QUERY}

    def page_parameters(self, request: Request) -> dict[str, bool]:
        """Those by which a list is paged, where the view is one."""
        pager = getattr(self, "paginator", None)
        if pager is None or request.method not in ("GET", "HEAD"):
            return {}
        return {str(item["name"]): False for item in pager.get_schema_operation_parameters(self)}


def whole(text: str, name: str, low: int, high: int) -> int | None:
    """A whole number of a query string or form, or None when it is absent. Raises ``Invalid``."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 12 and low <= int(text) <= high):
        raise Invalid(fields={name: f"{text[:20]!r} is not a whole number from {low} to {high:,}"})
    return int(text)


FORMAT = api_settings.URL_FORMAT_OVERRIDE
