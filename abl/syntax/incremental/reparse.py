"""``reparse``: the tree of a text that differs from one already parsed, at the cost of what differs (docs/spec 01 §10).

``reread`` is the same for a text that does not differ, but of which some words are read as others.

Blocks above and below the difference are taken over, those below it moved. A block is taken over only if everything
its lines depend on is the same: the lines themselves, the comments above, and the line behind it, which ends it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from abl.limits import MAX_SOURCE_CHARS
from abl.source import Source, Span
from abl.syntax.document import begun, finished, parse
from abl.syntax.incremental.relocation import moved
from abl.syntax.lines.blocks import UnchangedBlocks, build
from abl.syntax.nodes import Block, Comment, Document, Trail
from abl.syntax.readers.context import Corrections
from abl.syntax.recovery.findings import ODD_INDENT
from abl.syntax.vocabulary import TEXT_CONTAINERS


def reparse(previous: Document, text: str) -> Document:
    """The same result as ``parse(text, previous.source.path)``, but faster when little has changed."""
    old, trail = previous.source, previous.trail
    if trail is None or not _simple(old.text, trail) or not _simple(text, trail):
        return parse(text, old.path)
    ctx = begun(Source(text, old.path))
    if (ctx.yaml, ctx.mixed) != (previous.yaml, trail.mixed):
        return parse(text, old.path)
    start, end = common_ends(old.text, text)
    same = _Same(previous, trail, ctx.source, Span(start, len(old.text) - end))
    return finished(ctx, build(ctx, ctx.text, dict(same.unchanged_blocks(previous.blocks))))


def reread(document: Document, corrections: Corrections) -> Document:
    """The same text as it is read with words of the language in place of misspelt ones (docs/spec 05 §1).

    All positions are those of the text. What holds none of the misspelt words is taken over as it is.
    """
    source, trail = document.source, document.trail
    ctx = begun(source, corrections)
    unchanged: dict[int, UnchangedBlocks] = {}
    same_form = trail is not None and (ctx.yaml, ctx.mixed) == (document.yaml, trail.mixed)
    if trail is not None and same_form and corrections and _simple(source.text, trail):
        changed = Span(min(corrections).start, max(span.end for span in corrections))
        unchanged = dict(_Same(document, trail, source, changed).unchanged_blocks(document.blocks))
    return finished(ctx, build(ctx, ctx.text, unchanged))


def _simple(text: str, trail: Trail) -> bool:
    """False for texts in which distant lines may depend on each other: tabs that mix with spaces, a limit reached.

    The same holds where blanks other than spaces and tabs are reported, which is done once for a text.
    """
    if trail.tangled or "\t" in text or len(text) > MAX_SOURCE_CHARS:
        return False
    return text.isascii() or ODD_INDENT.search(text) is None


def common_ends(one: str, two: str) -> tuple[int, int]:
    """Lengths of the longest common start and, behind it, end of two texts."""
    most = min(len(one), len(two))
    start = _longest(most, lambda size: one.startswith(two[:size]))
    end = _longest(most - start, lambda size: one.endswith(two[len(two) - size :]))
    return start, end


def _longest(most: int, fits: Callable[[int], bool]) -> int:
    """The largest size up to ``most`` that fits, where every smaller size fits too."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if fits(middle):
            least = middle
        else:
            most = middle - 1
    return least


class _Same:
    """Finds the blocks of the previous tree that stand unchanged in the new text."""

    def __init__(self, previous: Document, trail: Trail, new: Source, changed: Span) -> None:
        self.old = previous.source
        self.trail = trail
        self.comments = previous.comments
        self.start, self.tail = changed
        self.shift = len(new.text) - len(self.old.text)
        self.line_shift = new.line_count - self.old.line_count

    def unchanged_blocks(
        self, blocks: Sequence[Block], depth: int = 1, within: Block | None = None, behind: Block | None = None
    ) -> Iterator[tuple[int, UnchangedBlocks]]:
        """The unchanged ones, as many together as possible, by the line of the new text where each row begins.

        ``within`` is the block that holds them, ``behind`` follows them.
        """
        around = _Enclosing(depth, within)
        above = _longest(len(blocks), lambda count: self._is_above(blocks, count - 1, behind))
        below = len(blocks) - _longest(len(blocks) - above, lambda count: self._is_below(blocks[-count]))
        yield from self._row(blocks[:above], (0, 0), around, blocks[above] if above < len(blocks) else behind)
        for number in range(above, below):
            following = blocks[number + 1] if number + 1 < len(blocks) else behind
            yield from self._inside(blocks[number], depth, following)
        yield from self._row(blocks[below:], (self.shift, self.line_shift), around, behind)

    def _is_above(self, blocks: Sequence[Block], number: int, behind: Block | None) -> bool:
        """True for a block that ends, with the line behind it, above the difference."""
        after = blocks[number + 1] if number + 1 < len(blocks) else behind
        if after is None or after.span.start >= self.start:
            return False
        line = self._line(after.span.start) + 1
        return line < self.old.line_count and self.old.line_starts[line] <= self.start

    def _is_below(self, block: Block) -> bool:
        """True for a block that begins below the line on which the difference ends."""
        return self.old.line_starts[self._line(block.span.start)] > self.tail

    def _row(
        self, blocks: Sequence[Block], place: tuple[int, int], around: _Enclosing, behind: Block | None
    ) -> Iterator[tuple[int, UnchangedBlocks]]:
        """Unchanged blocks that have moved by so many characters and lines; without those that are not sure."""
        if not blocks:
            return
        together = not around.is_item or len(blocks) == 1
        if together and not self._unsure(blocks[0], blocks[-1]):
            yield self._moved_blocks(blocks, place, around)
            return
        for number, block in enumerate(blocks):
            if not self._unsure(block, block):
                yield self._moved_blocks((block,), place, around)
            else:
                yield from self._inside(block, around.depth, blocks[number + 1] if number + 1 < len(blocks) else behind)

    def _inside(self, block: Block, depth: int, behind: Block | None) -> Iterator[tuple[int, UnchangedBlocks]]:
        if block.children:
            yield from self.unchanged_blocks(block.children, depth + 1, block, behind)

    def _line(self, offset: int) -> int:
        return bisect_right(self.old.line_starts, offset) - 1

    def _unsure(self, first: Block, last: Block) -> bool:
        unsure = self.trail.unsure
        at = bisect_left(unsure, self.old.line_starts[self._line(first.span.start)])
        return at < len(unsure) and self._line(unsure[at]) <= self._line(last.span.end)

    def _moved_blocks(
        self, blocks: Sequence[Block], place: tuple[int, int], around: _Enclosing
    ) -> tuple[int, UnchangedBlocks]:
        shift, lines = place
        whole = Span(blocks[0].span.start, blocks[-1].span.end)
        first, last = self._line(whole.start), self._line(whole.end)
        return first + lines, UnchangedBlocks(
            blocks=tuple(blocks),
            shift=shift,
            end=whole.end + shift,
            lines=last - first + 1,
            depth=around.depth,
            in_texts=around.in_texts,
            above=moved(blocks[0].comments, shift),
            comments=moved(_within_comments(self.comments, whole), shift),
            blanked=moved(_within(self.trail.blanked, whole), shift),
        )


class _Enclosing:
    """What encloses blocks: how many others, and what the nearest of these is."""

    def __init__(self, depth: int, within: Block | None) -> None:
        self.depth = depth
        self.is_item = within is not None and within.item
        self.in_texts = within is not None and within.value is None and within.key.upper() in TEXT_CONTAINERS


def _within(spans: Sequence[Span], whole: Span) -> tuple[Span, ...]:
    return tuple(spans[bisect_left(spans, whole.start, key=_start) : bisect_left(spans, whole.end, key=_start)])


def _within_comments(comments: Sequence[Comment], whole: Span) -> tuple[Comment, ...]:
    if not comments:
        return ()
    first = bisect_left(comments, whole.start, key=lambda comment: comment.span.start)
    return tuple(comments[first : bisect_left(comments, whole.end, key=lambda comment: comment.span.start)])


def _start(span: Span) -> int:
    return span.start
