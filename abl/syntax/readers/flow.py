"""FLOW: its five shapes and its steps (docs/spec 06 §2-§4)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.incremental.reader_cache import kept, read_again
from abl.syntax.lines.pieces import ARROW, cuts
from abl.syntax.lines.texts import bare_text, name_of
from abl.syntax.nodes import Block, Flow, IntentHandler, Name, Setting, Step, Text
from abl.syntax.readers.actions import read_directives
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import NAME, check_name, flag, item_head, names_of, with_colon
from abl.syntax.readers.flow_style import expanded, in_lines
from abl.syntax.readers.handlers import read_intents
from abl.syntax.recovery import findings
from abl.syntax.recovery.suggest import closest

FlowShape = Literal["A", "B", "C", "D", "E"]

_FLOW_KEYS: Final = ("entry_point", "steps", "global_digressions")
_WITH_LINES: Final = ("steps", "global_digressions")


class _FlowReader:
    """Collects what one FLOW section says."""

    def __init__(self, ctx: Context, path: str) -> None:
        self.ctx = ctx
        self.path = path
        self.entry: Name | None = None
        self.listed: list[Name] = []
        self.steps: list[Step] = []
        self.digressions: tuple[IntentHandler, ...] = ()
        self.shape: FlowShape | None = None

    def read(self, children: Sequence[Block]) -> None:
        """The lines under ``FLOW:``."""
        for written in children:
            step = read_again(read_step, self.ctx, written, self.path)
            if step is not None:
                self.steps.append(step)
                continue
            child = expanded(self.ctx, written)
            key = self._intended_key(child, children)
            if not child.colon:
                self._bare(child)
            elif key == "ENTRY_POINT" and not _holds_step(child):
                self.entry = name_of(child.value) if child.value is not None else None
                if child.value is None:
                    self.ctx.report(findings.empty_block(self.ctx.source, child.span, child.key))
            elif key == "STEPS" and not _holds_step(child):
                self._steps(child)
            elif key == "GLOBAL_DIGRESSIONS":
                if child.value is None and not child.children:
                    self.ctx.report(findings.empty_block(self.ctx.source, child.span, child.key))
                entries = in_lines(self.ctx, child)
                path = f"{self.path}.global_digressions"
                self.digressions = read_intents(self.ctx, entries, "digression", path, read_directives)
            elif child.value is not None and not child.children:
                given = {vocabulary.canonical_key(other.key) for other in children}
                self.ctx.report(findings.unknown_key(self.ctx.source, child, "FLOW", _FLOW_KEYS, given))
            else:
                self.step(child)

    def _intended_key(self, child: Block, children: Sequence[Block]) -> str:
        """The key of a line. A misspelt one with a list or steps below it, but nothing of a step, is reported."""
        close = closest(child.key, _WITH_LINES) if child.colon and not child.item else ()
        if not close or child.key.upper() in vocabulary.FLOW_KEYS or not _holds_entries(child):
            return child.key.upper()
        given = {vocabulary.canonical_key(other.key) for other in children}
        self.ctx.report(findings.unknown_key(self.ctx.source, child, "FLOW", _FLOW_KEYS, given))
        return close[0].upper()

    def step(self, block: Block) -> None:
        """A step definition."""
        self.steps.append(read_step(self.ctx, block, self.path))

    def _bare(self, block: Block) -> None:
        """A chain ``a -> b``, or a step whose colon is missing."""
        value = block.value
        if value is not None and value.style == "bare" and not block.item:
            if any(True for _ in cuts(ARROW, self.ctx.text, *value.span)):
                self._chain(value)
                return
            if block.children and NAME.fullmatch(value.value):
                self.ctx.report(findings.missing_colon(value.span, value.value))
                self.step(_as_key(block, value))
                return
            keyed = with_colon(self.ctx, block, vocabulary.FLOW_KEYS | {"entry_point", "steps"})
            if keyed.colon:
                self.read((keyed,))
                return
        self.ctx.skip(block, "This is no step", self.path)

    def _chain(self, value: Text) -> None:
        self.shape = "D"
        at = value.span.start
        ends = [*((m.start(), m.end()) for m in cuts(ARROW, self.ctx.text, *value.span)), (value.span.end, 0)]
        for end, following in ends:
            text = bare_text(self.ctx.text, at, end)
            if text is not None:
                self.listed.append(check_name(self.ctx, name_of(text), "step"))
            at = following

    def _steps(self, block: Block) -> None:
        """A list of names in any form, a chain, or the mapping of shape C."""
        value = block.value
        if (
            value is not None
            and value.style == "bare"
            and value.raw[:1] != "["
            and ("->" in value.raw or "→" in value.raw)
        ):
            self._chain(value)
        elif block.children and any(child.colon and not child.item for child in block.children):
            self.shape = "C"
            for child in block.children:
                if child.colon:
                    self.step(child)
                else:
                    self._bare(child)
        else:
            bodies = [child for child in block.children if child.item and child.colon and child.children]
            if bodies:
                self._bodies(block, bodies)
                names = tuple(child for child in block.children if child not in bodies)
                block = Block(block.key, block.key_span, value, names, block.span, block.line_span, block.column)
            without_dash = [child for child in block.children if not child.item]
            if without_dash:
                spans = [child.span for child in without_dash]
                line = without_dash[0].line_span
                self.ctx.report(findings.item_expected(self.ctx.source, line, block.key, spans))
            self.listed.extend(_listed_names(self.ctx, block))
            if bodies:
                return
            if value is None and not block.children:
                self.ctx.report(findings.empty_block(self.ctx.source, block.span, block.key))

    def _bodies(self, block: Block, items: Sequence[Block]) -> None:
        """Definitions that are items of the list: read as those of shape C, and reported."""
        self.ctx.report(findings.listed_bodies(self.ctx.source, block, items))
        for item in items:
            head, rest = item_head(item, keep_nested=True)
            below = (*head.children, *rest)
            name = item.value if item.key.upper() == "NAME" else None
            key, span = (name.value, name.inner) if name is not None else (item.key, item.key_span)
            self.step(Block(key, span, None, below, item.span, item.line_span, item.column))


@kept
def _listed_names(ctx: Context, block: Block) -> tuple[Name, ...]:
    return tuple(check_name(ctx, name, "step") for name in names_of(ctx, block))


def _holds_step(block: Block) -> bool:
    return any(child.key == "REASONING" for child in block.children)


def _holds_entries(block: Block) -> bool:
    """True for a list, or for steps, below a key that is no step itself."""
    if any(_is_directive(below) for below in block.children):
        return False
    return bool(block.children) and all(
        below.item or any(_is_directive(one) for one in below.children) for below in block.children
    )


def _is_directive(block: Block) -> bool:
    return vocabulary.canonical_key(block.key) in vocabulary.STEP_DIRECTIVES


def _as_key(block: Block, value: Text) -> Block:
    return Block(
        value.value,
        value.span,
        None,
        block.children,
        block.span,
        block.line_span,
        block.column,
        block.item,
        True,
        block.comments,
    )


def read_flow(ctx: Context, block: Block, detached: Iterable[Block] = (), path: str = "flow") -> Flow:
    """The FLOW section; ``detached`` are step definitions at column 0 (shape E)."""
    reader = _FlowReader(ctx, path)
    reader.read(block.children)
    end = block.span.end
    for step in detached:
        reader.step(step)
        end = step.span.end
    shape: FlowShape = "E" if end != block.span.end else reader.shape or ("A" if reader.listed else "B")
    return Flow(
        span=Span(block.span.start, end),
        path=path,
        block=block,
        entry_point=reader.entry,
        listed=tuple(reader.listed),
        steps=tuple(reader.steps),
        digressions=reader.digressions,
        shape=shape,
    )


def named_steps(block: Block) -> frozenset[str]:
    """Names that ``entry_point`` and ``steps`` of a FLOW block mention, for finding detached steps."""
    names: set[str] = set()
    for child in block.children:
        if child.key.upper() in ("ENTRY_POINT", "STEPS") or not child.colon:
            texts = [child.value.raw] if child.value is not None else []
            texts += [item.value.raw for item in child.children if item.item and item.value is not None]
            for text in texts:
                names.update(text.replace("->", " ").replace("→", " ").strip("[]").replace(",", " ").split())
    return frozenset(names)


@kept
def read_step(ctx: Context, block: Block, path: str = "flow") -> Step:
    """A step definition: its settings and directives in authored order."""
    name = check_name(ctx, Name(block.key, block.key_span), "step", NAME)
    at = f"{path}.{name.value}"
    if not block.children:
        ctx.report(findings.empty_block(ctx.source, block.span, block.key))
    directives = read_directives(ctx, block.children, "step", at)
    reasoning = next((d.value for d in directives if isinstance(d, Setting) and d.keyword == "REASONING"), None)
    return Step(span=block.span, path=at, block=block, name=name, reasoning=flag(reasoning), directives=directives)
