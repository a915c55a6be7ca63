"""What a finished call leaves behind: variables, counters, ``on_result`` / ``on_error`` (docs/spec 06 §5.8, 08 §7)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl.language.entry import Entry, members
from abl.language.written import Lines
from abl.runtime.events.recorder import note
from abl.runtime.flow import actions
from abl.runtime.flow.detours import wrote_result
from abl.runtime.flow.signals import Signal
from abl.runtime.flow.variables import assign, misfit
from abl.runtime.memory.tools import MemoryTool
from abl.runtime.plan.tools import Choice, Step
from abl.runtime.ports import ToolError
from abl.runtime.tools.arguments import arguments_of
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.constraints.failures import Failure
    from abl.runtime.engine import Engine
    from abl.runtime.plan.program import Program
    from abl.runtime.state import Thread

SILENT = (nodes.SetVariables, nodes.Clear, nodes.Transform, nodes.Log)
MAX_NESTED_CALLS = 10
"""Calls inside of each other's ``do`` lists."""


@dataclass(frozen=True, slots=True)
class Called:
    """How a call ended: executed with a result, failed with an envelope, or blocked by a rule.

    ``exit`` is where the tool's own ``do`` list leads; the caller takes it before its branches (06 §6.2).
    """

    result: Any = None
    error: dict[str, Any] | None = None
    blocked: Failure | None = None
    asked: bool = False  # it waits for the user's consent
    exit: nodes.Transition | None = None


@dataclass(frozen=True, slots=True)
class Invocation:
    """Which tool is called from where: ``origin`` is flow, hook, on_start, complete, model or do.

    ``may_ask``: the caller can wait for the user's consent. ``sensitive`` names arguments that must not be shown.
    """

    name: str
    tool: nodes.Tool | None
    origin: str
    span: Any
    as_name: str | None = None
    memory: MemoryTool | None = None
    may_ask: bool = False
    sensitive: frozenset[str] = frozenset()


def bind_blocked(engine: Engine, thread: Thread, name: str, as_name: str | None, span: Any) -> None:
    """A call that a rule blocked counts as failed with ``tool_error/blocked`` (docs/spec 04 §5)."""
    error = ToolError(subtype="blocked", code="blocked", message=f"a rule blocked {name}")
    call = Invocation(name, engine.program(thread).tools.get(name), "blocked", span, as_name)
    bind(engine, thread, call, Called(error=error.envelope()))


def bind(engine: Engine, thread: Thread, call: Invocation, called: Called) -> nodes.Transition | None:
    """Bind a result or failure and run the tool's own block; where that leads, if anywhere."""
    value = called.result if called.error is None else called.error
    names = _names(thread, call)
    for target in names:
        if "." in target:
            assign(engine, thread, target, value, span=call.span, cause="tool_result", origin="tool_result")
        else:
            engine.put(thread, target, value, "tool_result")
    masker = engine.masker(thread)
    shown = {target: masker.shown(target, value) for target in names if "." not in target}
    if called.error is None:
        thread.system["tool_failures"] = 0
    else:
        thread.system["tool_failures"] = thread.system.get("tool_failures", 0) + 1
        details = called.error.get("error", called.error)
        for target in ("_error", "error"):
            engine.put(thread, target, details, "tool_result")
            shown[target] = masker.shown(target, details)
    if call.origin != "blocked":
        thread.called = True
        wrote_result(engine, thread, names, value)
    if shown:
        data: dict[str, Any] = {"tool": call.name, "names": names, "cause": "tool_result", "state": {"set": shown}}
        notes = [found for name in names if (found := misfit(engine, thread, name, value)) is not None]
        if notes:
            data["notes"] = notes
        engine.recorder.emit("tool.map", data, span=call.span)
    return _Outcome(engine, thread, call, called).run()


def _names(thread: Thread, call: Invocation) -> list[str]:
    names = [call.as_name] if call.as_name else []
    if call.tool is None or call.tool.typed.value("STORE_RESULT") is not False:
        names += ["call_result", "result", f"last_{call.name}_result"]
        if thread.variables.get(call.name) is None or thread.origins.get(call.name) == "tool_result":
            names.append(call.name)
    return list(dict.fromkeys(names))


def entry_of(tool: nodes.Tool | None) -> Entry:
    """The properties of a tool as typed values; none of a tool that nothing declares."""
    return tool.typed if tool is not None else Entry("tool", {})


class _Outcome:
    """``on_result`` or ``on_error`` of a tool while it runs."""

    def __init__(self, engine: Engine, thread: Thread, call: Invocation, called: Called) -> None:
        self.engine = engine
        self.thread = thread
        self.call = call
        self.program: Program = engine.program(thread)
        failed = called.error is not None
        self.prop = call.tool.prop("ON_ERROR" if failed else "ON_RESULT") if call.tool is not None else None
        value = (called.error or {}).get("error", called.error) if failed else called.result
        self.local: dict[str, Any] = {"error" if failed else "result": value}
        self.provided = (call.tool.typed.value("PROVIDES") if call.tool is not None else None) or ()

    def run(self) -> nodes.Transition | None:
        """``set`` and ``do`` in authored order."""
        if self.prop is None:
            return None
        plan = self.program.tool_outcome(self.prop)
        for block in plan.unknown:
            self.engine.recorder.not_executed(
                f"{self.prop.key.lower()}.{block.key.lower()}", "only set and do are known", self.program.span(block)
            )
        return self.steps(plan.steps)

    def steps(self, steps: tuple[Step, ...]) -> nodes.Transition | None:
        """Top to bottom up to an exit."""
        for step in steps:
            found = self.choose(step) if isinstance(step, Choice) else self.perform(step)
            if found is not None:
                return found
        return None

    def choose(self, choice: Choice) -> nodes.Transition | None:
        """The first branch that holds."""
        for condition, steps in choice.branches:
            formula = self.program.condition(condition) if condition is not None else None
            if formula is None or self.engine.evaluate(self.thread, formula, self.local).holds:
                return self.steps(steps)
        return None

    def perform(self, action: nodes.Directive) -> nodes.Transition | None:
        """One directive; behind a call that a rule blocked, only those that neither speak nor lead on (04 §5)."""
        engine, thread = self.engine, self.thread
        if self.call.origin == "blocked" and not isinstance(action, SILENT):
            return None
        match action:
            case nodes.SetVariables():
                self.assign(action)
            case nodes.Clear():
                actions.clear_names(engine, thread, action)
            case nodes.Transform():
                actions.transform(engine, thread, action)
            case nodes.Log():
                actions.log(engine, thread, action, self.local)
            case nodes.Setting() if action.keyword in actions.LANGUAGE_ACTIONS:
                actions.interaction_language(engine, thread, action)
            case nodes.Respond():
                actions.respond(engine, thread, action, local=self.local)
            case nodes.Call():
                return self.nested(action)
            case nodes.Transition():
                return action
            case _:
                engine.recorder.not_executed(action.keyword, "a tool cannot do it here", self.program.span(action))
        return None

    def assign(self, action: nodes.SetVariables) -> None:
        """SET; a field that the tool provides counts as given by it (07 §2)."""
        actions.set_variables(
            self.engine, self.thread, action.assignments, self.local, cause="tool_result", origin="tool_result"
        )
        for item in action.assignments:
            if item.target is not None and item.target.value in self.provided:
                self.thread.sources[item.target.value] = "authoritative_tool"

    def nested(self, action: nodes.Call) -> nodes.Transition | None:
        """CALL inside a ``do`` list; it cannot wait for consent. Its own exit is the list's."""
        from abl.runtime.flow import errors
        from abl.runtime.tools.calling import call_tool, recall_before

        engine, thread = self.engine, self.thread
        span = self.program.span(action)
        if action.tool is None:
            return None
        if engine.turn.nested_calls >= MAX_NESTED_CALLS:
            engine.recorder.error("RUN002", "nested_calls", f"more than {MAX_NESTED_CALLS} nested calls", span)
            return None
        engine.turn.nested_calls += 1
        recall_before(engine, thread, action.tool.value)
        given, sensitive = arguments_of(engine, thread, action, self.local)
        as_name = action.as_.value if action.as_ is not None else None
        called = call_tool(
            engine, thread, action.tool.value, given, origin="do", span=span, as_name=as_name, sensitive=sensitive
        )
        engine.turn.nested_calls -= 1
        if called.blocked is not None:
            self.blocked(called.blocked, action.tool.value, as_name, span)
        elif called.error is not None:
            handler = errors.find(engine, thread, {"type": "tool_error", **called.error.get("error", called.error)})
            if handler is not None:
                errors.say(engine, thread, handler)
        return called.exit

    def blocked(self, failure: Failure, tool: str, as_name: str | None, span: Any) -> None:
        """A rule stopped the nested call: its words are said, the call counts as failed."""
        from abl.runtime.constraints.on_fail import Verdict, act

        if failure.action["type"] in {"collect", "goto", "retry", "continue"}:
            failure.action = {**failure.action, "type": "respond"}
        if act(self.engine, self.thread, failure) is Verdict.BLOCKED:
            bind_blocked(self.engine, self.thread, tool, as_name, span)


def leave_outside_flow(engine: Engine, thread: Thread, transition: nodes.Transition, origin: str) -> Signal:
    """An exit of a ``do`` list where no flow runs: HANDOFF, ESCALATE and COMPLETE act, a step is ignored (08 §7)."""
    from abl.runtime.agents.coordination import complete_agent, escalate, hand_over

    span = engine.program(thread).span(transition)
    written = transition.target.value if transition.target is not None else "this exit"
    target = written.upper()
    if target == "HANDOFF" and transition.agent is not None:
        return Signal.MOVED if hand_over(engine, thread, transition.agent.value, span=span) else Signal.NEXT
    if target == "ESCALATE":
        escalate(engine, thread, transition.reason.value if transition.reason is not None else None, span)
        return Signal.MOVED
    if target == "COMPLETE" and origin == "model":
        complete_agent(engine, thread, None, {})
        return Signal.MOVED
    why = note("RUN003", "exit_ignored", f"there is no flow in which {written} could be taken", "warn")
    engine.recorder.emit("log", {"text": why["message"], "level": "warn", "notes": [why]}, span=span)
    return Signal.NEXT


def assignments_of(block: Lines | None) -> Iterator[tuple[str, str, Lines]]:
    """Target, expression and line of each assignment: lines below SET, one behind it, or a mapping in braces."""
    if block is None:
        return
    listed = [*block.children] if block.children else [*members(block)]
    if not listed and block.value is not None:
        target, _, text = block.value.value.partition("=")
        yield target.strip(), text.strip(), block
    for entry in listed:
        yield *assignment_of(entry), entry


def line_of(entry: Lines, block: nodes.Block) -> nodes.Block:
    """What an event about an entry points to: its line; of what stands in braces the whole ``block``."""
    return entry if isinstance(entry, nodes.Block) else block


def assignment_of(entry: Lines) -> tuple[str, str]:
    """Target and expression of a line ``name: expr`` or ``name = expr``."""
    if entry.key and entry.key.upper() != "SET" and entry.value is not None:
        return entry.key, entry.value.value
    target, _, text = (entry.value.value if entry.value is not None else "").partition("=")
    return target.strip(), text.strip()
