"""``format_source``: a text in canonical layout (docs/spec 12 §1, docs/reference/style.md)."""

from __future__ import annotations

from typing import Final

from abl.diagnostics import Edit
from abl.editing.edits import applied
from abl.editing.layout import LayoutLevel, laid_out
from abl.editing.sameness import different_blocks, same_tree
from abl.limits import MAX_SOURCE_CHARS
from abl.syntax import nodes, parse
from abl.syntax.incremental.collector import collector_paused

_ROUNDS: Final = 4
_TRIES: Final = 24
_LOWER_CASE_KEY: Final = "ABL123"


def format_source(text: str) -> str:
    """The text with canonical indentation, spacing, blank lines, line ends and case of properties.

    Formatting the result again gives the same text, its tree is that of ``text`` without places, and every comment and
    unreadable line is still there. Where laying out a section would change what it says, it is left as it is. A text
    that is too long to be read (``abl.limits``) is given back. Never raises.
    """
    if len(text) > MAX_SOURCE_CHARS:
        return text
    with collector_paused():
        document = parse(text.lstrip("\ufeff"))
        for _ in range(_ROUNDS):
            formatted = _formatted(document)
            if formatted.source.text == document.source.text:
                return formatted.source.text
            document = formatted
    return text


def _formatted(document: nodes.Document) -> nodes.Document:
    """One round: the document laid out, each column-0 block as far as that keeps its meaning."""
    care = [LayoutLevel.FULL] * len(document.blocks)
    cased = _with_upper_keys(document)
    for _ in LayoutLevel:
        text = laid_out(cased, care)
        if text == document.source.text:
            return document
        candidate = parse(text, document.source.path)
        if same_tree(document, candidate):
            return candidate
        worse = different_blocks(document, candidate) or _worse(document, cased, care)
        for at in worse:
            care[at] = LayoutLevel(min(care[at] + 1, LayoutLevel.ENDS))
    return document


def _worse(document: nodes.Document, cased: nodes.Document, care: list[LayoutLevel]) -> list[int]:
    """The column-0 blocks whose layout changes what the document says, though the blocks are the same.

    Halves are tried for themselves, a bounded number of times: what was not tried then counts as found.
    """
    found: list[int] = []
    groups = [range(len(care))]
    for tries, group in enumerate(groups):  # grows while it is read
        alone = [own if at in group else LayoutLevel.ENDS for at, own in enumerate(care)]
        if tries < _TRIES and same_tree(document, parse(laid_out(cased, alone), document.source.path)):
            continue
        if tries >= _TRIES or len(group) == 1:
            found += group
        else:
            middle = len(group) // 2
            groups += [group[:middle], group[middle:]]
    return found or list(range(len(care)))


def _with_upper_keys(document: nodes.Document) -> nodes.Document:
    """The document with properties in the case that docs/spec 01 §3 asks for."""
    fixes = [fix for finding in document.findings if finding.code == _LOWER_CASE_KEY for fix in finding.fixes]
    edits: list[Edit] = [edit for fix in fixes for edit in fix.edits]
    if not edits:
        return document
    cased = parse(applied(document.source.text, edits), document.source.path)
    return cased if same_tree(document, cased) else document
