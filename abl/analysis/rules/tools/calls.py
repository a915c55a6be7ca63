"""8xx about calls of tools and their results (docs/spec 06 §5.8, 10 §4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from abl.analysis import fixes
from abl.analysis.conditions.types import canonical_type, fits
from abl.analysis.fixes import calls as call_fixes
from abl.analysis.fixes.steps import remove_directive, split_step
from abl.analysis.index.model import AgentIndex, called_tool
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.expressions import nodes as en
from abl.syntax import nodes
from abl.syntax.recovery.suggest import closest

_NEVER_CALLED = frozenset({"__return_to_parent__", "__fan_out__"})
_SEVERAL_MISSING = "Arguments {all} are missing"
_MOST_SPLIT = 10
"""Of very many calls in a step the first can be moved to a step of their own."""


def _given(call: nodes.Call, tool: nodes.Tool) -> set[str]:
    """Names of the parameters that a call gives a value."""
    names = [parameter.name.value for parameter in tool.parameters]
    given = {a.name.value for a in (*call.arguments, *call.with_) if a.name is not None}
    positional = [a for a in call.arguments if a.name is None]
    return given | set(names[: len(positional)])


@rule("ABL801", "missing-argument", "error", "Argument `{p}` is missing", over=nodes.Call, project=True)
def missing_argument(call: nodes.Call, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A call gives no value for a required parameter. If a variable of that name exists it is used: then a warning.
    Why: Without a value the call fails.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, branch: string) -> {id: string}
            description: "Find a book."
        FLOW:
          look:
            REASONING: false
            CALL: find_book("Emma")
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string, branch?: string) -> {id: string}
            description: "Find a book."
        FLOW:
          look:
            REASONING: false
            CALL: find_book("Emma")
            THEN: COMPLETE
    """
    tool = called_tool(call, agent)
    if tool is None or call.tool is None or any(p.key in ("PARAMETERS", "PARAMS") for p in tool.props):
        return
    given = _given(call, tool)
    misspelt = given - {parameter.name.value for parameter in tool.parameters}
    missing = [
        each
        for each in tool.parameters
        if each.required and each.name.value not in given and not closest(each.name.value, misspelt)
    ]  # a misspelt one is ABL802
    if not missing:
        return
    names = [parameter.name.value for parameter in missing]
    known = [name for name in names if name in project.known_names(agent)]
    implicit = len(known) == len(names)
    addition = call_fixes.add_arguments(agent, call, missing, known, preferred=implicit)
    data: dict[str, Any] = (
        {"p": names[0]} if len(names) == 1 else {"all": call_fixes.listed(names), "wording": _SEVERAL_MISSING}
    )
    yield found(call.tool.span, *addition, severity="warning" if implicit else None, **data)


@rule("ABL802", "unknown-argument", "error", "`{t}` has no parameter `{p}`. Did you mean `{y}`?", over=nodes.Call)
def unknown_argument(call: nodes.Call, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A call names a parameter that the tool does not have.
    Why: The value never reaches the tool.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
        FLOW:
          look:
            REASONING: false
            CALL: find_book
              WITH:
                titel: "Emma"
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
        FLOW:
          look:
            REASONING: false
            CALL: find_book
              WITH:
                title: "Emma"
            THEN: COMPLETE
    """
    tool = called_tool(call, agent)
    if tool is None:
        return
    names = [parameter.name.value for parameter in tool.parameters]
    for argument in (*call.arguments, *call.with_):
        if argument.name is not None and argument.name.value not in names:
            best, renames = fixes.rename_to(argument.name.span, argument.name.value, names)
            yield found(argument.name.span, *renames, t=tool.name.value, p=argument.name.value, y=best)


@rule("ABL803", "too-many-arguments", "error", "`{t}` takes {n}, {m} given", over=nodes.Call)
def too_many_arguments(call: nodes.Call, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A call has more positional arguments than the tool has parameters.
    Why: The surplus values have nowhere to go.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
        FLOW:
          look:
            REASONING: false
            CALL: find_book("Emma", 3)
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
        FLOW:
          look:
            REASONING: false
            CALL: find_book("Emma")
            THEN: COMPLETE
    """
    tool = called_tool(call, agent)
    positional = [a for a in call.arguments if a.name is None]
    if tool is not None and len(positional) > len(tool.parameters):
        surplus = positional[len(tool.parameters)]
        span = surplus.value.span if surplus.value else surplus.span
        removal = call_fixes.remove_surplus(call, len(tool.parameters))
        yield found(span, removal, t=tool.name.value, n=_count_of(len(tool.parameters)), m=len(positional))


def _count_of(count: int) -> str:
    return f"{count or 'no'} argument{'' if count == 1 else 's'}"


@rule("ABL804", "argument-type", "warning", "`{p}` expects {t}, got {u}", over=nodes.Call)
def argument_type(call: nodes.Call, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A literal argument, or the declared type of a name, does not fit the type of its parameter.
    Why: The tool gets a value it cannot use.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          renew(loan_count: number) -> {ok: boolean}
            description: "Renew loans."
        FLOW:
          look:
            REASONING: false
            CALL: renew("all")
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          renew(loan_count: number) -> {ok: boolean}
            description: "Renew loans."
        FLOW:
          look:
            REASONING: false
            CALL: renew(3)
            THEN: COMPLETE
    """
    tool = called_tool(call, agent)
    if tool is None:
        return
    by_name = {parameter.name.value: parameter for parameter in tool.parameters}
    positional = zip((a for a in call.arguments if a.name is None), tool.parameters, strict=False)
    named = ((a, by_name.get(a.name.value)) for a in (*call.arguments, *call.with_) if a.name is not None)
    for argument, parameter in (*positional, *named):
        if parameter is None or parameter.type is None or argument.value is None:
            continue
        wanted = "array" if parameter.type.item else "object" if parameter.type.fields else parameter.type.name
        node = _value(argument, call, agent)
        if isinstance(node, en.Literal) and node.form != "null" and not _coerces(node.value, wanted):
            kind = agent.types.of(node)
            repair = call_fixes.convert(argument.value.span, node.value, wanted)
            yield found(argument.value.span, *repair, p=parameter.name.value, t=wanted, u=kind)
        elif isinstance(node, en.Path):
            given = canonical_type(agent.types.declared.get(".".join(node.parts)) or "any")
            if given in _UNFIT.get(canonical_type(wanted) or "", ()):
                yield found(argument.value.span, p=parameter.name.value, t=wanted, u=given)


_UNFIT: Final[Mapping[str, tuple[str, ...]]] = {
    "number": ("boolean", "array", "object"),
    "boolean": ("number", "array", "object"),
    "object": ("number", "boolean", "array"),
    "date": ("number", "boolean", "array", "object"),
    "datetime": ("number", "boolean", "array", "object"),
}
"""By the type of a parameter those of which no value is converted to it (docs/spec 08 §7)."""


def _value(argument: nodes.Argument, call: nodes.Call, agent: AgentIndex) -> en.Node | None:
    text = argument.value
    if text is None:
        return None
    if text.style in ("double", "single"):
        return en.Literal(0, 0, text.value, "string")
    return next((u.reading.node for u in agent.expressions_of(call) if u.text == text), None)


def _coerces(value: object, wanted: str) -> bool:
    """Quoted numbers and booleans are read by the parameter's type (docs/spec 06 §5.8)."""
    if isinstance(value, str) and ("{{" in value or canonical_type(wanted) in ("array", "object", "date", "datetime")):
        return True
    if isinstance(value, str) and canonical_type(wanted) == "number":
        return value.strip().replace(".", "", 1).lstrip("-").isdigit()
    if isinstance(value, str) and canonical_type(wanted) == "boolean":
        return value in ("true", "false")
    return canonical_type(wanted) == "string" or fits(value, wanted)


@rule("ABL845", "internal-tool", "error", "`{x}` is runtime-internal and cannot be called", over=nodes.Call)
def internal_tool(call: nodes.Call, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A CALL names a tool that the runtime keeps for itself.
    Why: Such a call is refused.
    Bad:
        FLOW:
          look:
            REASONING: false
            CALL: __fan_out__
            THEN: COMPLETE
    Good:
        FLOW:
          look:
            REASONING: false
            RESPOND: "One moment."
            THEN: COMPLETE
    """
    if call.tool is not None and call.tool.value in _NEVER_CALLED:
        yield found(call.tool.span, *remove_directive(agent, call.block, "Remove this CALL"), x=call.tool.value)


@rule("ABL841", "two-calls", "hint", "Two CALLs in one step", over=nodes.Step, needs="CALL")
def two_calls(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step calls more than one tool.
    Why: `call_result` and the branches belong to the nearest CALL above, which is easy to misread.
    Bad:
        FLOW:
          look:
            REASONING: false
            CALL: find_book("Emma")
            CALL: hold_book("Emma")
            THEN: COMPLETE
    Good:
        FLOW:
          look:
            REASONING: false
            CALL: find_book("Emma")
            THEN: COMPLETE
    """
    calls = [d for d in step.directives if isinstance(d, nodes.Call)]
    for number, second in enumerate(calls[1:]):
        repairs = split_step(agent, step, second) if number < _MOST_SPLIT else ()
        yield found(second.key_span, *repairs)
