"""One root cause, one diagnostic: what follows from a misspelt word is not told beside it (docs/spec 05 §1).

A cause is a finding with a "Did you mean": of a key or section (the word that stands there is a key), or of a value;
and a key that is left empty.
Which findings rest on which words is declared in ``abl.analysis.resting``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from operator import attrgetter, itemgetter
from typing import Final

from abl.analysis import resting
from abl.analysis.registry import RULES
from abl.diagnostics import Finding
from abl.source import Span
from abl.syntax.nodes import Block, Document

_WORD: Final = re.compile(r"\w+")
_PATH: Final = re.compile(r"[^\W\d][\w.]*")
_QUOTED: Final = re.compile(r"`([^`]+)`")
_KEY_ENDS: Final = re.compile(r"[\"']?[ \t]*:(?:\s|$)")
_KEY_BEFORE: Final = re.compile(r"(\w+)[\"']?[ \t]*:[ \t]*[\"'\[{]?$")
_VALUE_ENDS: Final = re.compile(r"[\"']?[ \t]*(?:[,}\]#]|$)", re.MULTILINE)
_ENTRY: Final = re.compile(r"(?:-[ \t]+)?([^\W\d]\w*)")
_SCOPES: Final = frozenset(["user", "project", "workflow", "execution_tree", "session"])
_EMPTY: Final = "ABL116"
_LONG_ENOUGH: Final = 3
"""Letters of a name: one or two are near to anything."""
_START: Final = attrgetter("span.start")
_SECTIONS: Final = frozenset({"ABL103", "ABL127"})
_FROM_KEYS: Final = resting.KEYS.keys() | resting.INSIDE.keys() | resting.WALKS.keys() | resting.ANYWHERE.keys()
_RESTING: Final = _FROM_KEYS | resting.NAMES.keys() | resting.UNUSED | resting.CONTENT | {"ABL101"}


def consequences(document: Document, findings: Sequence[Finding], told: Iterable[Finding]) -> set[int]:
    """The places in ``findings`` of those that follow from one of those ``told``, which says what is to be mended.

    An error follows from errors only: what cannot be trusted stays so.
    """
    causes = [one for one in told if "y" in one.data or one.code in resting.VALUES or one.code == _EMPTY]
    if not causes:
        return set()
    following = [(at, one) for at, one in enumerate(findings) if one.code in _RESTING]
    if not following:
        return set()
    known = _Causes(document, causes)
    errors = [one for one in causes if _is_error(one)]
    of_errors = known if len(errors) == len(causes) else _Causes(document, errors)
    return {at for at, finding in following if (of_errors if _is_error(finding) else known).tell(finding)}


def _is_error(finding: Finding) -> bool:
    return (finding.severity or RULES[finding.code].severity) == "error"


class _Causes:
    """The misspelt words of a document, and what each of them leaves open."""

    def __init__(self, document: Document, findings: Iterable[Finding]) -> None:
        self.blocks = document.blocks
        self.section = False
        self.sections: set[str] = set()
        self.anywhere: set[str] = set()
        self.of_field: dict[str, set[str]] = {}
        self.passages: list[Span] = []
        self.of_entry: dict[Span, set[str]] = {}
        self.within: dict[Span, set[str]] = {}
        self.named: dict[str, set[tuple[Span, str]]] = {}
        self.meant: dict[str, set[Span]] = {}
        text = document.source.text
        for finding in findings:
            if finding.code == _EMPTY:
                self._left_empty(finding)
            elif _KEY_ENDS.match(text, finding.span.end):
                self._key(text, finding)
            elif finding.code in resting.VALUES:
                self._value(text, finding)
            meant = str(finding.data.get("y") or "")
            if len(meant) >= _LONG_ENOUGH:
                self.meant.setdefault(meant, set()).add(finding.span)
        self.passages.sort()

    def _key(self, text: str, finding: Finding) -> None:
        word = str(finding.data.get("y") or "").casefold()
        if not word:
            return
        around = _around(self.blocks, finding.span.start)
        if finding.code in _SECTIONS:
            self.section = True
        block = around[-1] if around else None
        passage = finding.span
        if block is not None:
            begins = block.key_span.start == finding.span.start
            passage = block.span if begins else Span(finding.span.start, block.span.end)
            if begins and not block.item:
                around.pop()
        self._rest(around, word)
        if finding.code not in resting.KEYWORDS:
            return
        self.passages.append(Span(finding.span.start, passage.end))
        if word in resting.GIVES and around and (entry := _ENTRY.match(text, around[-1].span.start)):
            self.named.setdefault(entry[1], set()).add((finding.span, word))
        meant = resting.SECTION if finding.code in _SECTIONS else word
        for name in _PATH.findall(text, finding.span.end, passage.end):
            self.named.setdefault(name, set()).add((passage, meant))

    def _left_empty(self, finding: Finding) -> None:
        """A key without a value is told; that its entry needs it is not told as well."""
        around = _around(self.blocks, finding.span.start)
        if around and around[-1].key_span.start == finding.span.start and not around[-1].item:
            around.pop()
        if around:
            self.of_entry.setdefault(around[-1].span, set()).add(str(finding.data.get("x", "")).casefold())

    def _value(self, text: str, finding: Finding) -> None:
        line = text.rfind("\n", 0, finding.span.start) + 1
        before = _KEY_BEFORE.search(text, line, finding.span.start)
        if before is None or not _VALUE_ENDS.match(text, finding.span.end):
            return
        around = _around(self.blocks, finding.span.start)
        if around and around[-1].key_span.start == before.start(1) and not around[-1].item:
            around.pop()
        self._rest(around, before[1].casefold())

    def _rest(self, around: Sequence[Block], word: str) -> None:
        self.anywhere.add(word)
        if around:
            self.of_field.setdefault(around[-1].key, set()).add(word)
            self.of_entry.setdefault(around[-1].span, set()).add(word)
            for block in around:
                self.within.setdefault(block.span, set()).add(word)
        else:
            self.sections.add(word)

    def tell(self, finding: Finding) -> bool:
        """True for a finding that rests on one of the words."""
        code = finding.code
        if code == "ABL101":  # which document it is, its sections say
            return self.section
        if code in resting.CONTENT and not finding.data.get("y"):
            at = bisect_right(self.passages, finding.span.start, key=_first) - 1
            return at >= 0 and finding.span.start < self.passages[at].end
        if code in resting.UNUSED and self._is_meant(finding):
            return True
        is_cause = finding.data.get("y") or code in resting.VALUES
        if code in _FROM_KEYS and not is_cause and self._rests_on_a_key(finding):
            return True
        return code in resting.NAMES and bool(self.named) and self._is_named_elsewhere(finding)

    def _is_named_elsewhere(self, finding: Finding) -> bool:
        """True where a key that may be meant to give the name holds it; what is told within speaks for itself."""
        at, words = finding.span.start, resting.NAMES[finding.code]
        passages = (each for name in _names(finding) for each in self.named.get(name, ()))
        return any(
            (words is None or word in words) and not passage.start <= at < passage.end for passage, word in passages
        )

    def _is_meant(self, finding: Finding) -> bool:
        return any(self.meant.get(name, set()) - {finding.span} for name in _names(finding))

    def _rests_on_a_key(self, finding: Finding) -> bool:
        code = finding.code
        words = _needed(finding) if code in resting.KEYS else frozenset()
        if not words.isdisjoint(self.sections) or _meet(resting.ANYWHERE.get(code, _NONE), self.anywhere):
            return True
        around = _around(self.blocks, finding.span.start)
        if any(_meet(words, self.of_entry.get(block.span)) for block in around[-3:]):
            return True
        # Of one field several sections may tell something.
        if code.startswith("ABL7") and any(_meet(words, self.of_field.get(block.key)) for block in around[-3:]):
            return True
        own = next((block for block in reversed(around) if block.children), None)
        if code in resting.INSIDE and own is not None and _meet(resting.INSIDE[code], self.within.get(own.span)):
            return True
        walked = code in resting.WALKS and around and around[0].key.casefold() == "flow"
        return bool(walked) and _meet(resting.WALKS[code], self.within.get(around[0].span))


_NONE: Final[frozenset[str]] = frozenset()
_first: Final = itemgetter(0)


def _meet(words: frozenset[str], others: set[str] | None) -> bool:
    return bool(others) and (resting.ANY in words or not words.isdisjoint(others or ()))


def _needed(finding: Finding) -> frozenset[str]:
    """The keys that a finding rests on, with those that its own words name."""
    needed = resting.KEYS[finding.code]
    named = [word[1:-1] for word in needed if word[0] == "{"]
    said = " ".join(_message(finding) if name == "message" else str(finding.data.get(name, "")) for name in named)
    return needed | {word.casefold() for word in _WORD.findall(said)} if said else needed


def _names(finding: Finding) -> list[str]:
    """The names that a finding is about."""
    names = [name for quoted in _QUOTED.findall(_message(finding)) for name in _PATH.findall(quoted)]
    roots = (name.partition(".")[0] for name in names if "." in name)
    return [*names, *(root for root in roots if root not in _SCOPES)]


def _message(finding: Finding) -> str:
    return RULES[finding.code].words({**finding.data, "y": ""})


def _around(blocks: Iterable[Block], offset: int) -> list[Block]:
    """The blocks that hold an offset, outermost first."""
    found: list[Block] = []
    row = tuple(blocks)
    while row:
        at = bisect_right(row, offset, key=_START) - 1
        if at < 0 or row[at].span.end < offset:
            break
        found.append(row[at])
        row = row[at].children
    return found
