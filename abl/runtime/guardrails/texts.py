"""Where a guardrail matches a text, and how the match is redacted (docs/spec 09 §11)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from abl.expressions import nodes as en
from abl.expressions.budget import writes
from abl.expressions.functions.guardrail import spans_of
from abl.expressions.functions.guardrail_templates import TEMPLATES
from abl.expressions.regex import compile_pattern

REDACTED = "[REDACTED]"
Spans = list[tuple[int, int]]
_TAG = re.compile(r"<[^<>]{0,1000}>")
_BLANKS = re.compile(r"[ \t]+")
_SENTENCE = re.compile(r"[^.!?…。！？]*[.!?…。！？]+\s*|[^.!?…。！？]+$")
_UNITS = {"word_count": "words", "sentence_count": "sentences", "length": "characters", "size": "characters"}


# Where something was found ---------------------------------------------------------------------------------------


def matched(check: en.Node | None, text: str) -> Spans:
    """Where the text holds what the check looks for; empty where the check does not say a place."""
    if check is None:
        return []
    spans = [span for node in en.walk(check) for span in _spans(node, text)]
    return _merged(sorted(span for span in spans if span[1] > span[0]))


def hidden_places(strategy: str | None, check: en.Node | None, text: str) -> Spans:
    """The places of a text that redacting takes out: what the check looks for, or with ``redact_pii`` personal data."""
    return _merged(spans_of("contains_pii", text)) if strategy == "redact_pii" else matched(check, text)


def _spans(node: en.Node, text: str) -> Spans:
    match node:
        case en.Call(name="matches_pattern" | "not_matches_pattern", args=(_, en.Literal(value=str(pattern)))):
            return _found(pattern, "", text)
        case en.Call(name=name) if name in TEMPLATES:
            return [found.span() for found in TEMPLATES[name].finditer(text)]
        case en.Call(name=name):
            return spans_of(name, text)
        case en.Test(op="matches", right=en.Regex(pattern=pattern, flags=flags)):
            return _found(pattern, flags, text)
        case en.Test(op="matches", right=en.Literal(value=str(pattern))):
            return _found(pattern, "", text)
        case en.Method(name="matches", args=(en.Literal(value=str(pattern)),)):
            return _found(pattern, "", text)
        case en.Test(op="contains", right=en.Literal(value=str(word))):
            return _occurrences(word, text)
        case en.Method(name="contains", args=(en.Literal(value=str(word)),)):
            return _occurrences(word, text)
        case _:
            return []


def _found(pattern: str, flags: str, text: str) -> Spans:
    compiled = compile_pattern(pattern, flags)
    return [found.span() for found in compiled.finditer(text)] if compiled is not None else []


def _occurrences(word: str, text: str) -> Spans:
    return [found.span() for found in re.finditer(re.escape(word), text)] if word else []


def _merged(spans: Spans) -> Spans:
    merged: Spans = []
    for start, end in spans:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


# Taking it out ---------------------------------------------------------------------------------------------------


def replaced(value: Any, check: en.Node | None, mark: str) -> Any:
    """The value with what the check found replaced by ``mark`` in each of its texts; all of them when it says no place.

    ``value`` is a text, or what is passed on: an object with texts in it.
    """
    if any(matched(check, text) for text in texts_of(value)):
        return mapped(value, lambda text: _cut(text, matched(check, text), mark))
    return mapped(value, lambda text: mark)


def _cut(text: str, spans: Spans, mark: str) -> str:
    writes(len(text))
    pieces, at = [], 0
    for start, end in spans:
        pieces += [text[at:start], mark]
        at = end
    return "".join([*pieces, text[at:]])


def texts_of(value: Any) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts_of(item)


def mapped(value: Any, change: Callable[[str], str]) -> Any:
    """A value like this one with each text changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [mapped(item, change) for item in value]
    return value


# Mending it ------------------------------------------------------------------------------------------------------


def mended(strategy: str | None, value: Any, check: en.Node | None) -> Any:
    """The value as a fix_strategy other than ``custom`` makes it; unchanged where it has nothing to go by."""
    match strategy:
        case "truncate":
            limit = limit_of(check)
            return value if limit is None else mapped(value, lambda text: shortened(text, *limit))
        case "strip_html":
            return mapped(value, lambda text: _TAG.sub("", text))
        case "redact_pii":
            return mapped(value, lambda text: _cut(text, hidden_places(strategy, None, text), REDACTED))
        case "normalize":
            return mapped(value, _normalized)
        case _:
            return value


def _normalized(text: str) -> str:
    lines = (_BLANKS.sub(" ", line).strip() for line in unicodedata.normalize("NFKC", text).splitlines())
    return "\n".join(lines).strip()


def limit_of(check: en.Node | None) -> tuple[int, str] | None:
    """The most that a check lets through, with its unit: characters, words or sentences."""
    for node in en.walk(check) if check is not None else ():
        if not isinstance(node, en.Test) or node.op not in {"<", "<=", ">", ">="}:
            continue
        sides = ((node.left, node.right, node.op), (node.right, node.left, _turned(node.op)))
        for counted, number, op in sides:
            unit = _unit(counted)
            if unit is not None and isinstance(number, en.Literal) and isinstance(number.value, int | float):
                most = int(number.value)
                return max(most - 1, 0) if op in {"<", ">="} else most, unit
    return None


def _turned(op: str) -> str:
    return op.replace("<", "\0").replace(">", "<").replace("\0", ">")


def _unit(node: Any) -> str | None:
    if isinstance(node, en.Call | en.Method):
        return _UNITS.get(node.name.lower())
    parts = node.parts if isinstance(node, en.Path) else (node.name,) if isinstance(node, en.Member) else ()
    return "characters" if parts and parts[-1] == "length" else None


def shortened(text: str, most: int, unit: str) -> str:
    """The beginning of a text: so many characters, words or sentences of it."""
    if unit == "characters":
        return text[:most].rstrip() if len(text) > most else text
    pieces = re.findall(r"\S+\s*", text) if unit == "words" else _SENTENCE.findall(text)
    return text if len(pieces) <= most else "".join(pieces[:most]).rstrip()
