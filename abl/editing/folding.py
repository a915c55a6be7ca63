"""Folding ranges of a document: blocks of several lines, and comments (docs/spec 12 §1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from abl.source import Source, Span
from abl.syntax import nodes


class Fold(NamedTuple):
    """Lines that fold: ``span`` begins in the line that stays visible and ends in the last one that is hidden."""

    span: Span
    comment: bool = False


def folds(document: nodes.Document) -> list[Fold]:
    """Every block and every comment of more than one line, outer ones first."""
    source = document.source
    found = [*_blocks(source, document.blocks), *_comments(source, document.comments)]
    return sorted(found, key=lambda fold: (fold.span.start, -fold.span.end))


def _blocks(source: Source, blocks: Sequence[nodes.Block]) -> Iterator[Fold]:
    for root in blocks:
        for block in root.walk():
            if "\n" in source.text[block.span.start : block.span.end]:
                yield Fold(block.span)


def _comments(source: Source, comments: Sequence[nodes.Comment]) -> Iterator[Fold]:
    """Comments on lines that follow each other are one."""
    run: list[nodes.Comment] = []
    for comment in sorted(comments, key=lambda comment: comment.span):
        line = source.position(comment.span.start).line
        if run and line != source.position(run[-1].span.start).line + 1:
            yield from _run(run)
            run = []
        run.append(comment)
    yield from _run(run)


def _run(comments: Sequence[nodes.Comment]) -> Iterator[Fold]:
    if len(comments) > 1:
        yield Fold(Span(comments[0].span.start, comments[-1].span.end), comment=True)
