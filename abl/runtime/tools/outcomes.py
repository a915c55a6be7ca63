"""``on_result`` and ``on_error`` of a tool (docs/spec 08 §7)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from abl.runtime.flow import actions, languages
from abl.runtime.plan.tools import Choice, Step
from abl.runtime.tools.invocation import Called, Invocation
from abl.runtime.turn import left_out
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.program import Program
    from abl.runtime.state import Thread

SILENT = (nodes.SetVariables, nodes.Clear, nodes.Transform, nodes.Log)
Nested = Callable[["Engine", "Thread", nodes.Call, dict[str, Any]], nodes.Transition | None]
"""Makes a CALL of a ``do`` list, in which the names of the block count, and says where that leads."""


class Outcome:
    """``on_result`` or ``on_error`` of a tool while it runs."""

    def __init__(self, engine: Engine, thread: Thread, call: Invocation, called: Called, nested: Nested | None) -> None:
        self.engine = engine
        self.thread = thread
        self.call = call
        self.nested = nested
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
            case nodes.Setting() if action.keyword in languages.LANGUAGE_ACTIONS:
                languages.act(engine, thread, action)
            case nodes.Setting() if action.keyword == "DELEGATE":
                actions.delegate(engine, thread, action)
            case nodes.Setting() if action.keyword == "RETURN":
                pass  # what is asked always gives control back
            case nodes.Respond():
                actions.respond(engine, thread, action, local=self.local)
            case nodes.Call():
                return self.nested(engine, thread, action, self.local) if self.nested is not None else None
            case nodes.Transition():
                return action
            case _ if not left_out.is_told(engine, thread, action, self.call.name):
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
