"""Where a line is in the tree of blocks: its parent, and whether its column fits (docs/spec 01 §2, §10).

A line closes every block that does not stand left of it; what is then on top of the stack is its parent. If the line
does not share the column of its siblings it is still their sibling, and reported (ABL108). So is one that was indented
too far or too little for what it can only be, as far as the lines around it show.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from abl.limits import MAX_BLOCK_DEPTH
from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.lines.nesting import around_decides, holds, is_beside, is_ended_by, is_signature
from abl.syntax.lines.open_blocks import NO_COMMENTS, Open
from abl.syntax.lines.scanner import CONTENT, Line, scan_line
from abl.syntax.lines.tabs import TabReader
from abl.syntax.nodes import Block
from abl.syntax.readers.context import Context
from abl.syntax.recovery import findings
from abl.syntax.recovery.unattached_lines import LookAhead

_ROOT_LINE: Final = Line(CONTENT)
_LOOK_AHEAD: Final = 200
_MOST_FIXED: Final = 200
"""Lines in wrong columns that are offered to be moved; each may move many others."""
_HOLD_SECTION_WORDS: Final = vocabulary.words("AGENT SUPERVISOR BEHAVIOR_PROFILE ON_START NLU ESCALATE")
"""Sections that have keys with the names of sections."""
_WITHIN: Final = {
    **dict.fromkeys((*vocabulary.RESULT_BLOCKS, "ON_INPUT"), vocabulary.BRANCH_KEYS),
    **dict.fromkeys(("GATHER", "COLLECT"), vocabulary.FIELD_KEYS | vocabulary.GATHER_OPTIONS),
    "DIGRESSIONS": vocabulary.HANDLER_KEYS,
    "SUB_INTENTS": vocabulary.SUB_INTENT_KEYS,
}
"""Directives of a step with lines below them, and what is there."""
_IN_SECTION: Final = {
    "MEMORY": frozenset({"session", "persistent", "remember", "recall"}),
    "FLOW": frozenset({"steps", "entry_point", "global_digressions"}),
    "HOOKS": frozenset(vocabulary.HOOKS),
    "TOOLS": frozenset(),
}
"""Lines of sections that begin no section themselves; those of TOOLS are signatures."""
_PROPERTIES: Final = vocabulary.FIELD_KEYS | vocabulary.STEP_DIRECTIVES | vocabulary.TOOL_KEYS
"""Keys of entries with many properties."""
_STEP_BLOCKS: Final = vocabulary.STEP_DIRECTIVES - vocabulary.BRANCH_KEYS
"""Directives of a step that no branch has."""


class Placement(TabReader):
    """The stack of open blocks. Each line that is taken into a block makes room for itself first."""

    def __init__(self, ctx: Context, text: str) -> None:
        super().__init__(ctx, text)
        self.stack = [Open(_ROOT_LINE, 0, 0, None, NO_COMMENTS, column=0)]
        self.slips = 0
        self.too_deep = False
        self.ahead = LookAhead(self.lines)
        self.last = 0  # offset of the last line that was taken into a block

    def outermost(self) -> None:
        """Find the column of the outermost lines, where the first line does not be in it."""
        lines = (scan_line(text) for text in self.lines)
        columns = (line.column for line in lines if line.kind == CONTENT)
        if next(columns, 1) > 1:
            self.stack[0].expected = min(columns, default=0)

    def make_room(self, line: Line, base: int, following: int) -> int:
        """Close blocks until the parent of the line is on top, and check the line's column; returns what it counts as.

        ``following`` is the index of the next line.
        """
        column, stack = line.column, self.stack
        if column == 1:
            self.tabs = 0
            if len(stack) > 1 and not line.item and vocabulary.section_keyword(line.key) is None:
                if line.colon and len(stack) > 2 and line.value == line.end and self._is_step(line, following):
                    return self._step(line, base)
                if self._is_in_section(line, following):
                    return self._into_section(line, base)
        while stack[-1].column >= column:
            top = stack[-1]
            if top.column == column:
                if line.item:
                    if top.takes_flat_items() and self._goes_on(line, base, following, top):
                        has_rest = top.expected > column and self.ahead.behind(following).column > top.expected
                        return top.expected if has_rest else column
                elif len(stack) == 3 and top.expected and self._is_directive(line, top):
                    self.misplaced(line, base, top.expected)
                    return top.expected
                elif line.colon and column > 1 and self._is_property(line, following, top):
                    expected = top.hang or top.expected or column + 2
                    if not top.line.item:
                        top.expected = expected
                    self.misplaced(line, base, expected)
                    return expected
            self.close()
        if column > 1 and line.tabs:
            self.check_tabs(line, base)
        column = self._settle(line, base, following)
        if len(stack) > MAX_BLOCK_DEPTH:
            self._limit_depth(line, base)
        return column

    def _settle(self, line: Line, base: int, following: int) -> int:
        """Check the column of a line, whose parent is on top of the stack as far as columns show."""
        column, stack = line.column, self.stack
        depth = len(stack)
        parent = stack[-1]
        if depth > 1 and (parent.value is not None or (line.colon and (line.value == line.end or depth == 4))):
            self._leave_too_deep(line, base, following)
            if len(stack) < depth:
                return self._moved_out(line, base, following)
        if parent.hang and column > parent.hang and parent.has_room_at_head(line):
            if not parent.nested:
                parent.nested = column
            elif parent.nested != column:
                self.misplaced(line, base, parent.nested)
            return column
        expected = parent.expected or (parent.hang if column < parent.hang else 0)
        if expected:
            if column != expected:
                self._out_of_line(line, base, following, expected)
                if column < expected and parent.expected != column and self.ahead.behind(following).column > expected:
                    return expected  # so that what stands where it should ends it
            return column
        usual = parent.hang or parent.column + 2
        if depth > 1 and column == usual - 1 and line.value == line.end:
            self.unsure.append(self.last)
            if self.ahead.behind(following).column == usual + 2:  # one blank is missing, here only
                self.misplaced(line, base, usual)
                column = usual
        if depth > 1 and column > usual and self._is_too_deep(line, following, parent):
            self.misplaced(line, base, usual)
            column = usual
        parent.expected, parent.first = column, (line, base)
        return column

    # Lines that were indented too far -------------------------------------------------------------------------------

    def _leave_too_deep(self, line: Line, base: int, following: int) -> None:
        """Close the blocks in whose column a line stands though it cannot be part of them."""
        stack = self.stack
        parent = stack[-1]
        if parent.value is not None:
            text = self.lines[following - 1][line.content : line.end]
            while len(stack) > 1 and stack[-1].value is not None and self._is_beside(line, text):
                self._close_early()
            if stack[-1] is not parent:
                return
        if line.item or not line.colon:
            return
        if line.value < line.end:
            if len(stack) == 4 and self._is_behind(line, parent):
                self._close_early()
            return
        below = self.ahead.behind(following)
        if below.column != line.column or (self.ctx.yaml and below.item and not parent.holds_items()):
            return
        if parent.holds_items() or is_ended_by(parent.line, below):
            self._close_early()
        elif len(stack) == 2:
            if self._is_section(line, parent):
                self._close_early()
        elif self._is_of_flow(line, below, base):
            self._close_early()

    def _close_early(self) -> None:
        """Close a block that a line does not end by its column alone."""
        self.unsure.append(self.stack[-1].base)
        self.close()

    def _is_beside(self, line: Line, text: str) -> bool:
        """True for a line that cannot be below the block on top, whose value is on its line."""
        parent = self.stack[-1]
        value = parent.value
        if value is None or value.style == "pipe":
            return False
        around = self.stack[-2].line.key.upper() if len(self.stack) > 1 else ""
        beside = is_beside(line, text, parent.line, value.value, around)
        if around_decides(parent.line, around):
            self.unsure.append(parent.base)
        return beside

    def _is_behind(self, line: Line, parent: Open) -> bool:
        """True for a directive of a step below one that holds no such."""
        key = line.key
        legal = _WITHIN.get(parent.line.key.upper())
        if legal is None or self.ctx.yaml or key not in vocabulary.STEP_DIRECTIVES or key in legal:
            return False
        self.unsure.append(parent.base)
        return self.stack[1].line.key.upper() == "FLOW"

    def _is_section(self, line: Line, parent: Open) -> bool:
        """True for the keyword of a section that would be empty in the section where it stands."""
        if not (line.key.islower() if self.ctx.yaml else line.key.isupper()):
            return False
        keyword, around = vocabulary.section_keyword(line.key), parent.line.key.upper()
        if keyword is None or around in _HOLD_SECTION_WORDS or vocabulary.section_keyword(around) is None:
            return False
        return around != "FLOW" or keyword not in vocabulary.STEP_DIRECTIVES

    def _is_of_flow(self, line: Line, below: Line, base: int) -> bool:
        """True for a step among the directives of another, or a directive of a step among those of a branch."""
        key, depth = vocabulary.canonical_key(line.key), len(self.stack)
        if depth == 3:
            fits = key not in vocabulary.STEP_DIRECTIVES
            fits = fits and vocabulary.canonical_key(below.key) in vocabulary.STEP_DIRECTIVES
        else:
            fits = depth == 4 and key in _STEP_BLOCKS
        if not fits:
            return False
        self.unsure.append(base)
        return self.stack[1].line.key.upper() == "FLOW"

    def _moved_out(self, line: Line, base: int, following: int) -> int:
        """Report a line that was indented too far, unless it stands as its siblings should; returns its column."""
        parent = self.stack[-1]
        expected = parent.expected or parent.hang or line.column
        if line.column == expected:
            return expected
        if parent.first is not None and not parent.flat and self._is_as_usual(line, following, parent):
            self.misplaced(*parent.first, line.column)
            parent.expected = line.column
            return line.column
        if not parent.flat and parent.children:
            expected = parent.children[-1].column
        self.misplaced(line, base, expected)
        return expected if self._takes_next(line, following) else line.column

    def _takes_next(self, line: Line, following: int) -> bool:
        """True for a line in the wrong column when the next one, which is in it too, belongs below it."""
        below, text = self.ahead.behind(following), self.lines[following - 1]
        if below.column != line.column:
            return False
        if line.item:
            return not below.item
        return line.value == line.end or is_signature(text) or text.rstrip().endswith("|") or holds(line, below)

    def _is_too_deep(self, line: Line, following: int, parent: Open) -> bool:
        """True for the first line of a block, deeper than usual, that would be empty, or lack its properties, there."""
        if not line.item and (line.value < line.end if line.colon else not is_signature(self.lines[following - 1])):
            return False
        below = self.ahead.behind(following)
        if below.column != line.column or (line.item and below.item):
            return False
        if parent.line.item or (below.item and not self.ctx.yaml):
            return True
        column = line.column
        rows = [row for row in self._next_lines(following) if row.column <= column]
        ending = next((row for row in rows if row.column < column or row.item), _ROOT_LINE)
        if line.item:
            return not (ending.item and ending.column == column)
        beside = takewhile(lambda row: row.column == column, rows)
        return ending.column == parent.column + 2 or all(row.colon and row.value < row.end for row in beside)

    def _next_lines(self, following: int) -> Iterator[Line]:
        """The lines with content from an index on, as far as one looks ahead."""
        for text in self.lines[following : following + _LOOK_AHEAD]:
            line = scan_line(text)
            if line.kind == CONTENT:
                yield line

    def _out_of_line(self, line: Line, base: int, following: int, expected: int) -> None:
        """Report a line that is not in the column of its siblings, or the only sibling when that one is wrong."""
        parent = self.stack[-1]
        first = parent.first
        if first is not None and self._is_as_usual(line, following, parent):
            self.misplaced(*first, line.column)
            parent.expected = line.column
        else:
            self.misplaced(line, base, expected)

    def _is_as_usual(self, line: Line, following: int, parent: Open) -> bool:
        """True for a second line in the usual column, behind one that holds none, or when a third one follows there."""
        if len(parent.children or ()) != 1 or line.column != (parent.hang or parent.column + 2):
            return False
        beside = (row.column for row in self._next_lines(following) if row.column <= line.column)
        above = parent.first[0] if parent.first is not None else line
        return (not line.item and above.value < above.end) or next(beside, 0) == line.column

    # Lines that were indented too little ----------------------------------------------------------------------------

    def _goes_on(self, line: Line, base: int, following: int, top: Open) -> bool:
        """True for a list entry in the column of the list's key, which is reported once."""
        if top.children and not top.flat:
            if self.stack[-2].line.key.upper() == "CONSTRAINTS":  # where rules are in and beside phases (01 §7)
                self.unsure.append(self.last)
                rows = self._next_lines(following)
                if next((row.column for row in rows if row.item or row.column <= line.column), 0) != top.expected:
                    return False
            self.misplaced(line, base, top.expected)
        elif not top.flat and not self.ctx.yaml:
            self.misplaced(line, base, line.column + 2)
            top.expected = line.column + 2
        top.flat = True
        return True

    def _is_directive(self, line: Line, top: Open) -> bool:
        """True for a directive in the column of the step that it belongs to."""
        if self.ctx.yaml or line.key not in vocabulary.STEP_DIRECTIVES or line.key in vocabulary.FLOW_KEYS:
            return False
        if not top.children or not any(child.key in vocabulary.STEP_DIRECTIVES for child in top.children):
            return False
        self.unsure.append(self.last)
        flow = self.stack[-2]
        if flow.line.key.upper() != "FLOW" or top.line.key.upper() in vocabulary.FLOW_KEYS:
            return False
        listed = (self.text[slice(*child.span)] for child in flow.children or () if child.key.upper() == "STEPS")
        return not any(line.key in text for text in listed)

    def _is_property(self, line: Line, following: int, top: Open) -> bool:
        """True for a property in the column of its entry's key or dash: with a value, and deeper lines behind it."""
        above = top.line
        if line.value == line.end or (top.value is not None and above.colon and not above.item):
            return False
        if top.children and vocabulary.canonical_key(line.key) not in _PROPERTIES:
            return False
        if top.children and above.colon and not above.item and above.key in vocabulary.STEP_DIRECTIVES:
            return False  # a directive of the step: the line behind it may just as well be too deep
        self.unsure.append(self.last)
        below = self.ahead.behind(following)
        inner = top.hang or top.expected or line.column + 2
        if below.column != inner or below.item or holds(line, below):
            return False
        return self.lines[following - 1].rstrip()[-1:] not in "|>" and not line.opens

    def _is_in_section(self, line: Line, following: int) -> bool:
        """True for a line in column 1 that can only be in the section above."""
        section = self.stack[1]
        words = _IN_SECTION.get(section.line.key.upper())
        if words is None or section.value is not None:
            return False
        self.unsure.append(self.last)
        if not line.colon:
            return not words and is_signature(self.lines[following - 1])
        if line.key in words:
            return True
        below = self.ahead.behind(following)
        deep = 0 < section.expected < below.column and below.key in vocabulary.STEP_DIRECTIVES
        return deep and line.value == line.end and section.line.key.upper() == "FLOW"

    def _into_section(self, line: Line, base: int) -> int:
        """Take a line in column 1 as one of the section above; its column."""
        while len(self.stack) > 2:
            self.close()
        section = self.stack[1]
        section.expected = section.expected or 3
        self.misplaced(line, base, section.expected)
        return section.expected

    def _is_step(self, line: Line, following: int) -> bool:
        """True for the name of a step in column 1, below which stand directives in the column of the step above."""
        step = self.stack[2]
        if not step.expected or step.line.item:
            return False
        self.unsure.append(self.last)
        below = self.ahead.behind(following)
        if below.column != step.expected or below.key not in vocabulary.STEP_DIRECTIVES:
            return False
        return self.stack[1].line.key.upper() == "FLOW"

    def _step(self, line: Line, base: int) -> int:
        """Take the name of a step in column 1 as one of the flow; its column."""
        while len(self.stack) > 2:
            column = self.stack[-1].column
            self.close()
        self.misplaced(line, base, column)
        return column

    def misplaced(self, line: Line, base: int, expected: int) -> None:
        """Report a line that is not in the expected column (ABL108); the first ones with a fix."""
        if self.ctx.full:
            return
        self.slips += 1
        span = Span(base + line.indent, base + line.end)
        with_fix = self.slips <= _MOST_FIXED
        self.ctx.report(findings.bad_indent(self.ctx.source, span, line.column, expected, with_fix=with_fix))

    def _limit_depth(self, line: Line, base: int) -> None:
        if not self.too_deep:
            self.too_deep = True
            span = Span(base + line.indent, base + line.end)
            self.ctx.report(findings.unreadable(span, f"Blocks are nested deeper than {MAX_BLOCK_DEPTH}"))
        while len(self.stack) > MAX_BLOCK_DEPTH:
            self.close()

    def close(self) -> None:
        """Put the block on top into the one that holds it."""
        block = self.stack.pop()
        self._adopt(block.close(), block.end)

    def _adopt(self, block: Block, end: int) -> None:
        parent = self.stack[-1]
        if parent.children is None:
            parent.children = [block]
        else:
            parent.children.append(block)
        if end > parent.end:  # noqa: PLR1730  a call to max() costs as much as the rest of this
            parent.end = end
