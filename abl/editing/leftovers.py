"""Where a renamed word remains: in code with another meaning, and in prose where it very likely means that name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.index.shared_names import Symbol
from abl.analysis.reporting.render import range_dict
from abl.analysis.symbols.places import places_of
from abl.diagnostics import Edit
from abl.editing.refusals import word_of
from abl.editing.tokens import tokens
from abl.source import Span
from abl.syntax import nodes

_NO_NAMES: Final = frozenset({"text", "key", "kind", "func", "section"})
_PROSE: Final = frozenset({"comment", "string"})
_LIKE_A_NAME: Final = re.compile(r"[_.]|[a-z][A-Z]")
_KEY: Final = re.compile(r"\s*+(?:\?\s*+)?[:=](?!=)")
"""What follows the key of an object, an argument with its name, a field of a type."""


def left_alone(
    index: Index, symbol: Symbol, homes: Collection[AgentIndex], edits: Mapping[str, list[Edit]]
) -> list[dict[str, Any]]:
    """Places of the word in the documents of these agents, as ``{path, range}``: no other name, no key.

    In texts and comments only an uncommon word is listed: ``open_loans``, ``user.branch``, ``loanLimit``, and
    any word in backquotes.
    """
    found: list[dict[str, Any]] = []
    word = word_of(symbol.word)
    for path in sorted({agent.source.path for agent in homes}):
        taken = {edit.span.start for edit in edits.get(path, ())} | _others(index, path)
        source = index.source(path)
        spans = _standing(source.text, word, symbol.kind == "action") if word.search(source.text) else ()
        found += [{"path": path, "range": range_dict(source, span)} for span in spans if span.start not in taken]
    return found


def _standing(text: str, word: re.Pattern[str], is_id: bool) -> Iterator[Span]:
    """``is_id``: a word in quotes within a longer text counts too, as JSON of a format names the id of an element."""
    for start, end, kind in tokens(text):
        is_leftover = _in_prose if kind in _PROSE else _in_code
        for match in word.finditer(text, start, end) if kind not in _NO_NAMES else ():
            token = Span(start, end)
            if is_leftover(text, match, token) or (is_id and kind in _PROSE and _is_quoted_within(text, match, token)):
                yield Span(*match.span())


def _is_quoted_within(text: str, match: re.Match[str], token: Span) -> bool:
    around = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
    return around in ('""', "''") and token.start < match.start() - 1 and match.end() + 1 < token.end


def _in_code(text: str, match: re.Match[str], token: Span) -> bool:
    return _KEY.match(text, match.end()) is None


def _in_prose(text: str, match: re.Match[str], token: Span) -> bool:
    """True for a word of a sentence that looks like a name; a text that is the word and nothing else is a value."""
    around = text[match.start() - 1 : match.start()] + text[match.end() : match.end() + 1]
    if around == "``":
        return True
    is_value = around in ('""', "''") or text[slice(*token)].strip() == match[0]
    return not is_value and _LIKE_A_NAME.search(match[0]) is not None


def _others(index: Index, path: str) -> set[int]:
    """Where other names of a document begin, parameters of tools among them."""
    agents = index.documents[path].agents
    places = {span.start for agent in agents for _, _, span, _ in places_of(agent, index)}
    tools = (tool for agent in agents for tool in agent.all(nodes.Tool))
    return places | {parameter.name.span.start for tool in tools for parameter in tool.parameters}
