"""Quick fixes for the tags of messages (docs/spec 02 §9)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from abl.analysis.collect.records import TemplateUse
from abl.diagnostics import Edit, Fix
from abl.expressions.template_parser import Problem
from abl.syntax.recovery.suggest import closest

_BLOCKS: Final = ("#if", "#each")
_VALUES: Final = ("add", "sub")
_IF: Final = re.compile(r"\{\{\s*(?:(?P<opening>#\s*if\b)|(?P<closed>/\s*if\s*\}\}))")
_ELSE_IF: Final = re.compile(r"\{\{\s*else\s+if\b\s*")
_UNLESS: Final = re.compile(r"\{\{\s*#\s*unless\s++(?P<condition>(?:(?!\{\{|\}\}).)*+)\}\}", re.DOTALL)
_WORD: Final = re.compile(r"[A-Za-z_][\w.]*")


def known_helper(problem: Problem, use: TemplateUse) -> tuple[Fix, ...]:
    """What the author of an unknown helper may have meant: ``#unless``, ``else if``, or a slip of the pen."""
    if problem.name == "#unless":
        return _negated(problem, use)
    if problem.name == "else if":
        return _nested(problem, use)
    words = closest(problem.name, _BLOCKS if problem.name.startswith("#") else _VALUES)
    renamed = [_renamed(problem, use, word) for word in words if word != problem.name]
    return tuple(Fix(f"Change to `{word}`", edits, len(renamed) == 1) for word, edits in renamed)


def _renamed(problem: Problem, use: TemplateUse, word: str) -> tuple[str, tuple[Edit, ...]]:
    """The word in the tag, and in the tag that closes its block."""
    name = problem.name.removeprefix("#")
    start = use.value.index(name, problem.start)
    edits = [_edit(use, start, start + len(name), word.removeprefix("#"))]
    closing = _closing(use.value, name) if problem.name != name else None
    if closing is not None:
        edits.append(_edit(use, *closing, f"{{{{/{word.removeprefix('#')}}}}}"))
    return word, tuple(edits)


def _negated(problem: Problem, use: TemplateUse) -> tuple[Fix, ...]:
    """``{{#unless a}}…{{/unless}}`` as ``{{#if NOT a}}…{{/if}}``; only where there is one of them."""
    opening = _UNLESS.match(use.value, problem.start)
    closing = _closing(use.value, "unless")
    if opening is None or closing is None or len(_UNLESS.findall(use.value)) > 1:
        return ()
    condition = opening["condition"].strip()
    plain = condition if _WORD.fullmatch(condition) else f"({condition})"
    edits = (_edit(use, problem.start, problem.end, f"{{{{#if NOT {plain}}}}}"), _edit(use, *closing, "{{/if}}"))
    return (Fix("Write `#if NOT`", edits, preferred=True),)


def _closing(text: str, name: str) -> tuple[int, int] | None:
    """The tag that closes a helper, if there is one alone."""
    found = [match.span() for match in re.finditer(rf"\{{\{{\s*/\s*{re.escape(name)}\s*\}}\}}", text)]
    return found[0] if len(found) == 1 else None


def _nested(problem: Problem, use: TemplateUse) -> tuple[Fix, ...]:
    """``{{else if b}}`` as an ``{{#if b}}`` within ``{{else}}``, which has an end of its own."""
    opening = _ELSE_IF.match(use.value, problem.start)
    end = next(_ends(use.value, problem.end), None)
    if opening is None or end is None:
        return ()
    edits = (_edit(use, *opening.span(), "{{else}}{{#if "), _edit(use, end, end, "{{/if}}"))
    alone = "\n" in use.value  # a tag alone in its line takes the line with it, two do not
    return (Fix("Write `{{else}}{{#if …}}`", edits, preferred=not alone),)


def _ends(text: str, start: int) -> Iterator[int]:
    """Where the ends stand of the blocks that are open at a place."""
    depth = 0
    for tag in _IF.finditer(text, start):
        depth += 1 if tag["opening"] else -1
        if depth < 0:
            yield tag.start()


def _edit(use: TemplateUse, start: int, end: int, text: str) -> Edit:
    return Edit(use.span(start, end), text)
