"""What holds for every text, whatever it is: the functions of docs/spec 12 §1 answer, in range and in time.

Used by the tests, by ``fuzz_documents.py`` (``make fuzz``) and by ``fuzz_atheris.py``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise

import abl
from abl.analysis.index.documents import forget_documents
from abl.analysis.reporting.render import as_text, diagnostic_dict
from abl.diagnostics import Diagnostic, Edit
from abl.editing.edits import applied
from abl.editing.sameness import same_tree
from abl.editing.tokens import KINDS
from abl.expressions import Expression
from abl.source import Source

PATH = "desk.agent.abl"
BESIDE = 'AGENT: Beside\nGOAL: "Take over"\nMEMORY:\n  session:\n    - taken\n'
NOW = "2026-03-01T09:00:00.000Z"

OUTSIDE = ((1, 10_000), (10**9, 1), (0, -3), (-1, 5))
SECONDS = 2.0  # for what a text costs at the least, on a machine that does other things
SECONDS_PER_CHARACTER = 100e-6  # 1,000 lines of 40 characters are checked in a hundredth of that


@contextmanager
def in_time(text: str) -> Iterator[None]:
    """Fails when the body takes more processor time than its text is worth."""
    start = time.process_time()
    yield
    spent, allowed = time.process_time() - start, SECONDS + SECONDS_PER_CHARACTER * len(text)
    assert spent < allowed, f"{spent:.2f} s for {len(text)} characters"


def parsed(text: str) -> None:
    """``abl.parse``: its tree lies in the text, and what it noticed has words."""
    document = abl.parse(text, PATH)
    assert document.source.text == text
    _within(text, document.diagnostics)
    for root in document.blocks:
        for block in root.walk():
            assert 0 <= block.span.start <= block.span.end <= len(text)
            for child in block.children:
                assert block.span.start <= child.span.start <= child.span.end <= block.span.end
    assert isinstance(abl.outline({PATH: text}, PATH), list)


def checked(text: str) -> None:
    """``abl.check``: places and fixes in range, and all formats can say it."""
    report = abl.check({PATH: text, "beside.agent.abl": BESIDE})
    here = [found for found in report.diagnostics if found.path == PATH]
    _within(text, here)
    sources = {path: document.source for path, document in report.index.documents.items()}
    as_text(report.diagnostics, sources)
    json.dumps([diagnostic_dict(found, sources) for found in report.diagnostics])


def mended(text: str) -> None:
    """Every fix can be carried out, and what comes of it can be checked."""
    fixes = dict.fromkeys(fix.edits for found in abl.check({PATH: text}).diagnostics for fix in found.fixes)
    for edits in list(fixes)[:3]:
        abl.check({PATH: applied(text, edits)})


def coloured(text: str) -> None:
    """``abl.tokens``: pieces in order that cover the text."""
    at = 0
    for start, end, kind in abl.tokens(text):
        assert start == at < end
        assert kind in KINDS
        at = end
    assert at == len(text)


def formatted(text: str) -> None:
    """``abl.format_source``: formatting again changes nothing, and the tree stays."""
    once = abl.format_source(text)
    assert abl.format_source(once) == once
    if once != text:
        assert same_tree(abl.parse(text.removeprefix("\ufeff")), abl.parse(once))


def answered(text: str, offset: int) -> None:
    """``complete``, ``hover`` and ``code_actions`` at a place, and at places outside of the text."""
    source = Source(text, PATH)
    files = {PATH: text}
    line, column = source.position(offset)
    for at in ((line, column), OUTSIDE[offset % len(OUTSIDE)]):
        for item in abl.complete(files, PATH, *at):
            assert set(item) == {"label", "kind", "detail", "insert"}
        abl.hover(files, PATH, *at)
    for action in abl.code_actions(files, PATH, line, column):
        assert action["title"]
        assert action["edits"]


def rechecked(before: str, after: str) -> None:
    """A check that builds on the one before says what a check from scratch says."""
    abl.check({PATH: before})
    again = abl.check({PATH: after}).diagnostics
    forget_documents()
    assert again == abl.check({PATH: after}).diagnostics


def evaluated(text: str) -> None:
    """``abl.compile_expression`` refuses with a span, or gives an expression that every way of running it agrees on."""
    context = {"a": 1, "b": "x", "c": [1, {"k": "2026-03-01"}], "d": None, "e.f": True, "g": {"h": 2.5}}
    assert isinstance(abl.render(text, context, now=NOW), str)
    expression = _compiled(text)
    if expression is None or "UNIQUE_ID" in text.upper():
        return
    tree = expression.explain(context, now=NOW)
    assert expression.holds(context, now=NOW) is (tree["truthy"] and tree["status"] == "ok")
    if "size" not in tree:
        assert _same(expression.evaluate(context, now=NOW), tree["value"])
    json.dumps(expression.explain(context, now=NOW, full=True))


def _compiled(text: str) -> Expression | None:
    refused = None
    try:
        return abl.compile_expression(text)
    except abl.ExpressionError as error:
        refused = error
    assert 0 <= refused.start <= refused.end <= len(text)
    return None


ON_DOCUMENTS: tuple[Callable[[str], None], ...] = (parsed, checked, coloured, formatted)


def survives(text: str, offset: int) -> None:
    """What every function gives for one document; ``offset`` is a place in it."""
    for prove in ON_DOCUMENTS:
        with in_time(text):
            prove(text)
    with in_time(text):
        answered(text, offset)


def survives_changes(text: str, before: str) -> None:
    """What costs several checks: the fixes, and a check after an edit of ``before``."""
    with in_time(text * 5):
        mended(text)
    with in_time(before + text * 2):
        rechecked(before, text)


def _within(text: str, diagnostics: list[Diagnostic] | tuple[Diagnostic, ...]) -> None:
    for found in diagnostics:
        assert found.message
        assert 0 <= found.span.start <= found.span.end <= len(text), found
        for related in found.related:
            assert related.message
            if related.path == PATH:
                assert 0 <= related.span.start <= related.span.end <= len(text), found
        for fix in found.fixes:
            _carried_out(text, fix.edits, found)


def _carried_out(text: str, edits: tuple[Edit, ...], found: Diagnostic) -> None:
    assert edits, found
    in_order = sorted(edit.span for edit in edits)
    assert all(0 <= start <= end <= len(text) for start, end in in_order), found
    assert all(one.end <= two.start for one, two in pairwise(in_order)), found


def _same(one: object, two: object) -> bool:
    return repr(one) == repr(two) or one == two
