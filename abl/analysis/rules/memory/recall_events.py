"""3xx about when recall instructions run (docs/spec 03 §5, 05 §5)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from abl.analysis import fixes
from abl.analysis.fixes.entries import add_property
from abl.analysis.index.available_tools import known_tools
from abl.analysis.index.model import AgentIndex, first_line
from abl.analysis.index.names import BUILT_IN_TOOLS
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.vocabulary import RECALL_EVENT_PATTERNS, RECALL_EVENTS, RETIRED_RECALL_EVENTS

_LEGAL = re.compile("|".join(f"(?:{pattern})" for pattern in RECALL_EVENT_PATTERNS))
_BEFORE_TOOL = re.compile(r"tool:([^\s:]+):before")
_NAMED = re.compile(r"(?P<kind>tool|agent|entity|step:enter|step:exit):(?P<name>[^\s:*]+)(?::|$)")
_OLD_WORDS = re.compile(r"(?P<word>ON_START|ON_END)(?:\s+session_(?:start|end))?")


def _event(recall: nodes.RecallInstruction) -> str:
    return recall.on.value.strip() if recall.on is not None else ""


def _retired(event: str) -> str | None:
    """The word of the table of retired events that an event is, if any."""
    if event in RETIRED_RECALL_EVENTS:
        return event
    match = _OLD_WORDS.fullmatch(event)
    return match["word"] if match else None


@rule("ABL360", "recall-without-event", "error", "`ON` is missing in recall", over=nodes.RecallInstruction)
def recall_without_event(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A recall instruction does not say when it runs.
    Why: It never runs.
    Bad:
        MEMORY:
          recall:
            - ACTION: inject_context
              PATHS: [user.branch]
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch]
    """
    if recall.on is None and recall.prop("ON") is None and recall.props:
        yield found(first_line(recall), *add_property(agent, recall, "ON: session:start"), node=recall.path)


@rule(
    "ABL361",
    "unknown-recall-event",
    "warning",
    "Unknown recall event `{e}`. Did you mean `{y}`?",
    over=nodes.RecallInstruction,
)
def unknown_recall_event(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON of a recall instruction is no event.
    Why: The instruction is kept but never runs.
    Bad:
        MEMORY:
          recall:
            - ON: session:strat
              ACTION: inject_context
              PATHS: [user.branch]
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch]
    """
    event = _event(recall)
    if recall.on is None or not event or _LEGAL.fullmatch(event) or _retired(event) or _BEFORE_TOOL.fullmatch(event):
        return
    best, renames = fixes.rename_to(recall.on.inner, event, _candidates(agent))
    yield found(recall.on.inner, *renames, node=f"{recall.path}.ON", e=event, y=best)


def _candidates(agent: AgentIndex) -> Iterable[str]:
    yield from (*RECALL_EVENTS, "tool:*:after", "agent:*:before", "agent:*:after")
    yield from (f"tool:{tool}:after" for tool in agent.tools)
    yield from (f"step:{way}:{step}" for step in agent.steps for way in ("enter", "exit"))
    yield from (f"entity:{field}:extracted" for field in agent.fields)


@rule(
    "ABL362",
    "retired-recall-event",
    "error",
    "Recall event `{e}` is retired; use `{y}`",
    over=nodes.RecallInstruction,
    tags=("deprecated",),
)
def retired_recall_event(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A recall instruction uses an event name of an earlier version.
    Why: It is no longer fired.
    Bad:
        MEMORY:
          recall:
            - ON: session_start
              ACTION: inject_context
              PATHS: [user.branch]
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch]
    """
    word = _retired(_event(recall))
    if recall.on is None or word is None:
        return
    successor = RETIRED_RECALL_EVENTS.get(word)
    shorthand = recall.block is not None and recall.block.key_span == recall.on.span
    repairs = (fixes.replace(recall.on.inner, successor),) if successor and not shorthand else ()
    where, event = f"{recall.path}.ON", _event(recall)
    if successor is not None:
        yield found(recall.on.inner, *repairs, node=where, e=event, y=successor)
    else:
        yield found(recall.on.inner, node=where, e=event, wording="Recall event `{e}` is retired; it has no successor")


@rule(
    "ABL363",
    "recall-before-tool",
    "error",
    "Recall before a tool is not possible; use `tool:{t}:after`",
    over=nodes.RecallInstruction,
)
def recall_before_tool(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A recall instruction wants to run before a tool.
    Why: It could change what the call is about to use; only `after` exists.
    Bad:
        MEMORY:
          recall:
            - ON: tool:find_book:before
              ACTION: inject_context
              PATHS: [user.branch]
    Good:
        MEMORY:
          recall:
            - ON: tool:find_book:after
              ACTION: inject_context
              PATHS: [user.branch]
    """
    match = _BEFORE_TOOL.fullmatch(_event(recall))
    if match and recall.on is not None:
        repair = fixes.replace(recall.on.inner, f"tool:{match[1]}:after", preferred=False)
        yield found(recall.on.inner, repair, node=f"{recall.path}.ON", t=match[1])


@rule(
    "ABL364",
    "search-before",
    "info",
    "`search:before` is rejected by newer platform versions",
    over=nodes.RecallInstruction,
    tags=("portability",),
)
def search_before(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A recall instruction runs before searches.
    Why: It works here, but newer platforms do not know the event; `tool:<search>:after` works everywhere.
    Bad:
        MEMORY:
          recall:
            - ON: search:before
              ACTION: inject_context
              PATHS: [user.branch]
    Good:
        MEMORY:
          recall:
            - ON: tool:search_books:after
              ACTION: inject_context
              PATHS: [user.branch]
    """
    if recall.on is None or _event(recall) != "search:before":
        return
    searches = [name for name in agent.tools if name.startswith("search") or name.endswith("_search")]
    ways = (fixes.replace(recall.on.inner, f"tool:{name}:after", preferred=False) for name in searches)
    yield found(recall.on.inner, *ways, node=f"{recall.path}.ON")


@rule(
    "ABL365",
    "recall-unknown-name",
    "warning",
    "Recall event names unknown {kind} `{t}`. Did you mean `{y}`?",
    over=nodes.RecallInstruction,
    project=True,
)
def recall_unknown_name(recall: nodes.RecallInstruction, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: The event names a tool, agent, step or field that does not exist.
    Why: It never happens, so the instruction never runs.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
        MEMORY:
          recall:
            - ON: tool:find_bok:after
              ACTION: prompt_llm
              INSTRUCTION: "Mention the shelf."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
        MEMORY:
          recall:
            - ON: tool:find_book:after
              ACTION: prompt_llm
              INSTRUCTION: "Mention the shelf."
    """
    event = _event(recall)
    match = _NAMED.match(event) if _LEGAL.fullmatch(event) else None
    if match is None or recall.on is None:
        return
    kind, name = match["kind"].partition(":")[0], match["name"]
    known = _known(kind, agent, project)
    if known is None or name in known:
        return
    span = Span(recall.on.inner.start + match.start("name"), recall.on.inner.start + match.end("name"))
    best, renames = fixes.rename_to(span, name, sorted(known))
    word = "field" if kind == "entity" else kind
    yield found(span, *renames, node=f"{recall.path}.ON", kind=word, t=name, y=best)


def _known(kind: str, agent: AgentIndex, project: Index) -> set[str] | None:
    """The names that an event of that kind may hold; None when they cannot all be known."""
    if kind == "tool":
        tools = known_tools(agent, project)
        if tools is None:
            return None
        return {*tools, *BUILT_IN_TOOLS, *(() if tools else project.called_tools | project.shared_tools)}
    if kind == "agent":
        return None if project.alone else set(project.agents)
    if kind == "step":
        return set(agent.steps)
    return None if agent.agent.section("ENTITIES") is not None else {*agent.fields, *agent.collected}
