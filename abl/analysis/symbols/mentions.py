"""Names in sections and properties that have no node: which of their text is code, and which words are in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from abl.analysis.index.model import AgentIndex
from abl.source import Source, Span
from abl.syntax import vocabulary
from abl.syntax.lines.scanner import CONTENT, scan_line

_SLOT: Final = re.compile(r"\{\{((?:(?!\{\{|\}\}).)*+)\}\}")
_QUOTED: Final = re.compile(r"""\"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|'(?:[^'\\]|\\.)*+(?:'|\\?\Z)""")
_WORD: Final = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)*(?!\w*\s*\()")
_LISTED: Final = re.compile(r"[\[{]?\s*[\w.]+(?:\s*[,:]\s*[\w.]+)*\s*[,\]}]{0,2}")
_CONDITIONS: Final = vocabulary.BRANCH_CONDITIONS | vocabulary.words("CHECK FILTER EXPR EXPRESSION ACTIVATION")
_LITERAL_SECTIONS: Final = vocabulary.words(
    """NLU MULTI_INTENT INTENTS ENTITIES LOOKUP_TABLES ATTACHMENTS DESTINATIONS GUARDRAILS CONVERSATION EXECUTION TESTS
    BEHAVIOR"""
)
"""Sections in which a bare word is a value and no name."""


def mentioned_words(agent: AgentIndex) -> Iterator[tuple[str, Span]]:
    """Dotted names in what the tree keeps as lines, where they may be names of the agent: in order, each once."""
    source = agent.source
    literal = [section.span for section in agent.agent.sections if section.keyword in _LITERAL_SECTIONS]
    at = 0
    for start, end in sorted({placed.at(span) for placed in agent.parts for span in placed.part.mentioned}):
        bare = not any(span.start <= start < span.end for span in literal)
        for code in _code(source, max(start, at), end, bare):
            text = source.text[code.start : code.end]
            for match in _WORD.finditer(_QUOTED.sub(_blank, text)):
                if not _is_key(text, match.end()):
                    yield match[0], Span(code.start + match.start(), code.start + match.end())
        at = max(at, end)


def _code(source: Source, start: int, end: int, bare: bool) -> Iterator[Span]:
    """Conditions, placeholders and, where ``bare`` words are names, values that are a word or a list of words."""
    first, last = source.position(start).line, source.position(max(start, end - 1)).line
    for number in range(first, last + 1):
        base, raw = source.line_starts[number - 1], source.line_text(number)
        line = scan_line(raw)
        if line.kind != CONTENT or line.value >= line.end:
            continue
        if base + line.value < start:  # a member of an object in brackets
            yield from _slots_or_all(source, Span(start, min(end, base + line.end)), bare)
            continue
        value = raw[line.value : line.end]
        quoted = value[0] in "\"'" and len(value) > 1 and value[-1] == value[0]
        whole = Span(base + line.value + quoted, base + line.end - quoted)
        if vocabulary.canonical_key(line.key) in _CONDITIONS or (bare and _LISTED.fullmatch(value)):
            yield whole
        else:
            for slot in _SLOT.finditer(value):
                yield Span(base + line.value + slot.start(1), base + line.value + slot.end(1))


def _slots_or_all(source: Source, span: Span, bare: bool) -> Iterator[Span]:
    """The placeholders of a part of a line or, where ``bare`` words are names and it is a list of words, all of it."""
    value = source.text[span.start : span.end]
    if bare and _LISTED.fullmatch(value):
        yield span
    else:
        for slot in _SLOT.finditer(value):
            yield Span(span.start + slot.start(1), span.start + slot.end(1))


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _is_key(text: str, end: int) -> bool:
    """True for a word that is the key of an object."""
    return text[end:].lstrip().startswith(":")
