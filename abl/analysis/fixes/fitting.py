"""The last step of every quick fix: it is adapted to the form of its document (docs/spec 01 §9)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, Final

from abl.analysis.fixes import braces
from abl.diagnostics import Edit, Fix
from abl.source import Source, Span
from abl.syntax import vocabulary

_KEY: Final = re.compile(
    r"(?P<head>^[ \t]*(?:-[ \t]+)?\{?|[,{][ \t]*|`)(?P<key>[A-Z][A-Z_]+)(?=:(?:\s|$|`))", re.MULTILINE
)
_KEYS: Final = frozenset(word for words in vars(vocabulary).values() if isinstance(words, frozenset) for word in words)
"""All words that a document has a meaning for."""
_QUOTED: Final = re.compile(r"(?:^|[:,\[{-])[ \t]*(\"(?:[^\"\\\n]|\\.)*+\"|'(?:[^'\\\n]|\\.)*+')", re.MULTILINE)
_WORD: Final = re.compile(r"[A-Z][A-Z_]+")
_TITLE: Final = re.compile(r"(?<=`)[A-Z][A-Z_]+(?=:?`|:[ ])")


def fitting(source: Source, fixes: Iterable[Fix], *, yaml: bool) -> tuple[Fix, ...]:
    """Those fixes that can be made, in a YAML document with its keys in lower case."""
    made = (_in_yaml(source, fix) if yaml else fix for fix in fixes)
    return tuple(fix for fix in made if _can_be_made(source, fix))


def keys_in_small(source: Source, span: Span, data: Mapping[str, Any]) -> dict[str, str]:
    """What was meant by a key, or is given already, as a YAML document writes it."""
    if not source.text.startswith(":", span.end):
        return {}
    said = {name: data[name] for name in ("y", "given") if isinstance(data.get(name), str)}
    return {name: word.lower() for name, word in said.items() if _WORD.fullmatch(word)}


def _can_be_made(source: Source, fix: Fix) -> bool:
    """False for one that changes nothing, and for one that would break what is in braces into lines, or overlaps."""
    changed = [edit for edit in fix.edits if source.text[slice(*edit.span)] != edit.text]
    if not changed or any(edit.span.start < 0 for edit in fix.edits):
        return False
    spans = sorted(edit.span for edit in changed)
    if any(one.end > other.start for one, other in pairwise(spans)):
        return False
    return not any(_is_of_lines(source, edit) for edit in changed)


def _is_of_lines(source: Source, edit: Edit) -> bool:
    """True for text that has a meaning only in lines, but would be inserted in braces: line breaks, dashes, a key in a
    list.
    """
    if "\n" not in edit.text and edit.text not in ("- ", ":"):
        return False  # most edits replace a word; to look for braces is to go through the whole text
    pair = braces.pairs_of(source).inside(edit.span)
    return pair is not None and (edit.text != ":" or source.text[pair.start] == "[")


def _in_yaml(source: Source, fix: Fix) -> Fix:
    edits = tuple(Edit(edit.span, _lowered(source, edit)) for edit in fix.edits)
    if edits == fix.edits:
        return fix
    return Fix(_TITLE.sub(lambda word: word[0].lower(), fix.title), edits, fix.preferred)


def _lowered(source: Source, edit: Edit) -> str:
    """The text of an edit with the keys in lower case that it brings; what it only moves stays as it is."""
    if _WORD.fullmatch(edit.text) and source.text.startswith(":", edit.span.end):
        return edit.text.lower()
    if "\n" not in edit.text and ('"' in edit.text or "'" in edit.text):
        escaped = _escaped(source, edit)
        if escaped != edit.text:
            return escaped
    if not any(character.isupper() for character in edit.text):
        return edit.text
    return "\n".join(line if line.strip() in source.text else _KEY.sub(_lower, line) for line in edit.text.split("\n"))


def _escaped(source: Source, edit: Edit) -> str:
    """The text of an edit within quotes of YAML, which must not end them."""
    at = edit.span.start
    start, end = source.line_span(source.position(at).line)
    whole = next((each.span(1) for each in _QUOTED.finditer(source.text, start, end) if each.end(1) > at), None)
    if whole is None or not (whole[0] < at and edit.span.end < whole[1]):
        return edit.text
    quote = source.text[whole[0]]
    return re.sub(rf"(?<!\\){quote}", rf"\\{quote}", edit.text)


def _lower(found: re.Match[str]) -> str:
    key = found["key"].lower() if found["key"] in _KEYS else found["key"]
    return f"{found['head']}{key}"
