"""The formats that a message can have besides its text, by table (docs/spec 09 §14)."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import Final

from abl.analysis.conformance.properties import ObjectSchema
from abl.language import PLACES, words_at
from abl.language.types import Number
from abl.syntax.nodes import Content, same_key

JSON_FORMATS: Final = ("ADAPTIVE_CARD", "SLACK", "AG_UI", "WHATSAPP")
TEXT_FORMATS: Final = tuple([key.name for key in PLACES["formats"].listed if not (key.type.maps or key.type.lists)])
ELEMENT_TYPES: Final = words_at("element", "type")


def _shape(place: str, **lists: tuple[str, ObjectSchema]) -> ObjectSchema:
    """What the declaration says of a place: what it needs, and the words and limits that ABL1064 checks."""
    listed = PLACES[place].listed
    own = [key for key in listed if key.code == "ABL1064"]
    return ObjectSchema(
        needs=tuple([key.name for key in listed if key.required]),
        values={key.name: tuple(key.type.words) for key in own if key.type.words},
        ranges={key.name: (key.type.low, key.type.high or inf) for key in own if isinstance(key.type, Number)},
        lists=lists,
    )


ELEMENT: Final = _shape("element", options=("option", _shape("option")))
_SHAPES: Final[Mapping[str, ObjectSchema]] = {
    "CAROUSEL": _shape("carousel", cards=("card", _shape("card"))),
    "QUICK_REPLIES": ObjectSchema(lists={"replies": ("quick reply", _shape("quick_reply"))}),
    "LIST": _shape("shown_list", items=("item", _shape("list_item"))),
    "IMAGE": _shape("media"),
    "VIDEO": _shape("media"),
    "AUDIO": _shape("media"),
    "FILE": _shape("file"),
    "KPI": _shape("kpi"),
    "TABLE": _shape("table", columns=("column", _shape("column"))),
    "CHART": _shape("chart", data=("point", _shape("datum"))),
    "FORM": _shape("form"),
    "PROGRESS": _shape("progress"),
}
INLINE_FEEDBACK: Final = _shape("feedback")
SURVEY: Final = ObjectSchema(ranges=INLINE_FEEDBACK.ranges)
MEASURES: Final = ("type", "max", "scoring", "range", "comment_threshold")
"""What a survey template says itself."""
FORMATS: Final = (*TEXT_FORMATS, *_SHAPES, "FEEDBACK")
_PLACES: Final = (
    "listed carousel card quick_reply shown_list list_item media file kpi table column chart datum form progress"
    " element option"
)
PROPERTIES: Final = (
    *dict.fromkeys(key.name for place in _PLACES.split() for key in PLACES[place].listed),
    *("prompt", "link", "web_url"),
)
"""Every property of a format or an element, so that other words may be misspelt ones."""
_BY_KEY: Final = {same_key(name): name for name in FORMATS}
_LISTS: Final = {"CAROUSEL": "cards", "QUICK_REPLIES": "replies"}


def format_of(key: str) -> str | None:
    """The canonical name of a format in any spelling, or None."""
    return _BY_KEY.get(same_key(key))


def shape_of(name: str, content: Content) -> tuple[ObjectSchema, Content] | None:
    """What a structured format has to look like, and what of it that is; None for one without a shape.

    Formats that are a list may be that list, or an object that holds it.
    """
    if name == "FEEDBACK":
        return (SURVEY if content.get("feedback_template") is not None else INLINE_FEEDBACK), content
    shape = _SHAPES.get(name)
    inner = _LISTS.get(name)
    if shape is None or (inner is not None and content.word_of()):
        return None  # a list from a path
    if inner is not None and content.get(inner) is None:
        held = Content(inner, content.key_span, None, content.members, content.items, content.span, content.block)
        content = Content(content.key, content.key_span, None, (held,), (), content.span, content.block)
    return shape, content
