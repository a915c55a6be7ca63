"""What the parser reports of MEMORY, CONSTRAINTS, steps and TOOLS: one constructor per code (docs/spec 05, 10).

As in ``abl.syntax.recovery.findings``, the keys of the data are the placeholders of the catalogue.

========  ==============================================================================================
code      data
========  ==============================================================================================
ABL203    op (as written), OP (upper case): an inline ``when`` or ``before`` of a rule
ABL342    none
ABL343    side ("value" or "target")
ABL358    reason
ABL380    text
ABL386    missing ("SOURCE", "INTO", "SOURCE and INTO" or "the item name (AS)")
ABL401    k, y, suggestions
ABL402    k (rule kind)
ABL405    none
ABL433    none
ABL445    p (the inner phase)
ABL806    detail (what is wrong with the signature)
ABL970    h, y, suggestions
========  ==============================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from abl.diagnostics import Edit, Finding, Fix
from abl.source import Source, Span
from abl.syntax.nodes import Block
from abl.syntax.recovery.findings import SHOWN, cut, renamed


def clause_case(span: Span, written: str) -> Finding:
    """ABL203 for an inline ``when`` or ``before`` of a rule."""
    upper = written.upper()
    fix = Fix(f"Write `{upper}`", (Edit(span, upper),), preferred=True)
    return Finding("ABL203", span, {"op": written, "OP": upper}, fixes=(fix,))


_PATH = r"[A-Za-z_]\w*(?:\.\w+)+"
_ASSIGNED = re.compile(
    rf"\s*+(?:\{{\s*+)?(?P<path>{_PATH}|[A-Za-z_]\w*+(?=\s*+:?=))\s*+"
    r"(?::=|<-|:(?=\s)|=(?!=))\s*+(?P<value>[^{}]+?)\s*+\}?\s*+"
)
"""`user.city = city`, with other signs, or as an object of one member."""
_SENT = re.compile(rf"\s*+(?P<value>\S(?:.*?\S)?)\s++(?i:as|to|into|in)\s++(?P<path>{_PATH})\s*+")


class Turned(NamedTuple):
    """What STORE is meant to be: the value, and the path with its place in the text."""

    value: str
    path: str
    start: int


def turned_store(text: str) -> Turned | None:
    """The meaning of `user.city = city`, `city as user.city` and the like, which STORE writes with an arrow."""
    found = _ASSIGNED.fullmatch(text) or _SENT.fullmatch(text)
    return Turned(found["value"], found["path"], found.start("path")) if found is not None else None


def store_without_arrow(span: Span, text: str) -> Finding:
    """ABL342. ``text`` is what is there: `user.city = city` is turned round; a word alone becomes a path of `user`."""
    meant = turned_store(text)
    if meant is not None:
        path = meant.path if "." in meant.path else f"user.{meant.path}"
        turned = f"{meant.value} -> {path}"
        return Finding("ABL342", span, fixes=(Fix(f"Write `{turned}`", (Edit(span, turned),), preferred=True),))
    fix = Fix("Add a target", (Edit(Span(span.end, span.end), " -> user.field"),))
    return Finding("ABL342", span, fixes=(fix,))


def arrow_slip(span: Span, written: Span) -> Finding:
    """ABL342 where something is in the place of the arrow."""
    return Finding("ABL342", span, fixes=(Fix("Write `->`", (Edit(written, "->"),), preferred=True),))


def store_side_missing(span: Span, side: str) -> Finding:
    """ABL343; ``side`` is "value" or "target"."""
    return Finding("ABL343", span, {"side": side})


def bad_object(span: Span, reason: str) -> Finding:
    """ABL358."""
    return Finding("ABL358", span, {"reason": reason})


def bad_assignment(span: Span, text: str) -> Finding:
    """ABL380."""
    return Finding("ABL380", span, {"text": text[:SHOWN]})


def indexed_target(span: Span, text: str) -> Finding:
    """ABL380 for `name[0] = x` (docs/spec 06 §5.3)."""
    words = "SET assigns a name or a dotted path, not an element: `{text}`"
    return Finding("ABL380", span, {"text": text[:SHOWN], "wording": words})


def compound_assignment(span: Span, name: str, operator: str, instead: str) -> Finding:
    """ABL380 for ``name += x`` or ``name := x`` (docs/spec 06 §5.3); ``instead`` is how it is written."""
    fix = Fix(f"Write `{cut(instead)}`", (Edit(span, instead),), preferred=True)
    data = {"text": name[:SHOWN], "op": operator, "wording": "SET has no `{op}=`, only `{text} = expression`"}
    return Finding("ABL380", span, data, fixes=(fix,))


def no_target(span: Span, text: str) -> Finding:
    """ABL380 for what is neither a variable nor a path (docs/spec 06 §5.3)."""
    words = "SET assigns a name or a dotted path; `{text}` is neither"
    return Finding("ABL380", span, {"text": text[:SHOWN], "wording": words})


def incomplete_transform(span: Span, missing: str, fixes: tuple[Fix, ...] = ()) -> Finding:
    """ABL386."""
    return Finding("ABL386", span, {"missing": missing}, fixes=fixes)


def unknown_rule_kind(span: Span, written: str, candidates: Iterable[str]) -> Finding:
    """ABL401."""
    return renamed("ABL401", span, {"k": written}, written, candidates)


def no_condition(span: Span, kind: str) -> Finding:
    """ABL402."""
    return Finding("ABL402", span, {"k": kind})


def empty_on_fail(span: Span) -> Finding:
    """ABL405."""
    fix = Fix("Insert a message", (Edit(Span(span.end, span.end), ' "This is not possible."'),))
    return Finding("ABL405", span, fixes=(fix,))


def two_gates(span: Span, fixes: tuple[Fix, ...] = ()) -> Finding:
    """ABL433."""
    return Finding("ABL433", span, fixes=fixes)


def nested_phase(source: Source, block: Block) -> Finding:
    """ABL445. Its rules count as those of the phase around it, which the fix writes so."""
    line = source.position(block.span.start).line
    start, end = source.line_starts[line - 1], block.span.end
    _, *lines = source.text[start:end].split("\n")
    fixes: tuple[Fix, ...] = ()
    if lines and not source.text[start : block.span.start].strip(" \t"):
        further = " " * (block.children[0].column - block.column)
        kept = "\n".join(text.removeprefix(further) for text in lines)
        fixes = (Fix(f"Take the rules out of `{block.key}`", (Edit(Span(start, end), kept),), preferred=True),)
    return Finding("ABL445", block.key_span, {"p": block.key}, fixes=fixes)


def malformed_tool(span: Span, detail: str, fixes: tuple[Fix, ...] = ()) -> Finding:
    """ABL806."""
    return Finding("ABL806", span, {"detail": detail}, fixes=fixes)


def unknown_hook(span: Span, written: str, candidates: Iterable[str]) -> Finding:
    """ABL970."""
    return renamed("ABL970", span, {"h": written}, written, candidates)
