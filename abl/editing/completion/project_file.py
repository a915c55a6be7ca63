"""Completion and hover in ``project.yaml``, from its declaration (docs/spec 12 §3.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from abl.analysis.index.project import Index, index_of
from abl.editing.completion.cursor import Item
from abl.language.project_file import Entry, ValueType, described, value_type_at
from abl.source import Source, Span
from abl.syntax import vocabulary

_LINE: Final = re.compile(
    r"(?P<indent> *)(?P<dashes>(?:-(?: +|$))*)(?:(?P<key>[\w.-]+|\"[^\"]*\"|'[^']*')\s*:(?=\s|$))?"
)
_TYPED: Final = re.compile(r"[A-Za-z_@][\w.]*$")
_LANGUAGES: Final = ("en", "de", "es", "fr", "it", "pt")
_MOST_LINES: Final = 10_000
"""Lines above a cursor that are looked at."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a cursor stands: the keys above it (``-`` for an item), the key whose value it is in, if any, and the keys
    that its mapping has already."""

    path: tuple[str, ...]
    key: str
    given: frozenset[str]
    dash: bool = False
    flow: bool = False

    @property
    def value_type(self) -> ValueType | None:
        """What may stand here."""
        return value_type_at((*self.path, self.key) if self.key else self.path)


# Completion ---------------------------------------------------------------------------------------------------------


def complete_project_file(files: Mapping[str, str], path: str, line: int, column: int) -> Iterator[Item]:
    """What may stand at a 1-based position, best first."""
    source = Source(files[path], path)
    offset = source.offset(line, column)
    number = source.position(offset).line
    before = source.text[source.line_starts[number - 1] : offset]
    if before.lstrip().startswith("#"):
        return
    place = _place(source, number, before)
    value_type = place.value_type
    if value_type is None:
        return
    typed = _TYPED.search(before)
    word = typed.group().casefold() if typed is not None else ""
    index = index_of(files)
    offers = list(_values(value_type, index) if place.key else _keys(place, value_type, index))
    yield from (item for item in offers if item.label.casefold().startswith(word))
    inside = (item for item in offers if len(word) > 1 and word in item.label.casefold())
    yield from (item for item in inside if not item.label.casefold().startswith(word))


def _keys(place: _Place, value_type: ValueType, index: Index) -> Iterator[Item]:
    dash = ""
    if value_type.kind == "list" and value_type.item is not None:
        value_type, dash = value_type.item, "- "
    if value_type.kind == "map":
        named = _named(value_type.names, index) if value_type.names else ()
        yield from (Item(n, kind, about, f"{dash}{n}:") for n, kind, about in named if n not in place.given)
    free = [entry for entry in value_type.keys if entry.name not in place.given]
    chosen = {key for group in value_type.needs for key in group if place.given & set(group)}
    needed = {key for group in value_type.needs for key in group if not place.given & set(group)}
    for entry in sorted(free, key=lambda entry: not (entry.required or entry.name in needed)):
        if entry.name not in chosen and entry.name != "settings":
            blank = "" if entry.value_type.kind in ("keys", "map", "list") and not place.flow else " "
            yield Item(entry.name, "key", described(entry), f"{dash}{entry.name}:{blank}")


def _values(value_type: ValueType, index: Index) -> Iterator[Item]:
    match value_type.kind:
        case "word":
            yield from (Item(word, "value", meaning, word) for word, meaning in value_type.words)
        case "flag":
            yield from (Item(word, "value", "boolean", word) for word in vocabulary.BOOLEANS)
        case "text":
            yield from (Item(name, kind, about, name) for name, kind, about in _named(value_type.names, index))


def _named(kind: str, index: Index) -> Iterator[tuple[str, str, str]]:
    """Names of a kind, with the kind of their offers and what they are."""
    if kind == "agent":
        yield from ((name, "agent", "agent") for name in index.agents)
    elif kind in ("tool", "called"):
        names = index.shared_tools.union(*[agent.tools for agent in index.each()])
        yield from ((name, "tool", "tool") for name in sorted(names))
    elif kind == "language":
        yield from ((tag, "value", "language") for tag in _LANGUAGES)
    elif kind == "moment":
        yield ("2026-03-01T09:00:00Z", "value", "the clock of scenarios without one")


# Hover --------------------------------------------------------------------------------------------------------------


def hover_project_file(files: Mapping[str, str], path: str, line: int, column: int) -> dict[str, Any] | None:
    """``{range, title, text}`` of the key or the word at a 1-based position; None where there is nothing to say."""
    source = Source(files[path], path)
    offset = source.offset(line, column)
    number = source.position(offset).line
    start, text = source.line_starts[number - 1], source.line_text(number)
    at = offset - start
    if text.lstrip().startswith("#"):
        return None
    word = next((m for m in re.finditer(r"[\w.-]+", text) if m.start() <= at <= m.end()), None)
    if word is None:
        return None
    place = _place(source, number, text[: word.start()])
    value_type = place.value_type
    span = source.range(Span(start + word.start(), start + word.end())).as_dict()
    about = _about(word.group(), place, value_type, text[word.end() :])
    return {"range": span, "title": about[0], "text": about[1]} if about is not None else None


def _about(word: str, place: _Place, value_type: ValueType | None, behind: str) -> tuple[str, str] | None:
    if value_type is None:
        return None
    if value_type.kind == "list" and value_type.item is not None:
        value_type = value_type.item
    entry = value_type.entry(word) if not place.key and behind.lstrip("\"'").lstrip().startswith(":") else None
    if entry is not None:
        return ".".join([*(step for step in place.path if step != "-"), word]), _text_of(entry)
    meaning = dict(value_type.words).get(word) if place.key else None
    return (word, meaning) if meaning else None


def _text_of(entry: Entry) -> str:
    lines = [entry.meaning, f"value: {entry.value_type.right}"]
    return "\n".join([*lines, f"default: {entry.default}"] if entry.default else lines)


# Where the cursor stands --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Frame:
    """A key or a dash (``-``) that later lines may be nested in, its column, and the keys right below it."""

    step: str
    column: int
    keys: set[str] = field(default_factory=set)


def _place(source: Source, number: int, before: str) -> _Place:
    """The keys above a cursor, told from the lines and the braces before it; works on half-written text."""
    frames = [_Frame("", -1)]
    for above in range(max(number - _MOST_LINES, 1), number):
        _take(frames, source.line_text(above))
    head, open_ = _braces(before)
    key = _take(frames, head)
    if open_:
        return _in_braces([frame.step for frame in frames[1:]], open_)
    dash = head.lstrip().startswith("-")
    if key:  # behind the colon
        return _Place(tuple(frame.step for frame in frames[1:-1]), key, frozenset(), dash)
    column = len(_TYPED.sub("", before))
    _close(frames, column)
    given = frames[-1].keys | _below(source, number, column)
    return _Place(tuple(frame.step for frame in frames[1:]), "", frozenset(given), dash)


def _take(frames: list[_Frame], text: str) -> str:
    """Open what a line begins; its key."""
    match = _LINE.match(text)
    if match is None or not (match["dashes"] or match["key"]):
        return ""
    column = len(match["indent"])
    for dash in re.finditer("-", match["dashes"]):
        _close(frames, column + dash.start(), dash=True)
        frames.append(_Frame("-", column + dash.start()))
    key = (match["key"] or "").strip("\"'")
    if key:
        column += len(match["dashes"])
        _close(frames, column)
        frames[-1].keys.add(key)
        frames.append(_Frame(key, column))
    return key


def _close(frames: list[_Frame], column: int, dash: bool = False) -> None:
    """Leave what a dash or a key in that column is not nested in; a list may stand in the column of its key."""
    while frames[-1].column > column or (frames[-1].column == column and not (dash and frames[-1].step != "-")):
        frames.pop()


def _below(source: Source, number: int, column: int) -> set[str]:
    """The keys in that column in the lines behind the cursor's, up to the end of its mapping."""
    found: set[str] = set()
    for below in range(number + 1, min(source.line_count, number + _MOST_LINES) + 1):
        match = _LINE.match(source.line_text(below))
        if match is None or not (match["dashes"] or match["key"]):
            continue
        at = len(match["indent"])
        if at < column:
            break
        if at == column and match["key"] and not match["dashes"]:
            found.add(match["key"].strip("\"'"))
    return found


def _braces(before: str) -> tuple[str, list[tuple[str, str]]]:
    """What stands before the first open bracket of a line, and the open brackets with what is written in each."""
    stack: list[tuple[str, str]] = []
    head, quote = "", ""
    for char in before:
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "{[":
            stack.append((char, ""))
            continue
        elif char in "}]" and stack:
            stack.pop()
            continue
        if stack:
            stack[-1] = (stack[-1][0], stack[-1][1] + char)
        else:
            head += char
    return head, stack


def _in_braces(steps: list[str], open_: list[tuple[str, str]]) -> _Place:
    """The place behind brackets that are open; in a list of values it is no place."""
    for bracket, text in open_[:-1]:
        steps.append("-" if bracket == "[" else _key_of(text.rsplit(",", 1)[-1]))
    bracket, text = open_[-1]
    if bracket == "[":
        return _Place((*steps, "-", ""), "", frozenset())
    *others, last = text.split(",")
    key = _key_of(last) if ":" in last else ""
    return _Place(tuple(steps), key, frozenset(map(_key_of, others)), True, flow=True)


def _key_of(text: str) -> str:
    return text.partition(":")[0].strip().strip("\"'")
