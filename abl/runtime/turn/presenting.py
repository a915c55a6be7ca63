"""How a message is shown besides its text: formats, elements to act on, what is spoken (docs/spec 09 §13, §14).

Everything is made anew for each message from what is written: templates rendered, conditions judged, lists filled from
arrays. The plain text is always kept; the `respond` event has the rest.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from abl.analysis.index.formats import JSON_FORMATS, format_of
from abl.expressions.budget import spends
from abl.language import key_at, type_at, value_at
from abl.language.types import Closed, Flag, Number, Texts, parts
from abl.language.written import Lines, listed, word
from abl.runtime.agents import profiles
from abl.runtime.constraints.tool_sources import from_tool
from abl.runtime.evaluation import condition, template
from abl.runtime.evaluation import value as value_formula
from abl.syntax.nodes import Block, Content
from abl.syntax.readers.content import content_of

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

SHOWN: Final = ("FORMATS", "RICH_CONTENT", "CAROUSEL", "ACTIONS", "VOICE", "RENDERABLES")
"""The keys that present a message."""
CHANNELS: Final[Mapping[str, tuple[str, ...]]] = {
    "web": ("MARKDOWN", "HTML", "AG_UI"),
    "mobile": ("ADAPTIVE_CARD", "CAROUSEL"),
    "slack": ("SLACK", "MARKDOWN"),
    "whatsapp": ("WHATSAPP",),
}
"""Formats that a channel takes, the best first."""
SPOKEN: Final = ("PLAIN_TEXT", "SSML")
_LEFT_OUT: Final = object()
_TYPED: Final = (Closed, Flag, Number)
_SHORT: Final = {"BUTTON": "button", "SELECT": "select", "INPUT": "input"}
_SLOT: Final = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_PATH: Final = re.compile(r"[A-Za-z_][\w.]*")
_ID: Final = re.compile(r"[\w.-]+")
_TAG: Final = re.compile(r"<[^>]*>")
_MEDIA: Final = {"image": "IMAGE", "audio": "AUDIO", "video": "VIDEO", "file": "FILE", "document": "FILE"}

Presented = dict[str, Any]


def present(engine: Engine, thread: Thread, keys: Iterable[tuple[str, Lines]], local: Any = None) -> Presented:
    """``formats``, ``format`` (that of the channel), ``actions``, ``voice`` and ``renderables``, as far as written."""
    return presented(engine, thread, contents(keys), local)


def contents(keys: Iterable[tuple[str, Lines]]) -> list[tuple[str, Content]]:
    """What is written below the keys that present a message."""
    return [(key, content_of(line)) for key, line in keys if key in SHOWN and isinstance(line, Block)]


def shows_result(thread: Thread, keys: Iterable[tuple[str, Content]], local: Mapping[str, Any] | None = None) -> bool:
    """True when a part of the presentation reads what came from a tool (docs/spec 04 §6)."""
    return any(from_tool(thread, _names(content), local) for _, content in keys)


def _names(content: Content) -> list[str]:
    """Names that a text below a key may read: those in ``{{…}}``, and one that is the whole text."""
    found = [name for part in (*content.members, *content.items) for name in _names(part)]
    if content.text is None:
        return found
    written = content.text.value.strip()
    return [*found, *template(written).names, *([written] if _PATH.fullmatch(written) else [])]


def presented(
    engine: Engine, thread: Thread, keys: Iterable[tuple[str, Content]], local: Mapping[str, Any] | None = None
) -> Presented:
    """The same of what was read already; ``local`` are names over those of the session."""
    writer = _Writer(engine, thread, local or {})
    found: Presented = {}
    formats: dict[str, Any] = {}
    for key, content in keys:
        match key:
            case "FORMATS" | "RICH_CONTENT":
                formats |= writer.formats(content.members)
            case "CAROUSEL":
                formats |= writer.formats((content,))
            case "ACTIONS":
                found["actions"] = writer.actions(content)
            case "VOICE":
                voice = {writer.name(part, "voice"): part for part in content.members}
                found["voice"] = {name: writer.text(voice[name]) for name in SPOKEN if name in voice}
            case _:
                found["renderables"] = writer.of(content, "renderable")
    formats = _allowed(engine, thread, formats)
    if formats:
        found["formats"] = formats
        if (chosen := _chosen(engine, thread, formats)) is not None:
            found["format"] = chosen
    return found


def spoken(engine: Engine, found: Presented) -> str | None:
    """What the channel `voice` says in place of the text: PLAIN_TEXT, else SSML without its tags."""
    voice = found.get("voice") if engine.state.channel == "voice" else None
    if not voice:
        return None
    return voice.get("PLAIN_TEXT") or _TAG.sub("", voice.get("SSML", "")).strip() or None


def _chosen(engine: Engine, thread: Thread, formats: Mapping[str, Any]) -> str | None:
    """The format that the channel would show; None: the plain text."""
    wanted = [*CHANNELS.get(engine.state.channel, ())]
    fallback = profiles.response(engine, thread, "fallback_format")
    wanted += [format_of(str(fallback)) or ""] if fallback else []
    return next((name for name in wanted if name in formats), None)


def _allowed(engine: Engine, thread: Thread, formats: dict[str, Any]) -> dict[str, Any]:
    """Without the media that the profile's channel does not send."""
    sent = profiles.response(engine, thread, "media_types")
    if sent is None:
        return formats
    kept = {_MEDIA.get(kind, "") for kind in sent}
    return {name: value for name, value in formats.items() if name not in _MEDIA.values() or name in kept}


class _Writer:
    """Makes values of what is written, for one message."""

    def __init__(self, engine: Engine, thread: Thread, local: Mapping[str, Any]) -> None:
        self.engine = engine
        self.thread = thread
        self.local = local

    def formats(self, written: Iterable[Content]) -> dict[str, Any]:
        """Formats by canonical name; one whose ``when`` does not hold is left out."""
        made: dict[str, Any] = {}
        for content in written:
            name = format_of(content.key)
            value = self.member(content, "formats") if name is not None else _LEFT_OUT
            if name is not None and value is not _LEFT_OUT:
                made[name] = _parsed(value) if name in JSON_FORMATS and isinstance(value, str) else value
        return made

    def actions(self, content: Content) -> dict[str, Any]:
        """The elements, within the buttons that a profile allows, and the properties beside them."""
        listed = content.get("elements") or content
        made = {self.name(part, "actions"): self.member(part, "actions") for part in content.members}
        elements = self._each(listed.items, "element")
        most = profiles.response(self.engine, self.thread, "max_buttons")
        if most is not None:
            buttons = [element for element in elements if element.get("type") == "button"][most:]
            elements = [element for element in elements if element not in buttons]
        return {**{name: value for name, value in made.items() if value is not _LEFT_OUT}, "elements": elements}

    def text(self, content: Content) -> str:
        """A text, rendered, as a trace may show it."""
        return self._rendered(content.text.value if content.text is not None else "")

    def _rendered(self, raw: str) -> str:
        rendered = self.engine.render(self.thread, raw, self.local or None).text
        return self.engine.recorder.text(rendered.rstrip("\n"))

    def member(self, content: Content, place: str) -> Any:
        """The value of a key of a place: a switch, number or closed word as it is meant in any spelling."""
        value = value_at(place, content.key)
        if content.text is not None and any(isinstance(one, _TYPED) for one in parts(type_at(place, content.key))):
            typed = type_at(place, content.key).read_word(word(content.text))
            if typed is not None:
                return typed
        if isinstance(type_at(place, content.key), Texts):
            return self._texts(content)
        below = (*value.maps, *value.lists)
        if content.text is not None and (value.lists or "listed" in value.maps):
            return self._array(content, any(isinstance(one, Texts) for one in parts(type_at(place, content.key))))
        if content.items and value.lists:
            return self._each(content.items, value.lists[0])
        return self.of(content, below[0] if below else "")

    def of(self, content: Content, place: str) -> Any:
        """What a key or item is: an object, a list or a scalar."""
        spends(1)
        when = content.text_of("when")
        if when is not None and not self._holds(when.value):
            return _LEFT_OUT
        if (source := content.text_of("from")) is not None:
            return self._filled(source.value, content.get("template"), place)
        if content.members:
            made = {self.name(part, place): self.member(part, place) for part in content.members if part.key != "when"}
            return _whole({name: value for name, value in made.items() if value is not _LEFT_OUT}, place)
        if content.items:
            return self._each(content.items, place)
        return self._scalar(content)

    def _each(self, items: Iterable[Content], place: str) -> list[Any]:
        return [value for item in items if (value := self.of(item, place)) is not _LEFT_OUT]

    def _filled(self, source: str, template: Content | None, place: str) -> list[Any]:
        """An entry for each item of an array; the fields of an item stand over the session."""
        made = []
        for item in self._listed(source):
            names = {**self.local, **item} if isinstance(item, dict) else {**self.local, "value": item}
            writer = _Writer(self.engine, self.thread, names)
            made.append(writer.of(template, place) if template is not None else item)
        return [value for value in made if value is not _LEFT_OUT]

    def _array(self, content: Content, texts: bool) -> Any:
        """The items at a path; else what is written, as a list where the key takes one of ``texts``."""
        raw = content.text.value.strip() if content.text is not None else ""
        slot = _SLOT.fullmatch(raw)
        if slot or _PATH.fullmatch(raw):
            return self._listed(slot[1] if slot else raw)
        return self._texts(content) if texts else self._scalar(content)

    def _texts(self, content: Content) -> list[str]:
        """A list of texts in any form, each rendered."""
        if content.text is not None:
            return [self._rendered(item) for item in listed(content.text)]
        return [self.text(item) for item in content.items]

    def _listed(self, path: str) -> list[Any]:
        slot = _SLOT.fullmatch(path.strip())
        found = self._value(slot[1] if slot else path.strip())
        return found if isinstance(found, list) else []

    def _value(self, path: str) -> Any:
        found = self.engine.evaluate(self.thread, value_formula(path), self.local or None).value
        return self.engine.masker(self.thread).shown(path, found)

    def _holds(self, text: str) -> bool:
        return self.engine.evaluate(self.thread, condition(text), self.local or None).holds

    def _scalar(self, content: Content) -> Any:
        if content.text is None:
            return ""
        if slot := _SLOT.fullmatch(content.text.value.strip()):
            found = self._value(slot[1])
            return found if isinstance(found, bool | int | float) else self.text(content)
        said = self.text(content)
        if content.text.style != "bare":
            return said
        match said.lower():
            case "true" | "false":
                return said.lower() == "true"
            case _:
                return _number(said)

    @staticmethod
    def name(content: Content, place: str) -> str:
        """The key as its place declares it; as written where it does not."""
        known = key_at(place, content.key)
        return known.name if known is not None else content.key


def _number(text: str) -> Any:
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return text


def _parsed(text: str) -> Any:
    """The JSON that a text is; the text itself where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _labelled(text: str) -> dict[str, str]:
    """``label -> id`` of a short form; the label alone where no id is behind the last arrow."""
    label, _, name = text.rpartition("->")
    if not label or not _ID.fullmatch(name.strip()):
        return {"label": text}
    return {"label": label.rstrip().strip("\"'"), "id": name.strip()}


def _whole(made: dict[str, Any], place: str) -> dict[str, Any]:
    """Short forms of an element written out; of texts by condition the first that holds."""
    if place == "element":
        for short, kind in _SHORT.items():
            if short in made:
                made |= {"type": kind, **_labelled(str(made.pop(short)))}
    if place == "feedback":
        for name in [name for name in made if name.endswith("_rules")]:
            rules = made.pop(name)
            if isinstance(rules, list) and rules and isinstance(rules[0], dict):
                made[name.removesuffix("_rules")] = rules[0].get("text", "")
    return made
