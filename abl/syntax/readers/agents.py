"""Sections -> an agent, a fragment, a profile or a tool file (docs/spec 01 §1, §6)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, partial
from typing import Any, Final

from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.lines.texts import first_word
from abl.syntax.nodes import Agent, Block, Constraints, Directive, Fragment, Name, Section
from abl.syntax.readers.actions import read_directives
from abl.syntax.readers.constraints import is_rule, read_constraints, rules_only
from abl.syntax.readers.content import profile_document, read_described
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import AGENT_NAME, check_name, name_from, texts_of, with_colon
from abl.syntax.readers.flow import named_steps, read_flow
from abl.syntax.readers.flow_style import expanded, in_rows, section_in_lines
from abl.syntax.readers.gather import read_gather
from abl.syntax.readers.handlers import read_action_handlers
from abl.syntax.readers.handoff import read_completions, read_handoffs, read_hooks, read_named_texts, read_on_start
from abl.syntax.readers.memory import read_memory
from abl.syntax.readers.tools import read_tools
from abl.syntax.recovery import findings
from abl.syntax.recovery.colons import mended
from abl.syntax.recovery.misplaced import report_misplaced
from abl.syntax.recovery.repeated_sections import choices, merge_fix
from abl.syntax.recovery.suggest import closest

_ONLY_DIRECTIVES: Final = (vocabulary.STEP_DIRECTIVES | {"ON_FAIL", "DELEGATE"}) - vocabulary.SECTIONS
_SECTION_NAMES: Final = tuple(sorted(vocabulary.SECTIONS - {"MODE"}))  # which was removed (ABL119)
_YAML_SECTION_NAMES: Final = tuple(name.lower() for name in _SECTION_NAMES)
_LIST_SECTIONS: Final = frozenset(
    {"MEMORY", "CONSTRAINTS", "FLOW", "TOOLS", "GATHER", "HANDOFF", "LIMITATIONS", "MESSAGES"}
)
_TYPED: Final = vocabulary.SCALAR_SECTIONS | vocabulary.words("MEMORY CONSTRAINTS FLOW TOOLS GATHER HANDOFF COMPLETE")
_KEPT_BELOW: Final = frozenset({"TOOLS", "MEMORY", "CONSTRAINTS", "HANDOFF", "COMPLETE"})  # entries open themselves
_OWN_COLONS: Final = _TYPED | vocabulary.words("LIMITATIONS TESTS ON_START HOOKS ACTION_HANDLERS")
"""Sections whose readers find missing colons themselves, or whose lines are no properties."""
_OF_EXECUTION: Final = vocabulary.words("MODEL FALLBACK_MODEL TEMPERATURE TOP_P TOP_K MAX_TOKENS SEED")
"""Properties that are easily taken for sections (09 §1)."""
_DIRECTIVE_NAMES: Final = tuple(sorted(_ONLY_DIRECTIVES - vocabulary.words("AS WITH CALL_WITH")))
_BEGINNINGS: Final = (*_SECTION_NAMES, *_DIRECTIVE_NAMES)
_PROFILE_ONLY: Final = vocabulary.PROFILE_SECTIONS - vocabulary.SECTIONS


class SectionReader:
    """Turns the column-0 blocks of one document into the fields of an ``Agent``."""

    def __init__(self, ctx: Context, blocks: Sequence[Block], prefix: str = "") -> None:
        self.ctx = ctx
        self.blocks = blocks
        self.prefix = prefix
        self.sections: list[Section] = []
        self.by_keyword: dict[str, list[Block]] = {}
        self.detached: list[Block] = []
        self.directives: list[Block] = []
        self.rules: list[Block] = []
        self.steps: frozenset[str] = frozenset()
        self.seen_flow = False
        self.headless = False

    def classify(self, directives: bool = False, rules: bool = False) -> None:
        """Sort the blocks; ``directives`` and ``rules``: what besides sections the text may hold."""
        for written in self.blocks:
            if written.item:
                self._item(written, rules)
                continue
            block = self._with_colon(written)
            if not block.colon:
                self.ctx.skip(block, "This line belongs to no section", "")
                continue
            keyword = vocabulary.section_keyword(block.key)
            if self._is_detached_step(block, keyword):
                self.detached.append(block)
            elif directives and vocabulary.canonical_key(block.key) in vocabulary.STEP_DIRECTIVES:
                self.directives.append(block)
            elif keyword is None:
                self._unknown(block)
            else:
                self._section(block, keyword)

    @cached_property
    def _given(self) -> frozenset[str]:
        """The sections that stand here and may stand once."""
        there = {vocabulary.section_keyword(block.key) or "" for block in self.blocks}
        return frozenset(there - vocabulary.REPEATABLE_SECTIONS)

    def _unknown(self, block: Block) -> None:
        """A section whose name is misspelt: what it says is not judged, but its names may be meant elsewhere."""
        if not self.ctx.full:
            names = _YAML_SECTION_NAMES if self.ctx.yaml else _SECTION_NAMES
            if self.prefix.startswith("profiles["):
                names = tuple(sorted(name.lower() if self.ctx.yaml else name for name in vocabulary.PROFILE_SECTIONS))
            elif self.headless:  # perhaps a fragment of directives
                names = (*names, *_DIRECTIVE_NAMES)
            elsewhere = block.key.upper() in _OF_EXECUTION
            self.ctx.report(
                findings.section_elsewhere(block.key_span, block.key, "EXECUTION")
                if elsewhere
                else findings.unknown_section(block.key_span, block.key, names, self._given)
            )
        self.ctx.silenced.append(Span(block.line_span.end, block.span.end))
        self.sections.append(
            Section(
                span=block.span,
                path=f"{self.prefix}{block.key.lower()}",
                block=block,
                keyword="",
                written=block.key,
                key_span=block.key_span,
                value=block.value,
            )
        )

    def _item(self, block: Block, rules: bool) -> None:
        if rules:
            self.rules.append(block)
        elif block.colon and self.directives:
            self.directives.append(block)
        else:
            self.ctx.skip(block, "This list item belongs to no section", "")

    def _with_colon(self, block: Block) -> Block:
        """``MEMORY`` or ``GOAL "x"`` with its missing colon (ABL110)."""
        if block.colon or block.value is None or block.value.style != "bare":
            return block
        word = first_word(block.value)
        if word.value not in vocabulary.SECTIONS and word.value not in vocabulary.STEP_DIRECTIVES:
            return block
        return with_colon(self.ctx, block, vocabulary.SECTIONS | vocabulary.STEP_DIRECTIVES)

    def _is_detached_step(self, block: Block, keyword: str | None) -> bool:
        if not self.seen_flow or (keyword is not None and block.key.isupper()) or not block.children:
            return False
        return block.key in self.steps or any(child.key == "REASONING" for child in block.children)

    def _section(self, block: Block, keyword: str) -> None:
        ctx = self.ctx
        right = block.key.lower() if ctx.yaml else block.key.upper()
        if block.key != right and not ctx.mixed:
            ctx.report(findings.section_case(block.key_span, block.key, right))
        if keyword == "MODE":
            ctx.report(findings.removed_mode(ctx.source, block.span))
        path = f"{self.prefix}{keyword.lower()}"
        if keyword not in _OWN_COLONS:
            block = mended(ctx, block)
        shown = block if keyword in _TYPED else in_rows(ctx, block)
        self.sections.append(
            Section(
                span=block.span,
                path=path,
                block=shown,
                keyword=keyword,
                written=block.key,
                key_span=block.key_span,
                value=block.value,
                described=read_described(ctx, block, keyword, path),
            )
        )
        known = self.by_keyword.setdefault(keyword, [])
        if known and keyword not in vocabulary.REPEATABLE_SECTIONS and keyword not in vocabulary.HEADERS:
            line = ctx.line_of(known[0].span.start)
            fixes = merge_fix(ctx, known[0], block) if keyword in _LIST_SECTIONS else choices(ctx, known[0], block)
            ctx.report(findings.duplicate_section(block.key_span, keyword, line, fixes))
        if block.value is None and not block.children:
            ctx.report(findings.empty_block(ctx.source, block.span, block.key))
        report_misplaced(ctx, block, keyword)
        known.append(block)
        if keyword == "FLOW":
            self.seen_flow = True
            self.steps |= named_steps(block)

    # Typed nodes ------------------------------------------------------------------------------------------------

    def block(self, keyword: str) -> Block | None:
        """The block of a section; repeated ones are put together."""
        blocks = self.by_keyword.get(keyword)
        if not blocks:
            return None
        first = blocks[0]
        if len(blocks) == 1:
            return first
        children = tuple(child for block in blocks for child in block.children)
        return Block(
            first.key,
            first.key_span,
            first.value,
            children,
            first.span,
            first.line_span,
            first.column,
            comments=first.comments,
        )

    def fields(self) -> dict[str, Any]:
        """Keyword arguments of ``Agent`` for all sections."""
        ctx, prefix = self.ctx, self.prefix
        found: dict[str, Any] = {"sections": tuple(self.sections)}
        readers = {
            "TOOLS": ("tools", read_tools),
            "MEMORY": ("memory", read_memory),
            "CONSTRAINTS": ("constraints", read_constraints),
            "HANDOFF": ("handoffs", read_handoffs),
            "COMPLETE": ("completions", read_completions),
            "ON_START": ("on_start", read_on_start),
            "HOOKS": ("hooks", read_hooks),
            "ACTION_HANDLERS": ("action_handlers", partial(read_action_handlers, read_directives=read_directives)),
        }
        for keyword, (name, read) in readers.items():
            block = self.block(keyword)
            if block is not None:
                shaped = expanded(ctx, block, names=True) if keyword in _KEPT_BELOW else section_in_lines(ctx, block)
                found[name] = read(ctx, shaped, f"{prefix}{keyword.lower()}")  # type: ignore[operator]
        gather = self.block("GATHER")
        if gather is not None:
            found["gather"] = read_gather(
                ctx, section_in_lines(ctx, gather), "GATHER", f"{prefix}gather", top_level=True
            )
        flow = self.block("FLOW")
        if flow is not None:
            found["flow"] = read_flow(ctx, expanded(ctx, flow, names=True), self.detached, f"{prefix}flow")
        for keyword in ("MESSAGES", "TEMPLATES"):
            block = self.block(keyword)
            if block is not None:
                found[keyword.lower()] = read_named_texts(ctx, section_in_lines(ctx, block))
        self._identity(found)
        return found

    def _identity(self, found: dict[str, Any]) -> None:
        """GOAL, PERSONA and LIMITATIONS, also from IDENTITY; the later in the file wins (01 §6)."""
        ctx = self.ctx
        for section in self.sections:
            block = section.block
            if block is None:
                continue
            if section.keyword in ("GOAL", "PERSONA") and section.value is not None:
                found[section.keyword.lower()] = section.value
            elif section.keyword == "LIMITATIONS":
                found["limitations"] = texts_of(ctx, block)
            elif section.keyword == "IDENTITY":
                for child in section_in_lines(ctx, block).children:
                    key = child.key.lower()
                    if key in ("role", "persona") and child.value is not None:
                        found["goal" if key == "role" else "persona"] = child.value
                    elif key == "limitations":
                        found["limitations"] = texts_of(ctx, child)

    def span(self) -> Span:
        """From the first to the last block."""
        return Span(self.blocks[0].span.start, max(block.span.end for block in self.blocks))


def read_agent(ctx: Context, header: Block | None, blocks: Sequence[Block], prefix: str = "") -> Agent:
    """One AGENT or SUPERVISOR document; ``header`` is among ``blocks``, None when it is missing."""
    reader = SectionReader(ctx, blocks, prefix)
    reader.headless = header is None and not _is_profile(blocks)
    reader.classify()
    name: Name | None = None
    kind = "agent"
    if header is not None:
        kind = "supervisor" if header.key.upper() == "SUPERVISOR" else "agent"
        name = name_from(header.value)
        if name is not None:
            check_name(ctx, name, kind, AGENT_NAME)
    path = prefix.rstrip(".") or kind
    return Agent(
        span=reader.span(),
        path=path,
        block=header,
        kind="supervisor" if kind == "supervisor" else "agent",
        name=name,
        **reader.fields(),
    )


def read_fragment(ctx: Context, blocks: Sequence[Block], prefix: str = "") -> Fragment:
    """A text without a header: sections, a directive list, a rule list, or a mix of them (01 §1)."""
    reader = SectionReader(ctx, blocks, prefix)
    reader.headless = True
    reader.classify(directives=_is_directive_list(blocks), rules=has_rules(blocks))
    fields = reader.fields()
    directives: tuple[Directive, ...] = ()
    if reader.directives:
        directives = read_directives(ctx, reader.directives, "step", prefix.rstrip(".") or "directives")
    if reader.rules:
        fields["constraints"] = _with_rules(ctx, fields.get("constraints"), reader.rules, prefix)
    return Fragment(
        span=reader.span(),
        path=prefix.rstrip(".") or "fragment",
        kind="agent",
        name=None,
        directives=directives,
        **fields,
    )


def _with_rules(ctx: Context, constraints: Constraints | None, rules: list[Block], prefix: str) -> Constraints:
    loose = rules_only(ctx, tuple(rules), f"{prefix}constraints")
    if constraints is None:
        return loose
    return Constraints(
        span=constraints.span,
        path=constraints.path,
        block=constraints.block,
        phases=constraints.phases,
        rules=(*constraints.rules, *loose.rules),
        sentences=(*constraints.sentences, *loose.sentences),
    )


def _is_directive_list(blocks: Sequence[Block]) -> bool:
    """True when some line can only be a directive, so that words which are both are directives too."""
    return any(vocabulary.canonical_key(_word(block)) in _ONLY_DIRECTIVES for block in blocks)


def _word(block: Block) -> str:
    if block.colon:
        return block.key
    return first_word(block.value).value if block.value is not None and block.value.style == "bare" else ""


def has_rules(blocks: Sequence[Block]) -> bool:
    """True when some list item at column 0 is a rule, so that the others are meant to be rules."""
    return any(block.item and is_rule(block) for block in blocks)


def starts_fragment(blocks: Sequence[Block]) -> bool:
    """True when a text of these column-0 blocks, without a header, is a fragment (01 §1)."""
    block = blocks[0]
    if block.item:
        return has_rules(blocks) or vocabulary.canonical_key(_word(block)) in vocabulary.STEP_DIRECTIVES
    word = _word(block)
    keyword = vocabulary.section_keyword(word)
    if keyword is None and block.colon and not _is_profile(blocks):  # a misspelt section is one, too (ABL103)
        word = next(iter(closest(word, _BEGINNINGS)), word)
        keyword = vocabulary.section_keyword(word)
    if keyword is not None and keyword not in vocabulary.NO_FRAGMENT_SECTIONS | vocabulary.HEADERS:
        return True
    return vocabulary.canonical_key(word) in _ONLY_DIRECTIVES


def _is_profile(blocks: Sequence[Block]) -> bool:
    return any(block.key.upper() in _PROFILE_ONLY for block in blocks)


def read_profile(ctx: Context, header: Block, blocks: Sequence[Block], number: int) -> Section:
    """A BEHAVIOR_PROFILE document: ``content`` holds its typed sections and, as its ``profile``, all of it.

    TOOLS are those it adds. GATHER and FLOW change those of agents (06 §11, 07 §11), so that they are no sections.
    """
    path = f"profiles[{number}]"
    inner = tuple(block for block in blocks if block is not header)
    span = Span(header.span.start, max(block.span.end for block in blocks))
    profile = profile_document(ctx, header, inner, span, path)
    reader = SectionReader(ctx, [block for block in inner if block.key.upper() not in _PROFILE_ONLY], f"{path}.")
    reader.classify()
    for keyword in ("GATHER", "FLOW"):
        reader.by_keyword.pop(keyword, None)
    reader.by_keyword["TOOLS"] = [_tools_added(ctx, block) for block in reader.by_keyword.get("TOOLS", ())]
    content = Fragment(span=span, path=path, kind="agent", name=None, profile=profile, **reader.fields())
    return Section(
        span=span,
        path=path,
        block=profile.block,
        keyword="BEHAVIOR_PROFILE",
        written=header.key,
        key_span=header.key_span,
        value=header.value,
        content=content,
    )


def _tools_added(ctx: Context, block: Block) -> Block:
    """TOOLS of a profile with what is below ADD only."""
    below = (expanded(ctx, child) for child in expanded(ctx, block).children if child.key.upper() == "ADD")
    added = tuple(tool for child in below for tool in child.children)
    return Block(block.key, block.key_span, None, added, block.span, block.line_span, block.column)


def read_tool_file(ctx: Context, block: Block) -> Section:
    """A file that is one TOOLS section."""
    block = expanded(ctx, block)
    content = read_fragment(ctx, (block,))
    return Section(
        span=block.span,
        path="tools",
        block=block,
        keyword="TOOLS",
        written=block.key,
        key_span=block.key_span,
        value=block.value,
        content=content,
    )
