"""Where in the language a cursor is, by the lines above it; works on half-written text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from abl.language import PROFILE_SECTIONS, Value, knows, profile_value, section_value, value_at
from abl.source import Source
from abl.syntax import vocabulary

_KEY = re.compile(r"(?P<dash>- +)?(?P<key>[A-Za-z_][\w.]*(?i: BEHAVIOR_PROFILE| INSTRUCTIONS)?)?(?P<rest>.*)")
_CALLED = re.compile(r"(?i)CALL\s*:\s*[\"']?(?P<tool>[A-Za-z_]\w*)")
_HEADER = re.compile(
    r"^(?:(?:AGENT|SUPERVISOR)[ \t]*:|(?P<profile>BEHAVIOR_PROFILE[ \t]*:.*\n(?:[ \t\r]*(?:#.*)?\n)*(?=[^\s#])))",
    re.IGNORECASE | re.MULTILINE,
)
"""Headers of documents; a profile that is nested in an agent is none (docs/spec 01 §1)."""
_FLOW = re.compile(r"^FLOW[ \t]*:", re.IGNORECASE | re.MULTILINE)
_NOTHING = Value()
_LINES_OF_BRACKET = 40
"""Lines above the cursor that are searched for the start of a map or list in brackets."""
_ALWAYS, _NEVER = -1, 1 << 30
"""Columns of keys in braces: what follows is always, or never, nested in them."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line's indentation (columns before its first character), whether it is a list item, its key and its value.

    ``number`` is the 1-based line of a parent, 0 of a text that is read by itself; ``column`` is where the key begins.
    """

    indent: int
    item: bool
    key: str
    has_value: bool
    text: str
    number: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """``block`` names a place of ``abl.language`` ("session", "step" …, empty when unknown); ``parents`` are the
    lines above that the cursor's line is nested in, outermost first; ``item`` says that a new list item starts here.

    ``listed``: maps of the place are items of a list, and none of them is begun here. ``of``: the place and the key
    whose value stands here, where the lines below a key may be words, names or expressions. ``named``: an item begins
    with a name of the author's.
    """

    block: str
    parents: tuple[Line, ...]
    item: bool
    listed: bool = False
    of: tuple[str, str] = ("", "")
    named: bool = False

    @property
    def root(self) -> str:
        """The section that holds the place, canonical, or an empty text."""
        return vocabulary.section_keyword(self.parents[0].key) or "" if self.parents else ""


def read_line(text: str) -> Line:
    """Structure of one line of text."""
    body = text.lstrip(" \t")
    indent = sum(4 - i % 4 if c == "\t" else 1 for i, c in enumerate(text[: len(text) - len(body)]))
    match = _KEY.match(body)
    if match is None:
        return Line(indent, False, "", bool(body), body, column=indent)
    rest = match["rest"]
    key = (match["key"] or "") if rest.lstrip().startswith(":") or (match["dash"] and not rest.strip()) else ""
    value = rest.lstrip().removeprefix(":").strip()
    column = indent + len(match["dash"] or "")
    return Line(indent, bool(match["dash"]) or body.startswith("-"), key, bool(value), body, column=column)


def place_at(source: Source, line: int, indent: int, item: bool) -> Place:
    """The place of a line with that indentation."""
    parents: list[Line] = []
    limit = indent
    for number in range(line - 1, 0, -1):
        text = source.line_text(number)
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        above = read_line(text)
        deeper = above.indent < limit or (above.indent == limit and above.item and not item and limit == indent)
        if deeper and above.indent < max(limit, 1):
            parents.append(replace(above, number=number))
            limit = above.indent
        if limit == 0:
            break
    return _located(source, line, tuple(reversed(parents)), indent, item)


def place_in_braces(source: Source, line: int, before: str) -> tuple[Place, str] | None:
    """The place within a map in braces that is open before a cursor, and the text of its entry; None outside of one.

    ``- {when: a, store: b`` is read as the lines that it stands for.
    """
    line, before = _unclosed(source, line, before)
    heads, entry = _open_braces(before)
    if not heads:
        return None
    here = read_line(before)
    base = place_at(source, line, here.indent, here.item)
    lines = tuple(_brace(head, here.indent, line) for head in heads)
    return _located(source, line, (*base.parents, *lines), here.indent + 1, False), entry


def _unclosed(source: Source, line: int, before: str) -> tuple[int, str]:
    """The lines up to the cursor that may belong to one bracket: those before end with ``,`` or the bracket itself."""
    for number in range(line - 1, max(line - _LINES_OF_BRACKET, 0), -1):
        above = source.line_text(number).rstrip()
        if not above.endswith((",", "{", "[")) or above.lstrip().startswith("#"):
            break
        line, before = number, f"{above} {before.lstrip()}"
    return line, before


def _brace(head: str, indent: int, number: int) -> Line:
    """What precedes a bracket as the line that it is written for; nothing at all is an item of a list."""
    line = read_line(head)
    column = _ALWAYS if line.key else _NEVER
    return replace(line, indent=indent, number=number, item=line.item or not head.strip(), column=column)


def _open_braces(text: str) -> tuple[list[str], str]:
    """What precedes each brace that is open at the end of a text, and what was written of the last entry."""
    stack: list[tuple[str, int, int]] = []  # the bracket, where its entry starts, where it stands
    quote, entry, skip = "", 0, -1
    for at, char in enumerate(text):
        if at <= skip:
            continue
        if quote:
            skip = at + 1 if char == "\\" else skip
            quote = "" if char == quote else quote
        elif char in "\"'" and not text[at - 1 : at].isalnum():
            quote = char
        elif text.startswith("{{", at):
            skip = at + 1
        elif char in "{[":
            stack.append((char, entry, at))
            entry = at + 1
        elif char in "}]" and stack:
            entry = stack.pop()[1]
        elif char == "," and stack:
            entry = at + 1
    while stack and stack[-1][0] == "[":
        entry = stack.pop()[1]
    return [text[start:at] for _, start, at in stack], text[entry:]


def lines_below(source: Source, parent: Line) -> Iterator[Line]:
    """The lines that are nested in a parent, the parent first when it is an item: it holds the first key itself."""
    if parent.item:
        yield replace(read_line(parent.text[1:].lstrip()), number=parent.number)
    for number in range(parent.number + 1, source.line_count + 1):
        text = source.line_text(number)
        if not text.strip():
            continue
        line = read_line(text)
        if line.indent <= parent.indent:
            return
        yield replace(line, number=number)


def called_tool(source: Source, with_: Line) -> str:
    """The tool whose arguments a WITH holds: the CALL around it or the nearest before it; empty when there is none."""
    for number in range(with_.number, 0, -1):
        line = read_line(source.line_text(number))
        if line.key.upper() == "CALL" and line.indent <= with_.indent:
            match = _CALLED.search(line.text)
            return match["tool"] if match is not None else ""
        if line.text and line.indent < with_.indent and not line.item:
            return ""
    return ""


# The place by the table -------------------------------------------------------------------------------------------


def _located(source: Source, line: int, parents: tuple[Line, ...], indent: int, item: bool) -> Place:
    """The place below these lines, for a line with that number and indentation."""
    if not parents:
        return Place("profile" if _in_profile(source, line) else "agent", parents, item)
    value, of = _root(source, parents[0], indent if len(parents) == 1 else parents[1].indent)
    for number, above in enumerate(parents[1:], 1):
        deeper = parents[number + 1].indent if number + 1 < len(parents) else indent
        value, of = _entry(value, above, deeper) if above.item else _below(value, above.key)
    named = value.kinds or value.words
    lists = (*value.lists, *value.named_lists)
    if item:
        begun = bool(value.named_lists) and not value.lists
        return Place(lists[0] if lists else "", parents, item, of=of if named else ("", ""), named=begun)
    block = value.maps[0] if value.maps else lists[0] if lists else ""
    return Place(block, parents, item, bool(lists and not value.maps), of if named else ("", ""))


def _root(source: Source, line: Line, deeper: int) -> tuple[Value, tuple[str, str]]:
    """What is below a line that is nested in no other: a section, a directive or a rule of a fragment, a step."""
    section = vocabulary.section_keyword(line.key) or line.key.upper()
    of_profile = section in PROFILE_SECTIONS and _in_profile(source, line.number)
    below = profile_value(section) if of_profile else section_value(section)
    if any(below):
        return below, (section, "")
    if line.item:
        return _entry(Value(lists=("rule",)), line, deeper)
    if line.key.upper() in vocabulary.STEP_DIRECTIVES:
        return value_at("step", line.key), ("step", line.key)
    starts = source.line_starts[line.number - 1] if line.number else 0
    known = section in vocabulary.SECTIONS or not line.key
    return (_NOTHING if known or not _FLOW.search(source.text, 0, starts) else Value(maps=("step",))), ("", "")


def _in_profile(source: Source, line: int) -> bool:
    """True below the header of a profile document."""
    end = source.line_starts[line - 1]
    headers = [match for match in _HEADER.finditer(source.text) if match.start() < end]
    return bool(headers) and headers[-1]["profile"] is not None


def _entry(value: Value, line: Line, deeper: int) -> tuple[Value, tuple[str, str]]:
    """What follows the dash of a list item: more of its keys, or what is nested in its first."""
    if value.lists and line.key and deeper > line.column:
        return value_at(value.lists[0], line.key), (value.lists[0], line.key)
    lists = (*value.lists, *value.named_lists)
    return (Value(maps=lists[:1]), (lists[0], "")) if lists else (_NOTHING, ("", ""))


def _below(value: Value, key: str) -> tuple[Value, tuple[str, str]]:
    """What is below a key of a map; of several maps that of the one that lists the key."""
    for place in value.maps:
        if knows(place, key):
            return value_at(place, key), (place, key)
    if value.named_maps:
        return Value(maps=value.named_maps[:1]), (value.named_maps[0], "")
    return (value_at(value.maps[0], key), (value.maps[0], key)) if value.maps else (_NOTHING, ("", ""))
