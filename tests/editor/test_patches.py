"""Tokens after an edit: what the page has, patched, is what it would get from a full answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abl.editing.tokens import KINDS, tokens
from abl.source import Source
from editor.editing.patches import Units, patch

TEXT = """\
AGENT: Desk
GOAL: |
  Lend books,
  # and take them back
MEMORY:
  session:
    - name
      TYPE: string
CONSTRAINTS:
  rules:
    - REQUIRE name IN ["a",
        "b"]
      ON_FAIL: "No, {{name}}"
"""


def shown(flat, start):
    """(start, end, kind) of what an answer gives."""
    found, at = [], start
    for gap, length, kind in zip(flat[::3], flat[1::3], flat[2::3], strict=True):
        found.append((at + gap, at + gap + length, KINDS[kind]))
        at += gap + length
    return found


def full(text):
    units = Units(text)
    return [(units.units(a), units.units(b), kind) for a, b, kind in tokens(text) if kind != "text"]


def utf16(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


@pytest.mark.parametrize(
    "text", ["", "\n", TEXT, "\ufeff" + TEXT, TEXT.replace("\n", "\r\n"), "# 👩🏽‍🚀 x\nA: 😀 {{b}} 1\n", "\t- x:\t1"]
)
def test_a_first_answer_holds_every_token(text):
    answer = patch(Source(text))[0].as_dict(Units(text))
    assert shown(answer["tokens"], answer["from"]) == full(text)
    assert (answer["from"], answer["to"]) == (0, utf16(text))


def patched(old, new, touched):
    """What a page shows after an edit: its tokens moved as CodeMirror moves them, those of the answer put in."""
    start, old_end, new_end = touched
    _, lines = patch(Source(old))
    units, shift = Units(new), new_end - old_end
    answer = patch(Source(new), lines, (start, new_end))[0].as_dict(units)
    kept = []
    for a, b, kind in tokens(old):
        if kind == "text" or (a < old_end and b > start):
            continue
        kept.append((a, b, kind) if b <= start else (a + shift, b + shift, kind))
    moved = [(units.units(a), units.units(b), kind) for a, b, kind in kept]
    outside = [t for t in moved if t[1] <= answer["from"] or t[0] >= answer["to"]]
    return sorted(outside + shown(answer["tokens"], answer["from"]))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_an_edit_patches_to_the_same_tokens_as_a_full_answer(data):
    a = data.draw(st.integers(0, len(TEXT)))
    b = data.draw(st.integers(a, min(len(TEXT), a + 40)))
    put = data.draw(
        st.one_of(st.sampled_from(['"', "|", "\n", "  ", "{{", "[", "😀", "- x: 1\n", TEXT[a:b]]), st.text(max_size=8))
    )
    new = TEXT[:a] + put + TEXT[b:]
    assert patched(TEXT, new, (a, b, a + len(put))) == full(new)


def test_an_edit_of_one_line_answers_for_one_line():
    _, lines = patch(Source(TEXT))
    edited = TEXT.replace("TYPE: string", "TYPE: number")
    changed, _ = patch(Source(edited), lines, (edited.index("number"), edited.index("number") + 6))
    assert edited[changed.start : changed.end] == "      TYPE: number"


def test_an_edit_that_changes_the_lines_below_answers_for_these_too():
    _, lines = patch(Source(TEXT))
    edited = TEXT.replace("GOAL: |", "GOAL: ")
    changed, _ = patch(Source(edited), lines)
    assert "# and take them back" in edited[changed.start : changed.end]


@given(st.text(alphabet="a😀\n€", max_size=30), st.integers(0, 30))
def test_units_go_there_and_back(text, offset):
    offset = min(offset, len(text))
    units = Units(text)
    assert units.units(offset) == utf16(text[:offset])
    assert units.points(units.units(offset)) == offset
