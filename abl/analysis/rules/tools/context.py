"""8xx about what tools read and write of the session, and what a model sees of their results (docs/spec 08 §2)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.language import value_of_text
from abl.source import Span
from abl.syntax import nodes, vocabulary
from abl.syntax.nodes import Block, Name

_WORD = re.compile(r"[A-Za-z_]\w*")
_MAX_PATHS = 64
_MAX_SEGMENTS = 16


def _accessed(tool: nodes.Tool, agent: AgentIndex, key: str) -> tuple[Name, ...]:
    access = tool.prop("CONTEXT_ACCESS")
    return (
        generic.names(agent.source, generic.by_key(agent.source, access.block).get(key)) if access is not None else ()
    )


@rule(
    "ABL828",
    "context-access-denied",
    "error",
    "context_access {key} of `{path}` contradicts its ACCESS",
    over=nodes.Tool,
)
def context_access_denied(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A tool reads a path that is declared write-only, or writes one that is declared read-only.
    Why: Such a call is refused before it is made.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(book_id: string) -> {due: date}
            description: "Lend a book."
            confirm: always
            context_access:
              write: [user.loans]
        MEMORY:
          persistent:
            - user.loans
              TYPE: number
              ACCESS: read
              DEFAULT: 0
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          issue_loan(book_id: string) -> {due: date}
            description: "Lend a book."
            confirm: always
            context_access:
              write: [user.loans]
        MEMORY:
          persistent:
            - user.loans
              TYPE: number
              ACCESS: readwrite
              DEFAULT: 0
    """
    for key, denied in (("read", "write"), ("write", "read")):
        for name in _accessed(tool, agent, key):
            declared = agent.path_of(name.value)
            access = declared.access if declared is not None else None
            if declared is not None and access is not None and value_of_text("persistent", "ACCESS", access) == denied:
                fix = fixes.replace(access.inner, "readwrite", "Change ACCESS to readwrite", preferred=False)
                yield found(name.span, fix, key=key, path=name.value)


@rule(
    "ABL829",
    "read-of-own-write",
    "warning",
    "`{key}` is only produced by this tool itself",
    over=AgentIndex,
    project=True,
)
def read_of_own_write(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A tool reads a name through `context_access` that nothing but the tool itself writes.
    Why: The first call finds nothing there, and a call whose context is missing is refused.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - page
              TYPE: number
        TOOLS:
          next_page() -> {books: string[]}
            description: "The next page of results."
            effect: read_only
            context_access:
              read: [page]
              write: [page]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - page
              TYPE: number
              INITIAL: 1
        TOOLS:
          next_page() -> {books: string[]}
            description: "The next page of results."
            effect: read_only
            context_access:
              read: [page]
              write: [page]
    """
    if agent.fragment or not agent.names("tools")[0]:
        return
    both = [(tool, name) for tool in agent.all(nodes.Tool) for name in _read_and_written(tool, agent)]
    words = _words_of_unknown(agent) if both else Counter()
    for tool, name in both:
        root = name.value.partition(".")[0]
        own = sum(1 for match in _WORD.finditer(agent.source.text, *tool.span) if match[0] == root)
        others = any(not tool.span.start <= write.span.start < tool.span.end for write in agent.sources_of(root))
        if root not in project.received(agent) and not others and words[root] <= own:
            yield found(name.span, key=name.value)


def _read_and_written(tool: nodes.Tool, agent: AgentIndex) -> list[Name]:
    """The names that the tool both reads and writes through `context_access`."""
    if tool.prop("CONTEXT_ACCESS") is None:
        return []
    written = {name.value for name in _accessed(tool, agent, "write")}
    return [name for name in _accessed(tool, agent, "read") if name.value in written]


def _words_of_unknown(agent: AgentIndex) -> Counter[str]:
    """Words of tools and of sections that no node describes, any of which may set something."""
    described = vocabulary.words("MEMORY FLOW GATHER CONSTRAINTS GOAL PERSONA LIMITATIONS INSTRUCTIONS DESCRIPTION")
    spans = [section.span for section in agent.agent.sections if section.keyword not in described]
    return Counter(match[0] for span in spans for match in _WORD.finditer(agent.source.text, *span))


@rule("ABL832", "bad-model-context", "error", "MODEL_CONTEXT: {detail}", over=nodes.Tool)
def bad_model_context(tool: nodes.Tool, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `model_context` has both `fields` and `template`, or neither, or fields that cannot be taken: more than 64,
        paths of more than 16 segments, one path within another.
    Why: What later model calls see of the result is not known.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string, shelf: string}
            description: "Find a book."
            effect: read_only
            model_context:
              fields: [id]
              template: "On shelf {{shelf}}"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string, shelf: string}
            description: "Find a book."
            effect: read_only
            model_context:
              fields: [id, shelf]
    """
    context = tool.prop("MODEL_CONTEXT")
    if context is None:
        return
    keys = generic.by_key(agent.source, context.block)
    if not keys and context.value is not None:
        return  # a text alone: the template
    if len({"fields", "template"} & set(keys)) != 1:
        yield found(context.key_span, detail="it needs either `fields` or `template`")
    elif "fields" in keys:
        yield from _bad_fields(keys["fields"], generic.names(agent.source, keys["fields"]))
    elif not generic.word(keys["template"]):
        yield found(keys["template"].key_span, detail="`template` is empty")


def _bad_fields(block: Block, paths: tuple[Name, ...]) -> Iterator[Found]:
    if not paths:
        yield found(block.key_span, detail="`fields` is empty")
    elif len(paths) > _MAX_PATHS:
        yield found(block.key_span, detail=f"{len(paths)} fields are more than {_MAX_PATHS}")
        return
    seen: dict[tuple[str, ...], Span] = {}
    for path in paths:
        segments = tuple(path.value.replace("[]", "").split("."))
        if len(segments) > _MAX_SEGMENTS:
            yield found(path.span, detail=f"`{path.value}` has more than {_MAX_SEGMENTS} segments")
        other = next((s for s in seen if s == segments[: len(s)] or segments == s[: len(segments)]), None)
        if other is not None:
            yield found(path.span, detail=f"`{path.value}` and `{'.'.join(other)}` overlap")
        seen[segments] = path.span
