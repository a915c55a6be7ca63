"""8xx about signatures of tools and where tools come from (docs/spec 08 §1, §9, 10 §4)."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.types import canonical_type
from abl.analysis.index.imported_tools import places_of
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Severity
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block, TypeRef
from abl.syntax.readers.entries import NAME
from abl.syntax.vocabulary import GATHER_TYPES, GENERIC_TYPES, TOOL_TYPES, TYPE_SLIPS

_IMPORT = re.compile(r"""["']?(?P<path>[^"'\[\s]+)["']?\s*(?P<list>\[.*\])?""", re.DOTALL)
_REMOVED = re.compile(r"""FROM\s+["']?(?P<path>[^"'\s]+)["']?\s*(?:USE\b\s*:?(?P<tools>.*))?""", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w*")
_SNAKE_CASE = re.compile(r"[a-z][a-z0-9_]*")
_KNOWN_TYPES = frozenset({*TOOL_TYPES, *GATHER_TYPES, *GENERIC_TYPES, *TYPE_SLIPS, "null", "void"})


@rule("ABL806", "malformed-signature", "error", "Tool signature is malformed: {detail}", over=nodes.Tool)
def malformed_signature(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A line under TOOLS is no `name(parameter: type) -> type`; or (a hint) its name begins with no small letter,
        or a type is written as in another language.
    Why: What the tool takes and gives is not known.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) {id: string}
            description: "Find a book."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
    """
    if tool.name.value and NAME.fullmatch(tool.name.value) and not _SNAKE_CASE.fullmatch(tool.name.value):
        words = "Names of tools are written in small letters: `{t}`"
        yield found(tool.name.span, severity="hint", t=tool.name.value, wording=words)
    for type_ in (*(parameter.type for parameter in tool.parameters), tool.returns):
        word = _WORD.match(type_.text) if type_ is not None else None
        intended = TYPE_SLIPS.get(word[0].lower()) if word is not None else None
        if type_ is not None and word is not None and intended is not None:
            span = Span(type_.span.start, type_.span.start + word.end())
            words = "`{x}` is read as `{y}`"
            yield found(span, fixes.replace(span, intended), severity="hint", x=word[0], y=intended, wording=words)


@rule(
    "ABL817",
    "unknown-tool-file",
    "error",
    "Tool file `{f}` {lack}. Did you mean `{y}`?",
    over=nodes.Section,
    project=True,
)
def unknown_tool_file(section: nodes.Section, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: TOOLS imports a file that the project does not have, or a tool that the file does not hold.
    Why: The tool cannot be called. In a project of one agent, whose files may be elsewhere, this is a warning.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          file: "library.tools.abl" [find_book]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
    """
    if section.keyword != "TOOLS" or section.block is None:
        return
    imports = [child.value for child in section.block.children if child.key.lower() == "file"]
    known = _tool_files(project) if imports else {}
    for written in imports:
        match = _IMPORT.match(written.raw) if written is not None else None
        if written is None or match is None:
            continue
        path = next((p for p in places_of(agent.source.path, match["path"]) if p in known), None)
        if path is None:
            span = written.span_of(*match.span("path"))
            severity: Severity | None = "warning" if project.alone and not known else None
            best, renames = fixes.rename_to(span, match["path"], _relative(known, agent.source.path))
            yield found(span, *renames, severity=severity, f=match["path"], lack="is not in the project", y=best)
        elif match["list"]:
            for word in _WORD.finditer(match["list"]):
                if word[0] not in known[path]:
                    at = match.start("list")
                    span = written.span_of(at + word.start(), at + word.end())
                    best, renames = fixes.rename_to(span, word[0], known[path])
                    yield found(span, *renames, f=match["path"], lack=f"has no tool `{word[0]}`", y=best)


def _tool_files(project: Index) -> dict[str, tuple[str, ...]]:
    """The names of the tools by file, for files that are nothing but tools."""
    return {
        path: tuple(name for agent in document.agents for name in agent.tools)
        for path, document in project.documents.items()
        if document.document.tool_files
    }


def _relative(paths: dict[str, tuple[str, ...]], beside: str) -> list[str]:
    return [posixpath.relpath(path, posixpath.dirname(beside) or ".") for path in paths]


@rule("ABL818", "removed-import", "error", "FROM … USE was removed", over=nodes.Section, tags=("deprecated",))
def removed_import(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Tools are imported with `FROM … USE`.
    Why: The language does not have this form any more; `file:` took its place.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          FROM "library.tools.abl" USE: find_book
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
    """
    if section.keyword != "TOOLS" or section.block is None:
        return
    for child in section.block.children:
        match = _REMOVED.match(agent.source.text, *child.span) if _is_from(child) else None
        if match is not None:
            tools = _WORD.findall(
                re.sub(r"\bUSE\b", "", match["tools"] or agent.source.text[match.end() : child.span.end])
            )
            listed = f" [{', '.join(tools)}]" if tools else ""
            fix = fixes.replace(child.span, f'file: "{match["path"]}"{listed}', "Write it with `file:`")
            yield found(child.line_span, fix)


def _is_from(block: Block) -> bool:
    return not block.item and (
        block.value.raw.startswith("FROM ") if block.value is not None and not block.colon else block.key == "FROM"
    )


@rule(
    "ABL837",
    "undeclared-type",
    "hint",
    "Type `{n}` is not declared; treated as object. Did you mean `{y}`?",
    over=nodes.Tool,
)
def undeclared_type(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A signature names a type of the domain.
    Why: There is nowhere to declare such a type, so its fields are not checked.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> Book
            description: "Find a book."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string, shelf: string}
            description: "Find a book."
    """
    written = [parameter.type for parameter in tool.parameters if parameter.type is not None]
    for type_ in (*written, *((tool.returns,) if tool.returns is not None else ())):
        for part in _parts(type_):
            name = part.name
            if name.isidentifier() and canonical_type(name) is None and name.lower() not in _KNOWN_TYPES:
                best, renames = fixes.rename_to(part.span, name, TOOL_TYPES)
                yield found(part.span, *renames, n=name, y=best)


def _parts(type_: TypeRef) -> Iterator[TypeRef]:
    yield type_
    inner = (*((type_.item,) if type_.item is not None else ()), *(field for _, _, field in type_.fields))
    for part in (*inner, *(option for option in type_.options if isinstance(option, TypeRef))):
        yield from _parts(part)
