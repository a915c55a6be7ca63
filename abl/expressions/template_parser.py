"""Reads the tags of a template (docs/spec 02 §9) in linear time. Whatever cannot be read becomes a problem."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from abl.quick import make_quickly

from . import bounds
from .errors import ExpressionError
from .expression import Expression


@dataclass(frozen=True, slots=True)
class Text:
    """Literal text; `text` differs from the span where lines with block tags and backslashes went."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Slot:
    """`{{source}}`, or the operand of a block tag. `start`, `end` span the tag, `offset` is where `source` starts.

    `added` is the integer of `{{add x 1}}` (negative for `sub`); `legacy` marks `${path}`. Exactly one of `expression`
    and `error` is set; the error counts offsets from `offset`.
    """

    start: int
    end: int
    source: str
    offset: int
    expression: Expression | None
    error: ExpressionError | None
    added: int | None = None
    legacy: bool = False


@dataclass(frozen=True, slots=True)
class If:
    """`{{#if condition}}then{{else}}otherwise{{/if}}`; `start`, `end` span the opening tag."""

    start: int
    end: int
    condition: Slot
    then: tuple[Part, ...]
    otherwise: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Each:
    """`{{#each subject}}body{{/each}}`; `start`, `end` span the opening tag."""

    start: int
    end: int
    subject: Slot
    body: tuple[Part, ...]


Part: TypeAlias = Text | Slot | If | Each


@dataclass(frozen=True, slots=True)
class Problem:
    """Something an author should know: ABL250, ABL251, ABL252, ABL256, ABL257, or the code of an ExpressionError.

    `name` is the helper or path in question, `replacement` the right text from `start` to `end` where one is known.
    """

    code: str
    start: int
    end: int
    reason: str
    name: str = ""
    replacement: str | None = None


@dataclass(frozen=True, slots=True)
class SingleBrace:
    """`{name}`, which is printed as it is; a slip when the name is known (ABL254)."""

    name: str
    start: int
    end: int


make_quickly((Text, Slot))


@dataclass(slots=True)
class _Open:
    """A block whose end was not read yet. `branch` is 0 in `then` or a body, 1 behind `{{else}}`."""

    helper: str
    slot: Slot
    parts: tuple[list[Part], list[Part]] = field(default_factory=lambda: ([], []))
    branch: int = 0
    chained: bool = False

    def closed(self) -> Part:
        if self.helper == "if":
            return If(self.slot.start, self.slot.end, self.slot, tuple(self.parts[0]), tuple(self.parts[1]))
        return Each(self.slot.start, self.slot.end, self.slot, tuple(self.parts[0]))


_OPENING = re.compile(r"\\\{\{|\{\{|\$\{(?!\{)")
_LEGACY = re.compile(r"\$\{\s*(@?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+|\[[0-9]+\])*)\s*\}")
_EVENT = re.compile(r"[\"']|\}\}")
_QUOTED: Final = {
    '"': re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL),
    "'": re.compile(r"[^'\\]*+(?:\\.[^'\\]*+)*+'", re.DOTALL),
}
_HELPER = re.compile(r"(add|sub)\s++(\S++(?:\s++\S++)*?)\s++(-?[0-9]{1,15})")
_UNKNOWN_HELPER = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:\s+[@A-Za-z0-9_.]+)+")
_BLOCK = re.compile(r"(#|/)\s*([A-Za-z_]*)\s*|(else)\b\s*")
_SINGLE = re.compile(r"(?<![{$\\])\{([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\}(?!\})")
_WORDS: Final = frozenset(("AND", "OR", "NOT", "IN", "IS", "and", "or", "not", "in", "is", "IMPLIES"))


def read_template(
    text: str, read_slot: Callable[[str], Expression]
) -> tuple[tuple[Part, ...], tuple[Problem, ...], tuple[SingleBrace, ...]]:
    """Parts, problems and single braces of a template. ``read_slot`` reads the expression in a slot."""
    reader = _Reader(text, read_slot)
    parts = reader.read()
    return parts, tuple(reader.problems), tuple(reader.braces)


class _Reader:
    def __init__(self, text: str, read_slot: Callable[[str], Expression]) -> None:
        self.text = text
        self.read_slot = read_slot
        self.problems: list[Problem] = []
        self.braces: list[SingleBrace] = []
        self.stack = [_Open("", Slot(0, 0, "", 0, None, None))]
        self.ends = _TagEnds(text)
        self.ignored: Counter[str] = Counter()

    def read(self) -> tuple[Part, ...]:
        position = self.written = 0
        while (found := _OPENING.search(self.text, position)) is not None:
            position = self.opening(found)
        self.literal(self.written, len(self.text))
        while len(self.stack) > 1:
            slot, helper = self.stack[-1].slot, self.stack[-1].helper
            reason = f"`{{{{#{helper}}}}}` is not closed"
            self.problems.append(Problem("ABL251", slot.start, slot.end, reason, helper))
            self.close_block()
        return tuple(self.stack[0].parts[0])

    def opening(self, found: re.Match[str]) -> int:
        """Handle what starts like a tag; returns where to continue."""
        start = found.start()
        if found.group() == "${":
            return self.legacy(start)
        if found.group() == "\\{{":
            self.literal(self.written, start)
            self.add(Text(start, found.end(), "{{"))
            self.written = found.end()
            return found.end()
        end = self.ends.after(found.end())
        if end is None:
            self.problems.append(Problem("ABL250", start, start + 2, "`{{` without `}}`"))
            return found.end()
        self.tag(start, end)
        return end

    def add(self, part: Part) -> None:
        block = self.stack[-1]
        block.parts[block.branch].append(part)

    def literal(self, start: int, end: int) -> None:
        """Text between tags; single braces in it are noted."""
        if start < end:
            self.add(Text(start, end, self.text[start:end]))
            for found in _SINGLE.finditer(self.text, start, end):
                self.braces.append(SingleBrace(found.group(1), found.start(), found.end()))

    def legacy(self, start: int) -> int:
        found = _LEGACY.match(self.text, start)
        if found is None:
            return start + 2
        self.literal(self.written, start)
        source = found.group(1)
        slot = self.slot(start, found.end(), source, found.start(1), legacy=True)
        self.problems.append(
            Problem("ABL256", start, found.end(), f"`${{{source}}}` is the legacy form", source, f"{{{{{source}}}}}")
        )
        self.add(slot)
        self.written = found.end()
        return found.end()

    # -- tags --------------------------------------------------------------------------------------------------

    def tag(self, start: int, end: int) -> None:
        inner = self.text[start + 2 : end - 2]
        source = inner.strip()
        offset = start + 2 + len(inner) - len(inner.lstrip())
        block = _BLOCK.match(source)
        if block is None or (block.group(3) and not self.is_else(source)):
            self.literal(self.written, start)
            self.written = end
            self.add(self.value_slot(start, end, source, offset))
            return
        self.cut_line(start, end)
        rest, rest_offset = source[block.end() :], offset + block.end()
        if block.group(3):
            self.else_tag(start, end, rest, rest_offset)
        elif block.group(1) == "#":
            self.open_tag(start, end, block.group(2), rest, rest_offset)
        else:
            self.close_tag(start, end, block.group(2))

    @staticmethod
    def is_else(source: str) -> bool:
        return source == "else" or re.match(r"else\s+if\b", source) is not None

    def cut_line(self, start: int, end: int) -> None:
        """Write the text before a block tag; a tag alone on its line takes the line with it."""
        first = start
        while first > 0 and self.text[first - 1] in " \t":
            first -= 1
        last = end
        while last < len(self.text) and self.text[last] in " \t\r":
            last += 1
        alone = (first == 0 or self.text[first - 1] == "\n") and (last == len(self.text) or self.text[last] == "\n")
        if alone:
            self.literal(self.written, max(first, self.written))
            self.written = min(last + 1, len(self.text))
        else:
            self.literal(self.written, start)
            self.written = end

    def open_tag(self, start: int, end: int, helper: str, source: str, offset: int) -> None:
        if helper not in ("if", "each") or len(self.stack) > bounds.MAX_BLOCK_NESTING:
            known = helper in ("if", "each")
            reason = "blocks nest too deeply" if known else f"unknown helper `#{helper}`"
            self.problems.append(Problem("ABL252", start, end, reason, f"#{helper}"))
            self.ignored[helper] += 1
            return
        self.stack.append(_Open(helper, self.slot(start, end, source, offset)))

    def else_tag(self, start: int, end: int, rest: str, offset: int) -> None:
        block = self.stack[-1]
        if block.helper != "if" or block.branch == 1:
            self.problems.append(Problem("ABL251", start, end, "`{{else}}` without `{{#if}}`", "else"))
            return
        block.branch = 1
        if rest:
            # Undocumented, so reported; read as an #if of its own behind {{else}}, which is what its author meant.
            self.problems.append(Problem("ABL252", start, end, "unknown helper `else if`", "else if"))
            if len(self.stack) > bounds.MAX_BLOCK_NESTING:
                return
            condition = re.sub(r"^if\s*", "", rest)
            slot = self.slot(start, end, condition, offset + len(rest) - len(condition))
            self.stack.append(_Open("if", slot, chained=True))

    def close_tag(self, start: int, end: int, helper: str) -> None:
        if self.ignored[helper]:
            self.ignored[helper] -= 1
            return
        if not any(block.helper == helper for block in self.stack[1:]):
            reason = f"`{{{{/{helper}}}}}` without `{{{{#{helper}}}}}`"
            self.problems.append(Problem("ABL251", start, end, reason, helper))
            return
        while self.stack[-1].helper != helper:
            block = self.stack[-1]
            reason = f"`{{{{#{block.helper}}}}}` is not closed"
            self.problems.append(Problem("ABL251", block.slot.start, block.slot.end, reason, block.helper))
            self.close_block()
        self.close_block()

    def close_block(self) -> None:
        """Put the innermost block, and the `{{#if}}` it continues with `{{else if}}`, into what is around it."""
        chained = True
        while chained:
            block = self.stack.pop()
            chained = block.chained
            self.add(block.closed())

    # -- expressions -------------------------------------------------------------------------------------------

    def value_slot(self, start: int, end: int, source: str, offset: int) -> Slot:
        helper = _HELPER.fullmatch(source)
        if helper is None:
            return self.slot(start, end, source, offset)
        amount = int(helper.group(3)) * (1 if helper.group(1) == "add" else -1)
        return self.slot(start, end, helper.group(2), offset + helper.start(2), added=amount)

    def slot(
        self, start: int, end: int, source: str, offset: int, *, added: int | None = None, legacy: bool = False
    ) -> Slot:
        expression, error = None, None
        try:
            expression = self.read_slot(source)
            self.check_each_names(expression, offset)
        except ExpressionError as problem:
            error = problem.kept()
            self.problems.append(self.unreadable(start, end, source, offset, problem))
        return Slot(start, end, source, offset, expression, error, added, legacy)

    def unreadable(self, start: int, end: int, source: str, offset: int, problem: ExpressionError) -> Problem:
        helper = _UNKNOWN_HELPER.fullmatch(source)
        if helper is not None and not _WORDS.intersection(source.split()):
            name = helper.group(1)
            return Problem("ABL252", start, end, f"unknown helper `{name}`", name)
        first, last = problem.start + offset, problem.end + offset
        return Problem(problem.code, first, max(last, first), problem.reason, "", problem.replacement)

    def check_each_names(self, expression: Expression, offset: int) -> None:
        if any(block.helper == "each" for block in self.stack):
            return
        for name in expression.names:
            if name.parts[0] == "this" or name.parts[0].startswith("@"):
                reason = f"`{name.parts[0]}` outside `{{{{#each}}}}`"
                self.problems.append(Problem("ABL257", name.start + offset, name.end + offset, reason, name.parts[0]))


class _TagEnds:
    """Finds where tags end: at the first `}}` outside quotes. Each quote is looked at once, whatever the text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.quote_ends: dict[int, int | None] = {}
        self.event_from = self.event_at = -1
        self.event: re.Match[str] | None = None

    def after(self, position: int) -> int | None:
        """The offset behind the `}}` of a tag whose content starts at `position`; None when there is none."""
        passed: list[int] = []
        end: int | None = None
        while (event := self.next_event(position)) is not None:
            if event.group() == "}}":
                end = event.end()
                break
            if event.start() in self.quote_ends:
                end = self.quote_ends[event.start()]
                break
            passed.append(event.start())
            closing = _QUOTED[event.group()].match(self.text, event.end())
            if closing is None:
                break
            position = closing.end()
        for quote in passed:
            self.quote_ends[quote] = end
        return end

    def next_event(self, position: int) -> re.Match[str] | None:
        """The next quote or `}}`; remembered, since many tags may ask for the same one."""
        if not self.event_from <= position <= self.event_at:
            self.event = _EVENT.search(self.text, position)
            self.event_from = position
            self.event_at = self.event.start() if self.event is not None else len(self.text)
        return self.event
