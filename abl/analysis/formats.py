"""The formats that a message can have besides its text, by table (docs/spec 09 §14)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.analysis.properties import Shape
from abl.syntax.nodes import Content, same_key

JSON_FORMATS: Final = ("ADAPTIVE_CARD", "SLACK", "AG_UI", "WHATSAPP")
TEXT_FORMATS: Final = ("MARKDOWN", "HTML", *JSON_FORMATS)
ELEMENT_TYPES: Final = ("button", "select", "input")

_OPTION: Final = Shape(needs=("id", "label"))
ELEMENT: Final = Shape(
    needs=("id", "type", "label"),
    values={"inputType": ("text", "number", "date", "time", "email")},
    lists={"options": ("option", _OPTION)},
)
_MEDIA: Final = Shape(needs=("url",))
_SHAPES: Final[Mapping[str, Shape]] = {
    "CAROUSEL": Shape(lists={"cards": ("card", Shape(needs=("title",)))}),
    "QUICK_REPLIES": Shape(lists={"replies": ("quick reply", _OPTION)}),
    "LIST": Shape(needs=("items",), lists={"items": ("item", Shape(needs=("title",)))}),
    "IMAGE": _MEDIA,
    "VIDEO": _MEDIA,
    "AUDIO": _MEDIA,
    "FILE": Shape(needs=("url", "filename")),
    "KPI": Shape(needs=("label", "value"), values={"trend": ("up", "down", "flat")}),
    "TABLE": Shape(
        needs=("columns", "rows"),
        lists={"columns": ("column", Shape(needs=("key", "header")))},
    ),
    "CHART": Shape(
        needs=("type", "data"),
        values={"type": ("bar", "line", "pie")},
        lists={"data": ("point", Shape(needs=("label", "value")))},
    ),
    "FORM": Shape(needs=("fields",)),
    "PROGRESS": Shape(needs=("value",), values={"variant": ("bar", "circle")}),
}
INLINE_FEEDBACK: Final = Shape(
    needs=("prompt", "type"), values={"type": ("thumbs", "star", "scale")}, ranges={"expires_after": (30, 86400)}
)
SURVEY: Final = Shape(ranges={"expires_after": (30, 86400)})
MEASURES: Final = ("type", "max", "scoring", "range", "comment_threshold")
"""What a survey template says itself."""
FORMATS: Final = (*TEXT_FORMATS, *_SHAPES, "FEEDBACK")
PROPERTIES: Final = (
    *("when", "from", "template", "cards", "title", "subtitle", "imageUrl", "defaultActionUrl", "buttons", "id"),
    *("label", "iconUrl", "items", "adaptive", "url", "alt", "thumbnailUrl", "caption", "filename", "sizeBytes"),
    *("mimeType", "value", "unit", "trend", "columns", "key", "header", "align", "rows", "maxVisibleRows", "type"),
    *("data", "color", "fields", "submitLabel", "max", "variant", "prompt", "link", "web_url", "description"),
    *("options", "inputType", "placeholder", "required", "button", "select", "input"),
)
"""Every property of a format or an element, so that other words may be misspelt ones."""
_BY_KEY: Final = {same_key(name): name for name in FORMATS}
_LISTS: Final = {"CAROUSEL": "cards", "QUICK_REPLIES": "replies"}


def format_of(key: str) -> str | None:
    """The canonical name of a format in any spelling, or None."""
    return _BY_KEY.get(same_key(key))


def shape_of(name: str, content: Content) -> tuple[Shape, Content] | None:
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
