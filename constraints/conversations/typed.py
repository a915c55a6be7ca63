"""Values as people type them into a field: read as JSON if they look like JSON, else as text."""

from __future__ import annotations

import re
from typing import Any

from web.api.parsers import json_problem, json_value
from web.errors import Invalid

_MEANS_JSON = re.compile(
    r"""-? (?: NaN | Infinity | (?: 0 | [1-9]\d* ) (?: \.\d+ )? (?: [eE][+-]?\d+ )? )  # also numbers that JSON has not
    | [\[{"] .*                                                                       # a list, an object, a text
    """,
    re.VERBOSE | re.DOTALL,
)
SHOWN = 40


def value_typed(text: str, field: str = "value") -> Any:
    """``180``, ``true``, ``["a"]`` as JSON says; ``hello`` and ``12 May`` are texts.

    Raises ``Invalid`` for what is meant as JSON and is none (``[1, 2``), or is more than can be kept (``1e999``,
    ``NaN``, a hundred lists in each other): nobody wants the text of that, and who does puts it in quotes.
    """
    try:
        return json_value(text)
    except ValueError as error:
        if not _MEANS_JSON.fullmatch(text.strip()):
            return text
        shown = text.strip() if len(text.strip()) <= SHOWN else f"{text.strip()[:SHOWN]}…"
        hint = "" if shown.startswith('"') else " or, for a text, put it in double quotes"
        raise Invalid(fields={field: f"{shown} {json_problem(error)}. Give a JSON value{hint}."}) from None
