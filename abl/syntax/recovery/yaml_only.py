"""YAML features that have no meaning in the YAML form of ABL: tags, anchors, aliases, merge keys (docs/spec 01 §2, §9).

Each is reported at its place (ABL125). Tags, anchors and merge keys are then left out, so that the text around them is
read as if they were not there; an alias stays, because its meaning is unknown.
"""

from __future__ import annotations

import re
from typing import Final

from abl.diagnostics import Edit, Finding, Fix
from abl.source import Span
from abl.syntax.lines.scanner import Line, scan_line
from abl.syntax.readers.context import Context
from abl.syntax.recovery import findings

_BEGINS: Final = frozenset("&!*<")
_PROPERTIES: Final = re.compile(r"(?:(?:&\S+|!\S*)(?:[ \t]+|$))+")
_PROPERTY: Final = re.compile(r"[&!]\S*")
_ALIAS: Final = re.compile(r"\*[^\s,\[\]{}]+")
_MERGE: Final = re.compile(r"<<[ \t]*:(?=[ \t]|$)")
_QUOTED: Final = r"""(?:"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z))"""
_IN_FLOW: Final = re.compile(_QUOTED + r"|(?:[\[{,]|(?<=[\w\"'-]):(?=\s))\s*(?=[&!*<])")
_FLOW_PROPERTY: Final = re.compile(r"[&!][^\s,\[\]{}]*\s*")
_FLOW_REST: Final = re.compile(r"[^,\[\]{}]*")
_FLOW_MERGE: Final = re.compile(r"<<\s*:\s+(?:\[[^\]]*\]|[^,\[\]{}]*)(,\s*)?")
_KEY: Final = re.compile(r":(?:\s|$)")
_PLAIN: Final = re.compile(r"[^\s&*!|>\[{\"'#][^#]*+|\"[^\"\\]*\"|'[^'\\]*'|[\[{][^&*!]*[\]}]")
"""A value on one line that may be in the place of an alias."""


class YamlOnly:
    """Finds these features in the lines of one text."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.anchors: dict[str, str] = {}  # what each anchor stands for, where that is a value on its line
        self.blanked: list[Span] = []  # what is to be read as blanks, in no order

    def line(self, line: Line, raw: str, base: int) -> Line | None:
        """A line as it reads without its tags and anchors; None where nothing is left, or a merge key is no entry."""
        if not line.colon and line.content < line.end and raw[line.content] in _BEGINS:
            if _MERGE.match(raw, line.content) is not None:
                self._report(_merge(Span(base + line.content, base + line.end)))
                return line._replace(key="", key_end=0, colon=False, value=line.end, opens="") if line.item else None
            line, raw = self._without(line, raw, base, line.content)
            if not line.end:
                return None
        if line.value < line.end and raw[line.value] in _BEGINS and (line.colon or line.item):
            line, raw = self._without(line, raw, base, line.value)
            end = line.trailer if line.trailer >= 0 else line.end
            if _ALIAS.match(raw, line.value, end) is not None:
                span = Span(base + line.value, base + len(raw[:end].rstrip()))
                self._report(_alias(self.ctx, span, self.anchors))
        return line

    def _without(self, line: Line, raw: str, base: int, at: int) -> tuple[Line, str]:
        """A line without the tags and anchors at an offset; its structure stays where it was."""
        match = _PROPERTIES.match(raw, at, line.end)
        if match is None:
            return line, raw
        end = line.trailer if line.trailer >= 0 else line.end
        rest = raw[match.end() : end].strip()
        for word in _PROPERTY.finditer(raw, at, match.end()):
            self._report(_property(word[0], base + word.start(), base + match.end(), base + end, rest))
            if word[0][0] == "&" and _PLAIN.fullmatch(rest) is not None:
                self.anchors[word[0][1:]] = rest
        self.blanked.append(Span(base + at, base + match.end()))
        raw = f"{raw[:at]}{' ' * (match.end() - at)}{raw[match.end() :]}"
        clear = scan_line(raw)
        clear = clear._replace(kind=line.kind, indent=line.indent, column=line.column)
        return clear._replace(key_column=line.key_column, tabs=line.tabs), raw

    def flow(self, text: str, base: int) -> None:
        """The same within brackets; ``text`` stands at ``base``."""
        at = 0
        while (found := _IN_FLOW.search(text, at)) is not None:
            at = found.end()
            if text[found.start()] not in "\"'":
                at = self._in_flow(text, at, base)

    def _in_flow(self, text: str, at: int, base: int) -> int:
        """What begins at an offset within brackets; returns where to continue."""
        merge = _FLOW_MERGE.match(text, at)
        if merge is not None:
            end = merge.start(1) if merge[1] else merge.end()
            self._report(_merge(Span(base + at, base + at + len(text[at:end].rstrip()))))
            self.blanked.append(Span(base + at, base + merge.end()))
            return end
        while (match := _FLOW_PROPERTY.match(text, at)) is not None:
            word, behind = match[0].rstrip(), match.end()
            rest = _FLOW_REST.match(text, behind)
            end = rest.end() if rest is not None else behind
            self._report(_property(word, base + at, base + behind, base + end, text[behind:end].strip()))
            self.blanked.append(Span(base + at, base + behind))
            at = behind
        if _ALIAS.match(text, at) is not None and (rest := _FLOW_REST.match(text, at)) is not None:
            self._report(_alias(self.ctx, Span(base + at, base + at + len(rest[0].rstrip())), self.anchors))
            at = rest.end()
        return at

    def _report(self, finding: Finding) -> None:
        self.ctx.report(finding)


def may_hold(text: str) -> bool:
    """False for a text that is not in brackets, and for brackets that hold nothing of this."""
    if text[0] not in "[{":
        return False
    return "&" in text or "*" in text or "!" in text or "<<" in text


def _property(word: str, start: int, behind: int, end: int, rest: str) -> Finding:
    """A tag or anchor; ``behind`` is where what it stands at begins, ``end`` where that ends."""
    span = Span(start, start + len(word))
    fixes = [Fix(f"Remove `{word}`", (Edit(Span(start, behind), ""),))]
    if word[0] == "!" and word[1:2] != "!" and not rest:
        fixes = []  # `!verified` is all that there is: without it nothing would be left
    if word[0] == "!" and not word.startswith("!!") and rest[:1] not in tuple("\"'[{|>") and not _KEY.search(rest):
        fixes.append(_quoted(start, max(end, span.end), f"{word}{rest}"))
    what = "An anchor" if word[0] == "&" else "A tag"
    return findings.yaml_only(span, f"{what} of YAML has no meaning here: `{findings.cut(word)}`", word, tuple(fixes))


def _alias(ctx: Context, span: Span, anchors: dict[str, str]) -> Finding:
    text = ctx.text[slice(*span)]
    known = anchors.get(text[1:])
    fix = Fix(f"Write `{findings.cut(known)}`", (Edit(span, known),), preferred=True) if known is not None else None
    if fix is None and " " in text and not _KEY.search(text):
        fix = _quoted(span.start, span.end, text)
    reason = f"An alias of YAML has no meaning here, write out what it stands for: `{findings.cut(text)}`"
    return findings.yaml_only(span, reason, text, (fix,) if fix is not None else ())


def _merge(span: Span) -> Finding:
    return findings.yaml_only(span, "A merge key of YAML has no meaning here, write its properties out: `<<`", "<<")


def _quoted(start: int, end: int, rest: str) -> Fix:
    """The text in quotes, which it was perhaps meant to be."""
    quote = "'" if '"' in rest else '"'
    return Fix("Put the text in quotes", (Edit(Span(start, start), quote), Edit(Span(end, end), quote)))
