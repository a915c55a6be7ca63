"""What hover says about a word of the language: a key by its place, a closed word, an operator, a literal."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator

from abl.analysis.collect.records import ExpressionUse
from abl.analysis.index.documents import DocumentIndex
from abl.analysis.index.project import Index
from abl.analysis.rules.content.guardrail_checks import fires_when
from abl.editing.meanings import operator_meaning, runtime_meaning
from abl.editing.place import Line, Place, place_at, place_in_braces, read_line
from abl.editing.tokens import tokens
from abl.expressions.lexer import tokenize
from abl.language import head_meaning, key_meaning, runs_here, value_at, word_meaning, word_meant, words_at
from abl.source import Source, Span
from abl.syntax import nodes, vocabulary

_WORD = re.compile(r"(?:session|search|agent|step|tool|entity):[\w*][\w*:]*|[A-Za-z_][\w-]*|[0-9.]+")
"""An event of recall, a word, a number."""
_QUOTED = frozenset({"string", "slot", "comment"})
_OPERATIONS = frozenset({"op", "word", "constant"})
_SHOWN_WORDS = 12
Said = tuple[Span, str, str]


def meaning_at(index: Index, document: DocumentIndex, offset: int) -> Said | None:
    """The span of a word, the word, and what it means at its place; None where it means nothing."""
    source = document.source
    use = _expression_at(document, offset)
    if use is not None:
        own = frozenset(name for agent in document.agents for name in (*agent.session, *agent.fields))
        said = _operation(source, use, offset, own)
        if said is not None or not _is_action(use, source, offset):
            return said
    number = source.position(offset).line
    start, text = source.line_starts[number - 1], source.line_text(number)
    word = next((m for m in _WORD.finditer(text) if m.start() <= offset - start <= m.end()), None)
    if word is None:
        return None
    span = Span(start + word.start(), start + word.end())
    if _in_text(source, span):
        return None
    meaning = _key_or_word(source, number, text, word) or _type(source, span)
    if not meaning:
        return None
    fires = _fires(document, offset) if word.group().upper() == "CHECK" else ""
    return span, word.group(), f"{meaning}\n{fires}" if fires else meaning


# Expressions ------------------------------------------------------------------------------------------------------


def _expression_at(document: DocumentIndex, offset: int) -> ExpressionUse | None:
    for agent in document.agents:
        for use in agent.expressions:
            whole = use.whole
            if whole.start <= offset <= whole.end and not use.is_sentence:
                return use
    return None


def _is_action(use: ExpressionUse, source: Source, offset: int) -> bool:
    """True at the edges of an expression, where a word beside it may begin or end."""
    return offset in (use.whole.start, use.whole.end)


def _operation(source: Source, use: ExpressionUse, offset: int, declared: Container[str]) -> Said | None:
    """An operator, a literal or a name of the runtime's within an expression."""
    path, dotted = "", False
    for token in tokenize(use.reading.text):
        if token.kind == "name":
            path = f"{path}.{token.text}" if dotted else token.text
        dotted = token.text == "." and bool(path)
        span = use.span(token.start, token.end)
        if span.start <= offset <= span.end:
            meaning = operator_meaning(token.text) if token.kind in _OPERATIONS else ""
            if token.kind == "name" and path.partition(".")[0] not in declared:
                held = runtime_meaning(path)
                meaning = f"set by the runtime: {held}" if held else ""
            if meaning:
                return span, source.text[span.start : span.end], meaning
    return None


# Keys and closed words --------------------------------------------------------------------------------------------


def _in_text(source: Source, span: Span) -> bool:
    """True within a text of the author's; a text that is nothing but the word may be a closed word in quotes."""
    for start, end, kind in tokens(source.text):
        if start <= span.start < end:
            whole = source.text[start:end]
            if kind not in _QUOTED or whole.strip("\"'") == source.text[span.start : span.end]:
                return False
            return not _begins_clause(source, span)
    return False


def _type(source: Source, span: Span) -> str:
    """A type within a signature."""
    kinds = (kind for start, end, kind in tokens(source.text) if start <= span.start < end)
    word = source.text[span.start : span.end]
    known = word_meaning("session", "TYPE", word) or word_meaning("field", "TYPE", word)
    return known if next(kinds, "") == "type" else ""


def _begins_clause(source: Source, span: Span) -> bool:
    """True for IF, and for the action behind its condition, in ``- IF condition: ACTION`` (09 §7)."""
    at = source.position(span.start).line
    line = source.line_text(at)
    before = line[: span.start - source.line_starts[at - 1]].strip()
    return before == "-" or (before.startswith("- IF ") and before.endswith(":") and before.count('"') % 2 == 0)


def _key_or_word(source: Source, number: int, text: str, word: re.Match[str]) -> str:
    braces = place_in_braces(source, number, text[: word.start()])
    if braces is not None:
        place, entry = braces
        key, _, _ = entry.partition(":")
        if ":" not in entry:
            return _key(place, word.group()) if not key.strip() else ""
        return _word(place, key.strip(" \"'"), word.group())
    here = read_line(text)
    place = place_at(source, number, here.indent, here.item)
    key_ends = here.column + len(here.key)
    if here.key and text[: word.end()].expandtabs(4).rstrip(" :") and word.end() <= key_ends + _tabs(text, here):
        return _key(place, here.key)
    if not here.key:
        return _clause(place, word.group()) or _listed(place, word.group())
    return _word(place, here.key, word.group()) or _within(place, here.key, word.group())


def _tabs(text: str, here: Line) -> int:
    """What the columns of a line count less than its indentation, which takes a tab for several."""
    return len(text) - len(text.lstrip()) - here.indent


def _key(place: Place, key: str) -> str:
    """The meaning of a key, which words may follow it, and whether it runs here."""
    if place.named and key.upper() not in ("NAME", "PATH"):
        return ""
    meaning = key_meaning(place.block, key)
    words = [word.rstrip("(") for word in _words_of(place.block, key)]
    more = words and len(words) <= _SHOWN_WORDS and words != ["true", "false"]
    values = f"values: {', '.join(words)}" if more else ""
    return "\n".join(filter(None, (meaning, values, runs_here(place.block, key)))) if meaning else ""


def _words_of(block: str, key: str) -> tuple[str, ...]:
    return words_at(block, key)


def _word(place: Place, key: str, word: str) -> str:
    """The meaning of a closed word behind a key."""
    if place.named:
        return head_meaning(place.block, word)
    block = "step" if place.block == "agent" else "tool" if place.block == "tools" else place.block
    if block == "recall" and vocabulary.canonical_key(key) == "ON":
        return word_meaning(block, key, word) or word_meaning(block, key, word.partition(":")[0])
    return word_meaning(block, key, word) or _literal(block, key, word) or _plain(block, key, word)


def _literal(block: str, key: str, word: str) -> str:
    """``true`` and ``false`` behind a key that is a switch, however they are written; ``null`` as an initial value."""
    meant = word_meant(block, key, word)
    literal = meant if meant in ("true", "false") else word
    if literal.lower() not in ("true", "false", "null") or not key_meaning(block, key):
        return ""
    return f"{operator_meaning(literal)}, for {key}"


def _plain(block: str, key: str, word: str) -> str:
    """A closed word without a meaning of its own: the meaning of its key."""
    known = (word_meant(block, key, word) or word) in [each.rstrip("(") for each in _words_of(block, key)]
    return f"{key}: {key_meaning(block, key)}" if known else ""


def _clause(place: Place, word: str) -> str:
    """A key without a colon: the kind of a rule, BEFORE and WHEN behind it, IF and the action behind its condition."""
    block = place.block if place.block != "rules" else "rule"
    if block == "rule":
        return key_meaning("rule", word) if word.isupper() else word_meaning("rule", "BEFORE", word)
    return key_meaning(block, word) if word.isupper() else ""


def _listed(place: Place, word: str) -> str:
    """A closed word that is an item of a list below its key."""
    block, key = place.of
    if not key and place.parents:
        above = place.parents[-1]
        return word_meaning(place.block, above.key, word) if above.key else ""
    return word_meaning(block, key, word) if key else ""


def _within(place: Place, key: str, word: str) -> str:
    """A key on the line of another: ``AS`` of a CALL, ``INTO`` of a TRANSFORM, the action behind ON_FAIL."""
    if not word.isupper():
        return ""
    value = value_at(place.block, key)
    blocks = [*value.maps, *value.lists, place.block]
    meanings: Iterator[str] = (key_meaning(block, word) for block in blocks)
    action = word_meaning("rule", "ON_FAIL", word) if "on_fail" in value.kinds else ""
    return action or next((meaning for meaning in meanings if meaning), "")


def _fires(document: DocumentIndex, offset: int) -> str:
    """On which verdict the guardrail around an offset fires (09 §11)."""
    for agent in document.agents:
        for guardrail in agent.all(nodes.Guardrail):
            if guardrail.span.start <= offset <= guardrail.span.end:
                verdict = fires_when(guardrail)
                return f"fires when it is {'true' if verdict else 'false'}" if verdict is not None else ""
    return ""
