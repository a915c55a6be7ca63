"""The tree keeps every character of a text, and every node stands where its words are (docs/spec 01 §10)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from abl.editing.format import format_source
from abl.syntax import nodes, parse
from tests.abl.syntax.test_corpus import CORPUS

EXAMPLES = Path(__file__).parents[4] / "examples"


def texts() -> Iterator[str]:
    for path in sorted(CORPUS.glob("*.txt")):
        for case in path.read_text(encoding="utf-8").split("=== ")[1:]:
            yield case.partition("\n")[2].partition("\n---\n")[0] + "\n"
    for path in sorted(EXAMPLES.glob("**/*.abl")):
        yield path.read_text(encoding="utf-8")


def nodes_of(part: object) -> Iterator[nodes.Node | nodes.Text | nodes.Name]:
    """Everything typed below a part of the tree."""
    if isinstance(part, (nodes.Text, nodes.Name)):
        yield part
    elif isinstance(part, tuple):
        for one in part:
            yield from nodes_of(one)
    elif isinstance(part, nodes.Node):
        yield part
        for name in part.__dataclass_fields__:
            if name not in ("block", "props", "span"):
                yield from nodes_of(getattr(part, name))


@pytest.mark.full
def test_every_character_is_in_a_line_a_comment_or_reported() -> None:
    for text in texts():
        document = parse(text)
        kept = bytearray(len(text))
        spans = [comment.span for comment in document.comments]
        spans += [unknown.span for unknown in document.unknown]
        spans += [finding.span for finding in document.findings]
        for root in document.blocks:
            for block in root.walk():
                spans += [block.line_span, block.value.span] if block.value is not None else [block.line_span]
        for start, end in spans:
            kept[start:end] = b"x" * (end - start)
        lost = [text[at:] for at in range(len(text)) if not kept[at] and not text[at].isspace()]
        assert not lost, lost[0][:80]


def test_texts_and_names_stand_where_their_characters_are() -> None:
    for text in texts():
        document = parse(text)
        for root in (*document.agents, *document.fragments, *document.profiles, *document.tool_files):
            for part in nodes_of(root):
                if isinstance(part, nodes.Text) and part.style != "pipe" and part.inner != part.span:
                    assert text[slice(*part.inner)] == part.raw
                elif isinstance(part, nodes.Name) and part.value and part.value.isidentifier():
                    assert part.value.lower() in (text[slice(*part.span)].lower(), "returning"), part


def test_nodes_stand_within_the_text_and_have_paths() -> None:
    for text in texts():
        document = parse(text)
        for root in (*document.agents, *document.fragments, *document.profiles, *document.tool_files):
            for part in nodes_of(root):
                if isinstance(part, nodes.Node):
                    assert 0 <= part.span.start <= part.span.end <= len(text)
                    assert part.path


@pytest.mark.full
def test_formatting_loses_no_character_and_adds_none() -> None:
    for text in texts():
        before, after = (Counter("".join(one.lower().split())) for one in (text, format_source(text)))
        assert before == after, text
