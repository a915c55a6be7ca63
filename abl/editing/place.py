"""Where in the language a cursor stands, told from the lines above it; works on half-written text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from abl.source import Source
from abl.syntax import vocabulary

_KEY = re.compile(r"(?P<dash>- +)?(?P<key>[A-Za-z_][\w.]*(?: BEHAVIOR_PROFILE)?)?(?P<rest>.*)")
_CALLED = re.compile(r"(?i)CALL\s*:\s*[\"']?(?P<tool>[A-Za-z_]\w*)")
_ENTRY_PLACES = {"SESSION": "session", "PERSISTENT": "persistent", "REMEMBER": "remember", "RECALL": "recall"}
_BRANCH_LISTS = frozenset({"ON_INPUT", "ON_RESULT", "ON_SUCCESS", "ON_FAILURE", "BRANCHES"})
_INNER = {
    "ON_FAIL": "on_fail", "STORE": "store", "TRANSFORM": "transform", "LOG": "log",
    "DIGRESSIONS": "digression", "GLOBAL_DIGRESSIONS": "digression", "SUB_INTENTS": "sub_intent", "WITH": "with",
    "SET": "set", "MAP": "map", "CALL_WITH": "with", "RETURNS": "returned", "CONTEXT": "context", "INPUT": "input",
    "MEMORY_GRANTS": "grant",
}  # fmt: skip
_OPENERS = frozenset(_INNER) | _BRANCH_LISTS | frozenset(_ENTRY_PLACES) | {"ON_ERROR", "ON_RETURN", "GATHER"}
"""Keys below which a map of the language may stand; what others hold is a value."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line's indentation (columns before its first character), whether it is a list item, its key and its value.

    ``number`` is the 1-based line of a parent, 0 of a text that is read by itself.
    """

    indent: int
    item: bool
    key: str
    has_value: bool
    text: str
    number: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """``block`` names a place of the vocabulary ("session", "step" …, empty when unknown); ``parents`` are the lines
    above that the cursor's line is nested in, outermost first; ``item`` says that a new list item starts here."""

    block: str
    parents: tuple[Line, ...]
    item: bool

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
        return Line(indent, False, "", bool(body), body)
    rest = match["rest"]
    key = (match["key"] or "") if rest.lstrip().startswith(":") or (match["dash"] and not rest.strip()) else ""
    value = rest.lstrip().removeprefix(":").strip()
    return Line(indent, bool(match["dash"]) or body.startswith("-"), key, bool(value), body)


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
    chain = tuple(reversed(parents))
    return Place(_block_of(chain, item), chain, item)


def place_in_braces(source: Source, line: int, before: str) -> tuple[Place, str] | None:
    """The place within a map in braces that is open before a cursor, and the text of its entry; None outside of one.

    ``- {when: a, store: b`` is read as the lines that it stands for.
    """
    heads, entry = _open_braces(before)
    if not heads:
        return None
    here = read_line(before)
    base = place_at(source, line, here.indent, here.item)
    lines = tuple(replace(read_line(head), indent=here.indent + n, number=line) for n, head in enumerate(heads))
    parents = (*base.parents, *lines)
    key = lines[-1].key.upper()
    known = key in _OPENERS if key else lines[-1].item
    return Place(_block_of(parents, False) if known or not base.parents else "", parents, False), entry


def _open_braces(text: str) -> tuple[list[str], str]:
    """What stands before each brace that is open at the end of a text, and what was written of the last entry."""
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
    return [text[start:at] for bracket, start, at in stack if bracket == "{"], text[entry:]


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


def _block_of(parents: tuple[Line, ...], item: bool) -> str:
    if not parents:
        return "agent"
    root = vocabulary.section_keyword(parents[0].key)
    inner = parents[1:]
    match root:
        case "MEMORY":
            return _memory(inner, item)
        case "CONSTRAINTS":
            return _constraints(inner, item)
        case "FLOW":
            return _flow(inner, item)
        case "GATHER":
            return "field" if inner else "gather"
        case "TOOLS":
            return "tool" if inner else ""
        case "HANDOFF" | "COMPLETE" | "IDENTITY" | "ON_START" | "DELEGATE" | "BEHAVIOR":
            return _step(inner, item, root.lower())
        case "ON_ERROR":
            return _step(parents, item)
        case "HOOKS":
            return _step(inner[1:], item, "hook") if inner else "hooks"
    return _step(parents, item) if parents[0].key.upper() in vocabulary.STEP_DIRECTIVES else ""


def _memory(inner: tuple[Line, ...], item: bool) -> str:
    if not inner:
        return "memory"
    block = _ENTRY_PLACES.get(inner[0].key.upper(), "")
    return "store" if block == "remember" and inner[-1].key.upper() == "STORE" else block


def _constraints(inner: tuple[Line, ...], item: bool) -> str:
    if inner and inner[-1].key.upper() == "ON_FAIL":
        return "on_fail"
    if any(line.item for line in inner):
        return "rule"
    return "rules"


def _flow(inner: tuple[Line, ...], item: bool) -> str:
    if not inner:
        return "flow"
    if inner[0].key.upper() == "GLOBAL_DIGRESSIONS":
        return "digression"
    return "" if inner[0].key.upper() == "STEPS" else _step(inner[1:], item)


def _step(inner: tuple[Line, ...], item: bool, otherwise: str = "step") -> str:
    """The block within a step (or a list of directives), by the nearest key that opens one."""
    keys = [line.key.upper() for line in inner]
    for number in range(len(keys) - 1, -1, -1):
        key, nearest = keys[number], number == len(keys) - 1
        if key in _BRANCH_LISTS and not (otherwise == "handoff" and key == "ON_FAILURE"):
            return "branch"
        if key == "GATHER":
            return "field"
        if key == "ON_ERROR":
            return "on_error" if nearest and not item else "error_handler"
        if key == "ON_RETURN":
            return "on_return"
        if key == "MAP" and "ON_RETURN" in keys[:number]:
            return "returned"
        if key in _INNER:
            return _INNER[key]
    return otherwise
