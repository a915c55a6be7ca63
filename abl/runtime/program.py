"""An agent prepared for running: declarations resolved, expressions compiled once, action lists addressable.

A program is immutable and shared by all sessions over the same text; nothing of a conversation is kept in it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from abl.runtime.evaluation import Formula, condition, constant, value
from abl.runtime.fields import FieldPlan, ad_hoc_field, field_plans, mask_config
from abl.runtime.flowplan import FlowPlan
from abl.runtime.masking import Display
from abl.runtime.memory_ports import ttl_seconds
from abl.runtime.plans import (
    CompletionPlan,
    EscalationPlan,
    HandoffPlan,
    PathPlan,
    RecallPlan,
    RulePlan,
    TriggerPlan,
    VariablePlan,
)
from abl.runtime.ruleplans import rule_plan, step_rules
from abl.runtime.scalars import boolean, integer
from abl.runtime.toolplans import OutcomePlan, ProcessPlan, outcome_plan, process_plan
from abl.source import Source, Span
from abl.syntax import nodes
from abl.syntax.content import content_of

SCOPE_OF_SEGMENT = {
    "user": "user",
    "project": "project",
    "workflow": "execution_tree",
    "execution_tree": "execution_tree",
}
DEFAULT_MESSAGES: Mapping[str, str] = {
    "error_default": "Something went wrong. Please try again.",
    "constraint_blocked": "That is not possible right now.",
    "gather_prompt": "Please give: {{fields}}",
    "error_validation": "That value does not fit.",
    "escalation_format": "A human will take over. Reason: {{reason}}",
    "conversation_complete": "This conversation has ended.",
    "invalid_handoff": "The transfer did not work.",
    "self_handoff": "The transfer did not work.",
    "tool_fallback_desc": "Runs an operation.",
}
MAX_FLOW_ITERATIONS = 100


@dataclass(frozen=True, eq=False)
class Program:
    """One agent. ``path`` is its file; spans in events name it."""

    agent: nodes.Agent
    source: Source
    yaml: bool = False
    _spans: dict[Span, dict[str, Any]] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """Name of the agent."""
        return self.agent.name.value if self.agent.name is not None else "Agent"

    def span(self, node: Any) -> dict[str, Any] | None:
        """Place of a node (anything with ``span``, or a span) in the shape of docs/spec 12 §4."""
        if node is None:
            return None
        span = node if isinstance(node, Span) else node.span
        found = self._spans.get(span)
        if found is None:
            found = {"path": self.source.path, **self.source.range(span).as_dict()}
            self._spans[span] = found
        return found

    def written(self, text: nodes.Text) -> str:
        """A scalar as expression text: with its quotes, pipe blocks without their margin."""
        if text.style in {"double", "single"}:
            return self.source.text[text.span.start : text.span.end]
        return text.value

    def condition(self, text: nodes.Text | None) -> Formula:
        """A condition; an empty one is true."""
        return condition(self.written(text) if text is not None else "")

    def value(self, text: nodes.Text | None) -> Formula:
        """A value expression; null when nothing is written."""
        return value(self.written(text) if text is not None else "null")

    def assigned(self, text: nodes.Text | None) -> Formula:
        """The right side of a SET. In map form the quotes are YAML's: inside stands an expression, else a text."""
        if text is None or text.style == "bare":
            return self.value(text)
        formula = value(text.value) if text.style != "pipe" else constant(text.value)
        return formula if formula.node is not None else constant(text.value)

    # Memory ------------------------------------------------------------------------------------------------------

    @cached_property
    def variables(self) -> dict[str, VariablePlan]:
        """Declared session variables."""
        merged: dict[str, VariablePlan] = {}
        for entry in self.agent.memory.session if self.agent.memory else ():
            old = merged.get(entry.name.value)
            initial, dynamic = old.initial if old else None, old.dynamic if old else None
            if entry.initial is not None:
                initial = entry.initial.value
                dynamic = value(entry.initial.dynamic.value) if entry.initial.dynamic else None
            merged[entry.name.value] = VariablePlan(
                name=entry.name.value,
                type=entry.type.value.strip() if entry.type else (old.type if old else None),
                initial=initial,
                dynamic=dynamic,
                reset=entry.reset.value.strip() if entry.reset else (old.reset if old else "per_session"),
                span=self.span(entry),
            )
        return merged

    @cached_property
    def variable_types(self) -> dict[str, str]:
        """TYPE of the session variables that have one."""
        return {name: plan.type for name, plan in self.variables.items() if plan.type}

    @cached_property
    def persistent(self) -> dict[str, PathPlan]:
        """Declared persistent paths."""
        plans: dict[str, PathPlan] = {}
        for entry in self.agent.memory.persistent if self.agent.memory else ():
            path = entry.name.value
            display = None
            if boolean(entry.sensitive):
                how = entry.sensitive_display.value.strip() if entry.sensitive_display else None
                display = Display.of(how, mask_config(entry.prop("MASK_CONFIG")))
            plans[path] = PathPlan(
                path=path,
                scope=entry.scope.value.strip() if entry.scope else scope_by_segment(path),
                access=entry.access.value.strip() if entry.access else "readwrite",
                type=entry.type.value.strip() if entry.type else None,
                default=entry.default.value if entry.default is not None else None,
                display=display,
                domain=entry.domain.value.strip() if entry.domain else None,
                span=self.span(entry),
            )
        return plans

    @cached_property
    def fact_roots(self) -> frozenset[str]:
        """First segments of the declared paths."""
        return frozenset(path.split(".", 1)[0] for path in self.persistent)

    @cached_property
    def triggers(self) -> tuple[TriggerPlan, ...]:
        """Remember triggers that can run, in declaration order."""
        plans = []
        for index, entry in enumerate(self.agent.memory.remember if self.agent.memory else ()):
            store = entry.store
            if store is None or store.target is None or store.value is None:
                continue
            when, stored = self.condition(entry.when), self.value(store.value)
            ttl = entry.ttl.value.strip().strip("\"'") if entry.ttl else None
            operation = (store.operation.value if store.operation else "overwrite").strip()
            plans.append(
                TriggerPlan(
                    index=index,
                    when=when,
                    value=stored,
                    target=store.target.value,
                    append=operation == "append" and not store.arrow,
                    unique=boolean(store.unique),
                    max_size=integer(store.max_size),
                    ttl=ttl,
                    ttl_seconds=ttl_seconds(ttl) if ttl else None,
                    names=tuple(dict.fromkeys((*when.names, *stored.names))),
                    span=self.span(entry),
                    text=store.value.value,
                )
            )
        return tuple(plans)

    @cached_property
    def recalls(self) -> dict[str, tuple[RecallPlan, ...]]:
        """Recall instructions by event pattern."""
        grouped: dict[str, list[RecallPlan]] = {}
        for index, entry in enumerate(self.agent.memory.recall if self.agent.memory else ()):
            if entry.on is None:
                continue
            plan = RecallPlan(
                index=index,
                event=entry.on.value.strip().strip("\"'"),
                action=entry.action.value.strip() if entry.action else "prompt_llm",
                paths=tuple(p.value for p in entry.paths) if entry.paths is not None else None,
                domain=entry.domain.value.strip().strip("\"'") if entry.domain else None,
                instruction=entry.instruction.value if entry.instruction else None,
                span=self.span(entry),
            )
            grouped.setdefault(plan.event, []).append(plan)
        return {event: tuple(plans) for event, plans in grouped.items()}

    # Rules -------------------------------------------------------------------------------------------------------

    @cached_property
    def rules(self) -> tuple[RulePlan, ...]:
        """Constraints in declaration order."""
        listed = self.agent.constraints.rules if self.agent.constraints else ()
        return tuple(
            rule_plan(self, rule, rule_id=f"{self.name}:{index}", phase=rule.phase, index=index)
            for index, rule in enumerate(listed)
        )

    def step_rules(self, step: str) -> tuple[RulePlan, ...]:
        """Rules of a reasoning step's STEP_CONSTRAINTS; their indexes follow those of the agent (docs/spec 04 §7)."""
        return self._step_constraints.get(step, ((), ()))[0]

    def step_sentences(self, step: str) -> tuple[str, ...]:
        """Lines of STEP_CONSTRAINTS that are no rules: text for the model."""
        return self._step_constraints.get(step, ((), ()))[1]

    @cached_property
    def rule_count(self) -> int:
        """How many rules there are, those of steps included."""
        return len(self.rules) + sum(len(rules) for rules, _ in self._step_constraints.values())

    @cached_property
    def _step_constraints(self) -> dict[str, tuple[tuple[RulePlan, ...], tuple[str, ...]]]:
        found: dict[str, tuple[tuple[RulePlan, ...], tuple[str, ...]]] = {}
        index = len(self.rules)
        for name, plan in self.flow.steps.items() if self.flow is not None else ():
            found[name] = step_rules(self, plan.step, index)
            index += len(found[name][0])
        return found

    def tool_outcome(self, found: nodes.Property) -> OutcomePlan:
        """An on_result or on_error block of a tool (docs/spec 08 §7)."""
        if id(found) not in self._outcomes:
            self._outcomes[id(found)] = outcome_plan(self, found)
        return self._outcomes[id(found)]

    def tool_process(self, tool: nodes.Tool, stage: str) -> ProcessPlan | None:
        """``process.before`` or ``process.after`` of a tool (docs/spec 08 §5)."""
        key = (tool.name.value, stage)
        if key not in self._processes:
            self._processes[key] = process_plan(self, tool, stage)
        return self._processes[key]

    @cached_property
    def _outcomes(self) -> dict[int, OutcomePlan]:
        return {}

    @cached_property
    def _processes(self) -> dict[tuple[str, str], ProcessPlan | None]:
        return {}

    # Collecting, flow, coordination ------------------------------------------------------------------------------

    @cached_property
    def library(self) -> dict[str, nodes.GatherField]:
        """Fields of the top-level GATHER."""
        return {f.name.value: f for f in self.agent.gather.fields} if self.agent.gather else {}

    @cached_property
    def fields(self) -> tuple[FieldPlan, ...]:
        """The top-level GATHER."""
        return field_plans(self.agent.gather.fields, self.library, self.variable_types) if self.agent.gather else ()

    def gather_fields(self, gather: nodes.Gather) -> tuple[FieldPlan, ...]:
        """The fields of a step's GATHER."""
        found = self._gathers.get(id(gather))
        if found is None:
            found = field_plans(gather.fields, self.library, self.variable_types)
            self._gathers[id(gather)] = found
        return found

    @cached_property
    def _gathers(self) -> dict[int, tuple[FieldPlan, ...]]:
        return {}

    @cached_property
    def all_fields(self) -> dict[str, FieldPlan]:
        """Every field of the agent by name, those of steps over those of the library."""
        named = {f.name: f for f in self.fields}
        for gather in self.flow.gathers.values() if self.flow else ():
            named.update({f.name: f for f in self.gather_fields(gather)})
        return named

    def field(self, name: str) -> FieldPlan:
        """The field of a COLLECT name, made up from the session variable when there is none."""
        return self.all_fields.get(name) or ad_hoc_field(name, self.variable_types, Span(0, 0))

    @cached_property
    def sensitive_paths(self) -> dict[str, Display]:
        """Persistent paths that are declared sensitive, with how they are shown."""
        return {path: plan.display for path, plan in self.persistent.items() if plan.display is not None}

    @cached_property
    def sensitive(self) -> dict[str, Display]:
        """Names whose values are masked outside the session."""
        named = dict(self.sensitive_paths)
        for name, plan in self.all_fields.items():
            if plan.sensitive:
                named[name] = Display.of(plan.display, plan.mask, plan.pii_type)
        return named

    @cached_property
    def flow(self) -> FlowPlan | None:
        """The flow, if the agent has one."""
        return FlowPlan.of(self.agent.flow) if self.agent.flow is not None and self.agent.flow.steps else None

    @cached_property
    def tools(self) -> dict[str, nodes.Tool]:
        """Declared tools by name."""
        return {tool.name.value: tool for tool in self.agent.tools}

    @cached_property
    def handoffs(self) -> tuple[HandoffPlan, ...]:
        """HANDOFF entries by priority, ties by position."""
        plans = [
            HandoffPlan(i, h, h.to.value, self.condition(h.when), integer(h.priority) or i + 1,
                        boolean(h.expect_return), self.span(h))
            for i, h in enumerate(self.agent.handoffs) if h.to is not None
        ]  # fmt: skip
        return tuple(sorted(plans, key=lambda p: (p.priority, p.index)))

    @cached_property
    def escalations(self) -> tuple[EscalationPlan, ...]:
        """Triggers of ESCALATE in declaration order; one without WHEN never fires (09 §7)."""
        section = self.agent.section("ESCALATE")
        listed = content_of(section.block).get("triggers") if section is not None and section.block else None
        return tuple([
            EscalationPlan(
                index=index,
                when=self.condition(when),
                reason=reason.value if (reason := entry.text_of("reason")) is not None else "",
                priority=entry.word("priority") or "medium",
                sets=sets.block.children if (sets := entry.get("set")) is not None and sets.block is not None else (),
                span=self.span(entry),
            )
            for index, entry in enumerate(listed.items if listed is not None else ())
            if (when := entry.text_of("when")) is not None and when.value.strip()
        ])  # fmt: skip

    @cached_property
    def completions(self) -> tuple[CompletionPlan, ...]:
        """COMPLETE entries in declaration order."""
        return tuple(
            CompletionPlan(i, c, self.condition(c.when), boolean(c.terminal, default=True), self.span(c))
            for i, c in enumerate(self.agent.completions)
        )

    @cached_property
    def messages(self) -> dict[str, str]:
        """MESSAGES over the defaults of docs/spec 09 §8."""
        return {**DEFAULT_MESSAGES, **{name.value: text.value for name, text in self.agent.messages}}

    @cached_property
    def templates(self) -> dict[str, str]:
        """TEMPLATES by name."""
        return {name.value: text.value for name, text in self.agent.templates}

    @cached_property
    def hooks(self) -> dict[str, tuple[nodes.Directive, ...]]:
        """Hooks by name."""
        return dict(self.agent.hooks)

    @cached_property
    def language(self) -> str:
        """LANGUAGE, English when it is not given."""
        section = self.agent.section("LANGUAGE")
        text = section.value.value.strip() if section is not None and section.value is not None else ""
        return text or "en"

    def execution(self, key: str) -> str | None:
        """A value of EXECUTION, its key in any spelling."""
        section = self.agent.section("EXECUTION")
        if section is None or section.block is None:
            return None
        wanted = key.replace("_", "").lower()
        for child in section.block.children:
            if child.key.replace("_", "").lower() == wanted and child.value is not None:
                return child.value.value.strip()
        return None

    @cached_property
    def max_flow_iterations(self) -> int:
        """Steps per user turn (docs/spec 06 §10)."""
        return integer(self.execution("max_flow_iterations")) or MAX_FLOW_ITERATIONS

    @cached_property
    def tool_timeout(self) -> int:
        """Milliseconds a call may take unless the tool says otherwise."""
        return integer(self.execution("tool_timeout")) or 30_000


def scope_by_segment(path: str) -> str:
    """Scope of a path without SCOPE (docs/spec 03 §3)."""
    return SCOPE_OF_SEGMENT.get(path.split(".", 1)[0], "user")


@lru_cache(maxsize=256)
def programs_of(path: str, text: str) -> tuple[Program, ...]:
    """The agents of one file."""
    from abl.syntax import parse

    document = parse(text, path)
    return tuple(Program(agent, document.source, document.yaml) for agent in document.agents)
