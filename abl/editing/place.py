"""Where in the language a cursor stands, told from the lines above it; works on half-written text."""

from __future__ import annotations

import re
from dataclasses import dataclass

from abl.source import Source
from abl.syntax import vocabulary

_KEY = re.compile(r"(?P<dash>- +)?(?P<key>[A-Za-z_][\w.]*(?: BEHAVIOR_PROFILE)?)?(?P<rest>.*)")
_ENTRY_PLACES = {"SESSION": "session", "PERSISTENT": "persistent", "REMEMBER": "remember", "RECALL": "recall"}
_BRANCH_LISTS = frozenset({"ON_INPUT", "ON_RESULT", "ON_SUCCESS", "ON_FAILURE"})
_INNER = {
    "ON_FAIL": "on_fail", "STORE": "store", "TRANSFORM": "transform", "LOG": "log",
    "DIGRESSIONS": "digression", "GLOBAL_DIGRESSIONS": "digression", "SUB_INTENTS": "sub_intent", "WITH": "with",
    "SET": "set", "MAP": "map",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """A line's indentation (columns before its first character), whether it is a list item, its key and its value."""

    indent: int
    item: bool
    key: str
    has_value: bool
    text: str


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
            parents.append(above)
            limit = above.indent
        if limit == 0:
            break
    chain = tuple(reversed(parents))
    return Place(_block_of(chain, item), chain, item)


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
        case "HANDOFF" | "COMPLETE" | "IDENTITY" | "ON_START":
            return root.lower()
        case "HOOKS":
            return "hook" if inner else "hooks"
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


def _step(inner: tuple[Line, ...], item: bool) -> str:
    """The block within a step (or a list of directives), by the nearest key that opens one."""
    for line in reversed(inner):
        key = line.key.upper()
        if key in _BRANCH_LISTS:
            return "branch"
        if key == "GATHER":
            return "field"
        if key in _INNER:
            return _INNER[key]
    return "step"
