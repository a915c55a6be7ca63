"""The part of the walk over sections without nodes, by the table of ``abl.analysis.conformance.places``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from abl.analysis.collect.recorder import Recorder
from abl.analysis.collect.records import WriteKind
from abl.analysis.conditions.reading import read_condition_text, read_value
from abl.analysis.conformance.places import OPAQUE, PlaceSchema, Slot
from abl.diagnostics import Edit, Finding, Fix
from abl.language import is_word
from abl.syntax import nodes
from abl.syntax.lines.texts import slice_of
from abl.syntax.nodes import Block, Content, Name, Text, same_key
from abl.syntax.readers.content import content_of
from abl.syntax.readers.entries import PATH
from abl.syntax.readers.state import read_assignments
from abl.syntax.readers.validations import functions
from abl.syntax.recovery import section_findings

_QUOTED: Final = ("double", "single")
_OPENING: Final = re.compile(r"[\"']")
_CLOSING: Final = {'"': re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL), "'": re.compile(r"(?:[^'\\]|\\.)*'", re.DOTALL)}
_LISTED: Final = re.compile(r"[^\[\]{},\s][^\[\]{},]*")
_KINDS: Final[Mapping[str, WriteKind]] = {"gather": "gather", "tool": "tool"}


class PlaceCollector(Recorder):
    """Records what stands at the places of a shape as the typed nodes do."""

    def at_places(self, block: Block | None, shape: PlaceSchema | Slot, owner: nodes.Node) -> None:
        """What a block holds by the shape of its value."""
        if block is not None:
            self.by_shape(content_of(block), shape, owner)

    def by_shape(self, content: Content, shape: PlaceSchema | Slot, owner: nodes.Node) -> None:
        """The same of what was read already."""
        if isinstance(shape, Slot):
            with self.within(shape.names, certain=shape.certain):
                self._slots[shape.kind](self, content, shape, owner)
            return
        if content.text is not None:
            self.by_shape(replace(content, members=(), items=()), shape.get("", OPAQUE), owner)
        if content.members and shape.keys() == {"-"}:  # one entry without its dash (ABL115)
            self.by_shape(content, shape["-"], owner)
            return
        for member in content.members:
            below = shape.get(same_key(member.key)) or shape.get("*", OPAQUE)
            self.by_shape(member, below, owner)
        for item in content.items:
            self.by_shape(item, shape.get("-", OPAQUE), owner)

    # One method for each kind of slot ---------------------------------------------------------------------------

    def _nothing(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        """Nothing to record."""

    def _opaque(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        """Words may name anything; placeholders are read, but what they may name is not known."""
        self.mention(content.span)
        with self.within(certain=False):
            for text in _texts(content):
                if "{{" in text.value:
                    self.template(text, "TEXT", owner)

    def _granted(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        """``- {path: user.tier, access: read}``: the path may be used, and nothing else below its first segment."""
        given = [*content.items, *([content] if content.members else [])]
        entries = [path for entry in given if (path := entry.get("path")) is not None]
        for name in (name for path in (*entries, content) for name in names_in(path, keys=False)):
            self.part.mentions.update({name.value, name.value.rpartition(".")[2]})

    def _condition(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        text = self._unquoted(content.text)
        if text is None or (slot.place == "ROUTE" and is_word("destination", "when", text)):
            return
        reading = read_condition_text(text.value, text.style)
        if slot.place != "ROUTE" or (reading.node is not None and not reading.sentence):  # otherwise ABL926
            self.expression(text, "condition", slot.place, owner)

    def _formula(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        self.expression(content.text, "value", slot.place, owner)

    def _given(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        text = content.text
        may_be_expression = self.yaml or slot.kind == "assigned"
        is_text = text is not None and not (may_be_expression and read_value(text.value).node is not None)
        if text is not None and text.style in _QUOTED and is_text:
            self.template(text, slot.place, owner)
        else:
            self.expression(text, "value", slot.place, owner)
        for below in (*content.members, *content.items):
            self._given(below, slot, owner)

    def _text(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        for text in _texts(content):
            self.template(text, slot.place, owner)

    def _in_quotes(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        for text in _texts(content):
            if text.style in _QUOTED:
                self.template(text, slot.place, owner)
            else:
                self.quoted_in(text, slot.place, owner)

    def quoted_in(self, text: Text, place: str, owner: nodes.Node) -> None:
        """The texts in quotes of an action such as ``RESPOND "..."``."""
        for start, end in _strings(text.value):
            self.template(slice_of(text, start, end), place, owner)

    def _names(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        for name in names_in(content):
            self.read(name, owner)

    def _targets(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        for name in names_in(content):
            self.write(name, _KINDS[slot.place], owner)

    def _cleared(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        names = tuple(names_in(content))
        clear = nodes.Clear(
            span=content.span,
            path=f"{owner.path}.{content.key}",
            block=content.block,
            keyword="CLEAR",
            key_span=content.key_span,
            names=names,
        )
        self.seen(clear)
        self.part.cleared.extend((name, clear) for name in names)

    def _assignments(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        path, block = f"{owner.path}.{content.key}", content.block
        if block is None and content.text is not None:  # one line of a mapping in braces
            block = Block(content.key, content.key_span, content.text, (), content.span, content.span, 0)
        if block is not None:
            for line in self.read_below(read_assignments, block, path):
                self.assignment(line)
            return
        for at, member in enumerate(content.members):
            target = Name(member.key, member.key_span)
            place = f"{path}[{at}]"
            self.assignment(nodes.Assignment(span=member.span, path=place, target=target, value=member.text))

    def assignment(self, assignment: nodes.Assignment) -> None:
        """A line of SET, in map form an expression or a text (docs/spec 06 §5.3)."""
        self.seen(assignment)
        value = assignment.value
        if value is not None and value.style != "bare" and read_value(value.value).error is not None:
            self.template(value, "STRING", assignment)
        else:
            self.expression(value, "value", "SET", assignment)
        self.write(assignment.target, "set", assignment)

    def _incoming(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        """``theirs: ours``; of a list the names are the same."""
        for member in content.members:
            if member.text is not None and PATH.fullmatch(member.word_of()):
                self.write(_named(member.text), "return", owner)
        for name in names_in(content, keys=False):
            self.write(name, "return", owner)

    def _outgoing(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        """``theirs: expression``; of a list the names are the same."""
        for member in content.members:
            self._given(member, slot, owner)
        for name in names_in(content, keys=False):
            self.read(name, owner)

    def _store(self, content: Content, slot: Slot, owner: nodes.Node) -> None:
        """``expression -> path``, or the name of a collection."""
        text = content.text
        at = text.value.rfind("->") if text is not None else -1
        if text is None:
            return
        if at < 0:
            if section_findings.turned_store(text.value.strip()) is not None:
                turned = section_findings.store_without_arrow(text.inner, text.value.strip())
                self.part.findings.append(replace(turned, severity="warning"))
            return
        value, target = slice_of(text, 0, at), slice_of(text, at + 2, len(text.value))
        self.expression(value, "value", "STORE", owner)
        self.part.findings.extend(_store_problems(text, value, target))
        if PATH.fullmatch(target.value):
            self.write(Name(target.value, target.inner), "remember", owner)

    def validated(self, rule: Content, field: str, owner: nodes.Node) -> None:
        """The rule of a field (07 §4): an expression over the field or ``value``. Functions and sentences are none."""
        self.template(rule.text_of("error"), "RETRY_PROMPT", owner)
        kind, given = same_key(rule.word("type")), rule.get("rule")
        text = given.text if given is not None else rule.text
        if text is None or kind not in ("", "custom") or functions(text.value.strip()) is not None:
            return
        reading = read_value(text.value)
        mentioned = any(name.root in (field, "value") for name in reading.names)
        if mentioned or (kind == "custom" and reading.error is not None):
            with self.within(_JUDGED):
                self.expression(text, "value", "VALIDATE", owner)

    def _unquoted(self, text: Text | None) -> Text | None:
        """A condition without the quotes of YAML (01 §9)."""
        if text is None or not self.yaml or text.style not in _QUOTED:
            return text
        return Text(text.value, text.raw, text.inner, text.inner, "bare", text.map)

    # How messages are shown (09 §14) ----------------------------------------------------------------------------

    def presented(self, content: Content, owner: nodes.Node) -> None:
        """The texts and conditions of a format, of elements, of a voice."""
        key = same_key(content.key)
        if key == "when":
            self._condition(content, _WHEN, owner)
            return
        if key in ("id", "submitid") and content.text is not None:
            self.part.mentions.add(content.text.value.strip())  # which handlers name
        source, template = content.get("from"), content.get("template")
        if source is not None and source.text is not None and template is not None:
            self._repeated(content, source.text, template, owner)
            return
        text = content.text
        if text is not None and key in _ARRAYS and text.style == "bare" and PATH.fullmatch(text.value.strip()):
            self.read(_named(text), owner)
        elif text is not None and "{" in text.value:
            self.template(text, "CONTENT", owner)
        with self.within(certain=self.certain and key not in _OF_OTHERS and not key.endswith("rules")):
            for below in (*content.members, *content.items):
                self.presented(below, owner)

    def _repeated(self, content: Content, source: Text, template: Content, owner: nodes.Node) -> None:
        """``{from: path, template: {...}}``: the template also knows the fields of each item."""
        slot = _ONE_SLOT.fullmatch(source.value)
        path = self._unquoted(source) if slot is None else slice_of(source, slot.start(1), slot.end(1))
        self.expression(path, "value", "FROM", owner)
        for member in content.members:
            with self.within(certain=member is not template):
                if same_key(member.key) != "from":
                    self.presented(member, owner)

    _slots: Final[Mapping[str, Callable[[PlaceCollector, Content, Slot, nodes.Node], None]]] = {
        "nothing": _nothing, "opaque": _opaque, "granted": _granted, "condition": _condition, "formula": _formula,
        "given": _given,
        "assigned": _given, "text": _text, "quoted": _in_quotes, "names": _names, "targets": _targets,
        "cleared": _cleared,
        "assignments": _assignments, "incoming": _incoming, "outgoing": _outgoing, "store": _store,
    }  # fmt: skip


_WHEN: Final = Slot("condition", "SHOWN")
_ONE_SLOT: Final = re.compile(r"\s*\{\{\s*([\w.]+)\s*\}\}\s*")
"""A path in the braces of a message, which ``from`` takes as the path (09 §14)."""
_OF_OTHERS: Final = frozenset({"payload"})
"""Data whose fields only the receiver knows. Rules of a survey know the rating and more (09 §14)."""
_JUDGED: Final = ("value",)
_ARRAYS: Final = frozenset(
    {"carousel", "cards", "quickreplies", "items", "columns", "rows", "data", "fields", "options"}
)


def _store_problems(text: Text, value: Text, target: Text) -> Iterator[Finding]:
    """ABL343 and ABL342: an arrow in STORE stands between a value and a path."""
    for side, part in (("value", value), ("target", target)):
        if not part.value:
            yield section_findings.store_side_missing(text.inner, side)
    if target.value and "{{" not in target.value and PATH.fullmatch(target.value) is None:
        doubled = text.value.find("->>")
        better = text.span_of(doubled, doubled + 3) if doubled >= 0 else None
        fix = Fix("Write `->`", (Edit(better, "->"),), preferred=True) if better is not None else None
        yield Finding("ABL342", text.inner, fixes=(fix,) if fix is not None else ())


def _texts(content: Content) -> Iterator[Text]:
    """Every text of it and below it."""
    for each in content.walk():
        if each.text is not None:
            yield each.text


def _strings(text: str) -> Iterator[tuple[int, int]]:
    """Where the strings of a text stand, without their quotes; the first that is not closed ends the search."""
    opening = _OPENING.search(text)
    while opening is not None:
        closing = _CLOSING[opening[0]].match(text, opening.end())
        if closing is None:
            return
        yield opening.end(), closing.end() - 1
        opening = _OPENING.search(text, closing.end())


def _named(text: Text) -> Name:
    """A text that is one name, without blanks."""
    at = len(text.value) - len(text.value.lstrip())
    word = text.value.strip()
    return Name(word, text.span_of(at, at + len(word)))


def names_in(content: Content, *, keys: bool = True) -> Iterator[Name]:
    """The names of a list in any form: ``[a, b]``, ``a, b``, ``a`` or items; with ``keys`` of a map its keys."""
    for member in content.members if keys else ():
        yield Name(member.key, member.key_span)
    for text in content.texts():
        for match in _LISTED.finditer(text.value):
            part = slice_of(text, *match.span())
            if PATH.fullmatch(part.value):
                yield Name(part.value, part.inner)
