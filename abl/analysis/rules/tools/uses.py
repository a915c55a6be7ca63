"""8xx about tools and results that nobody uses, or that take the place of others (docs/spec 06 §5.8, 10 §4)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis.conditions.types import canonical_type
from abl.analysis.fixes.entries import remove_entry
from abl.analysis.fixes.steps import remove_as
from abl.analysis.incremental.parts import Part, read_roots
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.tools.effects import effect_of
from abl.diagnostics import Edit, Fix, Related
from abl.source import Span
from abl.syntax import nodes

_SCALARS = ("string", "number", "boolean", "date", "datetime")
_LAST_RESULT = frozenset({"call_result", "result"})


@rule("ABL824", "unused-tool", "hint", "`{t}` is never used", over=AgentIndex, tags=("unnecessary",))
def unused_tool(agent: AgentIndex) -> Iterator[Found]:
    """
    What: No CALL names the tool, and no model acts in this agent that could choose it.
    Why: It is dead text, or a CALL was forgotten.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            RESPOND: "Please look on the shelf."
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            CALL: find_book("Emma")
            THEN: COMPLETE
    """
    if agent.fragment or agent.agent.flow is None or agent.reasoning or _has_profile(agent):
        return
    names, _ = agent.names("tools")
    used = agent.union(_named_tools) if names else frozenset()
    for name in names:
        if name in used or name in agent.mentions or agent.tools[name].prop("PROVIDES") is not None:
            continue
        tool = agent.tools[name]
        removal = remove_entry(agent, tool, f"Remove `{name}`") if len(agent.tools) > 1 else ()
        yield found(tool.name.span, *removal, t=name)


def _has_profile(agent: AgentIndex) -> bool:
    """True when a profile may add steps that this document does not show."""
    return agent.agent.section("USE_BEHAVIOR_PROFILE") is not None


def _named_tools(part: Part) -> frozenset[str]:
    return frozenset([ref.name.value for ref in part.tool_refs])


@rule("ABL826", "result-overwrites", "warning", "AS `{v}` overwrites {what}", over=nodes.Call)
def result_overwrites(call: nodes.Call, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The result of a call, an object, gets the name of a gather field or of a variable with another type.
    Why: What the user said, or what was counted, is lost; conditions that compare it stop to hold.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string, shelf: string}
            description: "Find a book."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            GATHER:
              - title: required
                prompt: "Which book?"
            CALL: find_book(title) AS title
            RESPOND: "{{title.shelf}}"
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string, shelf: string}
            description: "Find a book."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            GATHER:
              - title: required
                prompt: "Which book?"
            CALL: find_book(title) AS book
            RESPOND: "{{book.shelf}}"
            THEN: COMPLETE
    """
    name = call.as_
    if name is None or (name.value not in agent.fields and name.value not in agent.session):
        return
    tool = agent.tools.get(call.tool.value) if call.tool is not None else None
    if tool is None:
        return
    given = canonical_type(tool.returns.text) if tool.returns is not None else "object"
    field, variable = agent.fields.get(name.value), agent.session.get(name.value)
    declared = next((node.type for node in (variable, field) if node is not None and node.type is not None), None)
    kind = canonical_type(declared.value) if declared is not None else "string" if field is not None else None
    owner = field or variable
    if kind not in _SCALARS or given is None or given == kind or owner is None:
        return
    what = f"the {'gather field' if field is not None else f'{kind} variable'} of that name"
    where = Related(agent.source.path, owner.name.span, "declared here")
    yield found(name.span, _renamed(name, agent), related=(where,), v=name.value, what=what)


def _renamed(name: nodes.Name, agent: AgentIndex) -> Fix:
    """Another name for the result, also where its fields are read."""
    new = f"{name.value}_result"
    parts = [placed for placed, roots in agent.each(read_roots) if name.value in roots]
    below = [read.span for placed in parts for read in placed.reads if read.path.startswith(f"{name.value}.")]
    spans = [name.span, *(Span(span.start, span.start + len(name.value)) for span in below)]
    return Fix(f"Call the result `{new}`", tuple(Edit(span, new) for span in sorted(set(spans))), preferred=False)


@rule("ABL827", "unused-result", "hint", "Result of `{t}` is not used", over=nodes.Call, tags=("unnecessary",))
def unused_result(call: nodes.Call, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A tool that only reads is called, and nothing looks at its result.
    Why: The call has no effect; perhaps a message or a branch was forgotten.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            CALL: find_book("Emma") AS book
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            effect: read_only
        FLOW:
          look:
            REASONING: false
            CALL: find_book("Emma") AS book
            RESPOND: "It is book {{book.id}}."
            THEN: COMPLETE
    """
    tool = agent.tools.get(call.tool.value) if call.tool is not None and call.as_ is not None else None
    if tool is None or call.as_ is None or agent.fragment or agent.reasoning or _has_profile(agent):
        return
    if call.on_success or call.on_failure or call.on_result or call.on_fail or tool.prop("ON_RESULT") is not None:
        return
    used = {call.as_.value, tool.name.value, f"last_{tool.name.value}_result"} | _LAST_RESULT
    if used & agent.read_roots or call.as_.value in agent.mentions or effect_of(tool, agent) != "read_only":
        return
    yield found(call.as_.span, *remove_as(agent, call), t=tool.name.value)


@rule(
    "ABL844",
    "tool-without-mock",
    "info",
    "`{t}` has no mock; a generated sample is used",
    over=nodes.Tool,
    project=True,
)
def tool_without_mock(tool: nodes.Tool, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A test case expects a call of the tool and does not say what it answers. Looked for where test cases
        (`*.scenario.yaml`) are checked together with the agent.
    Why: The answer is then made up from the return type, which may not be what the case is about.
    Bad:
        # first_loan.scenario.yaml expects `calls: [{tool: find_book}]`, and its `tools` has no find_book.
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            effect: read_only
    Good:
        # first_loan.scenario.yaml: `tools: {find_book: [{result: {id: "B-1"}}]}`
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
            effect: read_only
    """
    if tool.name.value in project.unmocked_tools:
        yield found(tool.name.span, t=tool.name.value)
