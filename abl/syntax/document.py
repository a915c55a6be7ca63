"""``parse``: one file -> its documents and what the parser noticed (docs/spec 01 §1, §10). It never raises."""

from __future__ import annotations

import re
from collections.abc import Sequence

from abl.limits import MAX_DOCUMENTS, MAX_SOURCE_CHARS
from abl.source import Source, Span
from abl.syntax import vocabulary
from abl.syntax.incremental.collector import collector_paused
from abl.syntax.lines.blocks import Tree, build
from abl.syntax.nodes import Agent, Block, Document, Fragment, Section, Trail
from abl.syntax.readers.agents import read_agent, read_fragment, read_profile, read_tool_file, starts_fragment
from abl.syntax.readers.context import NO_CORRECTIONS, Context, Corrections
from abl.syntax.readers.entries import with_colon
from abl.syntax.recovery import findings
from abl.syntax.recovery.colons import with_intended_key
from abl.syntax.recovery.suggest import closest

_COLUMN_0_KEY = re.compile(r"\n\ufeff?([A-Za-z_]+)[ \t]*:")
_STEP_BODY = re.compile(r"[^\n]*\n[ \t]+REASONING[ \t]*:")
_HEADER_WORDS = tuple(f"{word} " for word in sorted(vocabulary.HEADERS))
_HEADERS = ("AGENT", "SUPERVISOR", "BEHAVIOR_PROFILE")
_PROFILE_MARKS = frozenset({"PRIORITY", "WHEN"})


def parse(text: str, path: str = "agent.abl") -> Document:
    """The tree of a file with findings. Any text gives a document; what cannot be read is in ``unknown``."""
    with collector_paused():
        return _parsed(text, path)


def _parsed(text: str, path: str) -> Document:
    ctx = begun(Source(text, path))
    if len(ctx.text) < len(text):
        end = len(ctx.text)
        ctx.report(findings.unreadable(Span(end, end), f"The file is longer than {MAX_SOURCE_CHARS} characters"))
    return finished(ctx, build(ctx, ctx.text))


def begun(source: Source, corrections: Corrections = NO_CORRECTIONS) -> Context:
    """The state of a parse before the first line is read; ``corrections`` are read in place of what is there."""
    ctx = Context(source, _readable(source.text), corrections=corrections)
    _casing(ctx)
    return ctx


def finished(ctx: Context, tree: Tree) -> Document:
    """The document of a tree of blocks."""
    if "\r" in ctx.text.rstrip("\r") and "\n" not in ctx.text:
        ctx.report(findings.one_long_line(ctx.text))
    reader = _Documents(ctx)
    reader.read(tree.blocks)
    tangled = tree.too_deep or ctx.full
    return Document(
        ctx.source,
        tuple(reader.agents),
        tuple(reader.fragments),
        tree.blocks,
        tree.comments,
        ctx.heard(),
        tuple(sorted(ctx.unknown, key=lambda unknown: unknown.span)),
        ctx.yaml,
        tuple(reader.profiles),
        tuple(reader.tool_files),
        Trail(ctx.mixed, tangled, tree.unsure, tree.blanked, ctx.units),
    )


def _readable(text: str) -> str:
    """The text up to the limit, cut at a line."""
    if len(text) <= MAX_SOURCE_CHARS:
        return text
    cut = text.rfind("\n", 0, MAX_SOURCE_CHARS)
    return text[: cut if cut >= 0 else MAX_SOURCE_CHARS]


def _casing(ctx: Context) -> None:
    """Find out whether the file is in YAML form, and report a mix of both forms (ABL124)."""
    lower: list[Span] = []
    upper: list[Span] = []
    for match in _COLUMN_0_KEY.finditer("\n" + ctx.text):  # a literal first character makes the search fast
        span = Span(match.start(1) - 1, match.end(1) - 1)
        word = ctx.corrections.get(span, match[1])
        if vocabulary.section_keyword(word) is None:
            continue
        if word.isupper():
            upper.append(span)
        elif word.islower() and _STEP_BODY.match(ctx.text, span.end) is None:
            lower.append(span)
    ctx.yaml = len(lower) > len(upper) and (not upper or lower[0] < upper[0])
    ctx.mixed = min(len(lower), len(upper)) >= 2
    if ctx.mixed:
        ctx.report(findings.mixed_forms(ctx.source, upper, lower, ctx.yaml))


class _Documents:
    """Splits the column-0 blocks of a file into documents."""

    def __init__(self, ctx: Context) -> None:
        self.ctx = ctx
        self.agents: list[Agent] = []
        self.fragments: list[Fragment] = []
        self.profiles: list[Section] = []
        self.tool_files: list[Section] = []

    def read(self, blocks: Sequence[Block]) -> None:
        """All documents of the file."""
        if not blocks:
            self.ctx.report(findings.unreadable(Span(0, 0), "The file is empty"))
            return
        blocks = [self._header_with_colon(block) for block in blocks]
        blocks = [self._with_intended_key(blocks, at) for at in range(len(blocks))]
        starts = [i for i in range(len(blocks)) if _starts_document(blocks, i)]
        if not starts:
            self._headless(blocks)
            return
        starts[0] = 0  # sections before the first header belong to its document
        ends = [*starts[1:], len(blocks)]
        if len(starts) > MAX_DOCUMENTS:
            reason = f"The file holds more than {MAX_DOCUMENTS} documents"
            self.ctx.report(findings.unreadable(blocks[starts[MAX_DOCUMENTS]].line_span, reason))
        for start, end in zip(starts[:MAX_DOCUMENTS], ends, strict=False):
            part = blocks[start:end]
            header = next(block for block in part if _is_header(block))
            if header.key.upper() == "BEHAVIOR_PROFILE":
                self.profiles.append(read_profile(self.ctx, header, part, len(self.profiles)))
            else:
                prefix = f"agents[{len(self.agents)}]." if self.agents else ""
                self.agents.append(read_agent(self.ctx, header, self._unnested(header, part), prefix))

    def _header_with_colon(self, block: Block) -> Block:
        """``AGENT Name`` with its missing colon (ABL110)."""
        if block.colon or block.item or block.value is None or not block.value.raw.startswith(_HEADER_WORDS):
            return block
        return with_colon(self.ctx, block, vocabulary.HEADERS)

    def _with_intended_key(self, blocks: Sequence[Block], at: int) -> Block:
        """A misspelt header, which is reported (ABL103) and still begins its document."""
        block = blocks[at]
        if not block.colon or block.item or block.value is None or block.children:
            return block
        if vocabulary.section_keyword(block.key) is not None:
            return block
        close = closest(block.key.upper(), _HEADERS)
        profile = close[:1] == ("BEHAVIOR_PROFILE",)
        if not close or (profile and not any(other.key.upper() in _PROFILE_MARKS for other in blocks[at + 1 :])):
            return block
        intended = close[0].lower() if self.ctx.yaml else close[0]
        self.ctx.report(findings.unknown_section(block.key_span, block.key, [intended]))
        return with_intended_key(block, intended)

    def _headless(self, blocks: Sequence[Block]) -> None:
        """A fragment, a tool file, or a document whose header is missing."""
        first = blocks[0]
        if first.key.upper() == "TOOLS" and len(blocks) == 1:
            self.tool_files.append(read_tool_file(self.ctx, first))
        elif starts_fragment(blocks):
            self.fragments.append(read_fragment(self.ctx, blocks))
        elif any(block.colon for block in blocks):
            self.agents.append(read_agent(self.ctx, None, blocks))
        else:
            for block in blocks:
                self.ctx.skip(block, "This line belongs to no section", "")

    def _unnested(self, header: Block, blocks: Sequence[Block]) -> Sequence[Block]:
        """Sections that were indented below the header, put beside it (ABL108)."""
        if not header.children:
            return blocks
        first = header.children[0]
        self.ctx.report(findings.bad_indent(self.ctx.source, first.line_span, first.column, header.column))
        at = next(i for i, block in enumerate(blocks) if block is header)
        return (*blocks[: at + 1], *header.children, *blocks[at + 1 :])


def _is_header(block: Block) -> bool:
    return block.colon and not block.item and block.key.upper() in _HEADERS


def _starts_document(blocks: Sequence[Block], at: int) -> bool:
    """AGENT and SUPERVISOR always; BEHAVIOR_PROFILE when PRIORITY or WHEN follows at its column (01 §1)."""
    block = blocks[at]
    if not _is_header(block):
        return False
    if block.key.upper() != "BEHAVIOR_PROFILE":
        return True
    for following in (blocks[n] for n in range(at + 1, len(blocks))):
        if _is_header(following):
            return False
        if following.key.upper() in _PROFILE_MARKS:
            return True
    return False
