"""An agent prepared for running: declarations resolved, expressions compiled once, action lists addressable.

A program is immutable and shared by all sessions over the same text; nothing of a conversation is kept in it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from abl.language import declared_name
from abl.language.entry import Entry
from abl.runtime.agents.intents import IntentPlan, intent_plans
from abl.runtime.gather.lookups import LookupTable, lookup_tables
from abl.runtime.plan.after_human import DonePlan, ShownPlan, done_plans, shown_plans
from abl.runtime.plan.agent_text import AgentText
from abl.runtime.plan.control import completions_of, escalations_of, handoffs_of
from abl.runtime.plan.delegations import DelegatePlan, delegate_plans
from abl.runtime.plan.entities import EntityPlan, entity_plans, with_entity
from abl.runtime.plan.fields import FieldPlan, ad_hoc_field, field_plans
from abl.runtime.plan.flow import FlowPlan
from abl.runtime.plan.guardrails import GuardPlan, guard_plans
from abl.runtime.plan.insertions import Inserted, inserted_steps
from abl.runtime.plan.left_out import LeftOuts, left_outs
from abl.runtime.plan.linking import Linked, Piece
from abl.runtime.plan.memory import persistent_of, recalls_of, triggers_of, variables_of
from abl.runtime.plan.parts import (
    CompletionPlan,
    EscalationPlan,
    HandoffPlan,
    PathPlan,
    RecallPlan,
    RulePlan,
    TriggerPlan,
    VariablePlan,
)
from abl.runtime.plan.profiles import ProfilePlan, inline_plans, used_names
from abl.runtime.plan.routes import RoutePlan, route_plans
from abl.runtime.plan.rules import fields_read, rule_plan, step_rules
from abl.runtime.plan.supervising import PolicyPlan, StatePlan, policy_plans, return_handlers, state_plan
from abl.runtime.plan.tools import OutcomePlan, ProcessPlan, outcome_plan, process_plan
from abl.runtime.privacy.masking import Display
from abl.source import Source, Span
from abl.syntax import nodes
from abl.syntax.readers.content import content_of

if TYPE_CHECKING:
    from abl.analysis.flow.detours import Changes, Detour
    from abl.analysis.index.model import AgentIndex

DEFAULT_MESSAGES: Mapping[str, str] = {
    "error_default": "An error occurred.",
    "constraint_blocked": "That is not possible right now.",
    "gather_prompt": "Please provide: {{fields}}",
    "error_validation": "That value does not fit.",
    "escalation_format": "Escalating to human agent. Reason: {{reason}}",
    "conversation_complete": "This conversation has been completed.",
    "invalid_handoff": "The transfer did not work.",
    "self_handoff": "The transfer did not work.",
    "tool_fallback_desc": "Runs an operation.",
}
NOTHING = Linked("", ())
ESCALATING = "Escalating to human agent."
"""Said in place of the default `escalation_format` when the author wrote no reason."""
MAX_FLOW_ITERATIONS = 100


@dataclass(frozen=True, eq=False)
class Program(AgentText):
    """One agent with everything that it declares."""

    lent: tuple[tuple[nodes.Document, int], ...] = ()
    """Documents whose profiles insert steps, each with where its text begins in the source."""

    # Memory ------------------------------------------------------------------------------------------------------

    @cached_property
    def variables(self) -> dict[str, VariablePlan]:
        """Declared session variables."""
        return {**self.state.variables, **variables_of(self)}

    @cached_property
    def state(self) -> StatePlan:
        """STATE of a supervisor."""
        return state_plan(self)

    @cached_property
    def policies(self) -> tuple[PolicyPlan, ...]:
        """POLICIES of a supervisor."""
        return policy_plans(self)

    @cached_property
    def return_handlers(self) -> dict[str, tuple[Entry, nodes.Block]]:
        """RETURN_HANDLERS by name."""
        return return_handlers(self)

    @cached_property
    def variable_types(self) -> dict[str, str]:
        """TYPE of the session variables that have one."""
        return {name: plan.type for name, plan in self.variables.items() if plan.type}

    @cached_property
    def persistent(self) -> dict[str, PathPlan]:
        """Declared persistent paths."""
        return persistent_of(self)

    @cached_property
    def fact_roots(self) -> frozenset[str]:
        """First segments of the declared paths."""
        return frozenset(path.split(".", 1)[0] for path in self.persistent)

    @cached_property
    def short_paths(self) -> frozenset[str]:
        """Declared paths of one segment, which read like variables."""
        return frozenset(path for path in self.persistent if "." not in path)

    @cached_property
    def triggers(self) -> tuple[TriggerPlan, ...]:
        """Remember triggers that can run, in declaration order."""
        return triggers_of(self)

    @cached_property
    def recalls(self) -> dict[str, tuple[RecallPlan, ...]]:
        """Recall instructions by event pattern."""
        return recalls_of(self)

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

    def waited_for(self, plan: RulePlan) -> tuple[str, ...]:
        """The gather fields that a rule waits for while they are collected (docs/spec 04 §6.2)."""
        found = self._waited_for.get(plan.id)
        if found is None:
            found = self._waited_for[plan.id] = fields_read(plan, self.all_fields)
        return found

    @cached_property
    def _waited_for(self) -> dict[str, tuple[str, ...]]:
        return {}

    # Detours -----------------------------------------------------------------------------------------------------

    @cached_property
    def index(self) -> AgentIndex:
        """What the agent reads, writes and refers to, and where (``abl.analysis``)."""
        from abl.analysis.collect.agent import collect
        from abl.syntax import parse

        read = self.lent[0][1] if self.lent else None  # what is behind belongs to profiles
        document = parse(self.source.text[:read], self.source.path)
        return collect(next(a for a in document.agents if a.name == self.agent.name), document)

    def detour(self, target: str, parts: Sequence[Changes]) -> Detour:
        """The detour to ``target`` of a rule with these open parts (docs/spec 04 §5.1)."""
        from abl.analysis.flow.detours import detour_of

        return detour_of(self.index, target, parts)

    # Collecting, flow, coordination ------------------------------------------------------------------------------

    @cached_property
    def library(self) -> dict[str, nodes.GatherField]:
        """Fields of the top-level GATHER."""
        return {f.name.value: f for f in self.agent.gather.fields} if self.agent.gather else {}

    @cached_property
    def fields(self) -> tuple[FieldPlan, ...]:
        """The top-level GATHER."""
        return self.gather_fields(self.agent.gather) if self.agent.gather else ()

    def gather_fields(self, gather: nodes.Gather) -> tuple[FieldPlan, ...]:
        """The fields of a step's GATHER."""
        found = self._gathers.get(id(gather))
        if found is None:
            plans = field_plans(gather.fields, self.library, self.variable_types, self.lookups)
            found = tuple(with_entity(plan, self.entities) for plan in plans)
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
        if self.agent.flow is None or not self.agent.flow.steps:
            return None
        return FlowPlan.of(self.agent.flow, self.agent.action_handlers, [each.step for each in self.inserted])

    @cached_property
    def inserted(self) -> tuple[Inserted, ...]:
        """The steps that its behaviour profiles put into the flow."""
        own = [step.name.value for step in self.agent.flow.steps] if self.agent.flow is not None else []
        return inserted_steps(used_names(self), self.source, self.lent, own) if self.lent and own else ()

    @cached_property
    def tools(self) -> dict[str, nodes.Tool]:
        """Declared tools by name."""
        return {tool.name.value: tool for tool in self.agent.tools}

    @cached_property
    def own_tools(self) -> frozenset[str]:
        """The tools that stand in the agent's own document."""
        return frozenset(t.name.value for t in self.agent.tools if not self.pieces or t.span.start < self.own)

    @cached_property
    def handoffs(self) -> tuple[HandoffPlan, ...]:
        """HANDOFF entries by priority, ties by position."""
        return handoffs_of(self)

    @cached_property
    def escalations(self) -> tuple[EscalationPlan, ...]:
        """Triggers of ESCALATE in declaration order; one without WHEN never fires (09 §7)."""
        return escalations_of(self)

    @cached_property
    def completions(self) -> tuple[CompletionPlan, ...]:
        """COMPLETE entries in declaration order."""
        return completions_of(self)

    @cached_property
    def messages(self) -> dict[str, str]:
        """MESSAGES over the defaults of docs/spec 09 §8."""
        given = {declared_name("messages", name.value): text.value for name, text in self.agent.messages}
        return {**DEFAULT_MESSAGES, **given}

    @cached_property
    def templates(self) -> dict[str, str]:
        """TEMPLATES by name."""
        return {name.value: text.value for name, text in self.agent.templates}

    @cached_property
    def template_parts(self) -> dict[str, tuple[tuple[str, nodes.Content], ...]]:
        """What a TEMPLATE presents besides its text, by name: its formats as one, and the rest."""
        described = [t for s in self.agent.sections if s.keyword == "TEMPLATES" for t in s.described]
        return {t.name.value: template_parts(t.content) for t in described if isinstance(t, nodes.Template)}

    @cached_property
    def shown_parts(self) -> tuple[tuple[str, nodes.Content], ...]:
        """RICH_CONTENT and ACTIONS of the agent itself."""
        shown = [s for s in self.agent.sections if s.keyword in ("RICH_CONTENT", "ACTIONS") and s.block is not None]
        return tuple((s.keyword, content_of(s.block)) for s in shown if s.block is not None)

    @cached_property
    def guardrails(self) -> tuple[GuardPlan, ...]:
        """GUARDRAILS, in the order in which they look."""
        return guard_plans(self)

    @cached_property
    def entities(self) -> dict[str, EntityPlan]:
        """ENTITIES and NLU.entities by name."""
        return entity_plans(self)

    @cached_property
    def lookups(self) -> dict[str, LookupTable | None]:
        """LOOKUP_TABLES by name; None for one whose values are elsewhere."""
        return lookup_tables(self)

    @cached_property
    def delegations(self) -> tuple[DelegatePlan, ...]:
        """DELEGATE in declaration order."""
        return delegate_plans(self)

    @cached_property
    def profiles(self) -> tuple[ProfilePlan, ...]:
        """Profiles that are in the agent."""
        return inline_plans(self)

    @cached_property
    def routes(self) -> tuple[RoutePlan, ...]:
        """ROUTING, in the order in which its rules are tried."""
        return route_plans(self)

    @cached_property
    def for_human(self) -> tuple[ShownPlan, ...]:
        """context_for_human of ESCALATE."""
        return shown_plans(self)

    @cached_property
    def after_human(self) -> tuple[DonePlan, ...]:
        """on_human_complete of ESCALATE."""
        return done_plans(self)

    @cached_property
    def intents(self) -> tuple[IntentPlan, ...]:
        """What a message may be about: NLU and INTENTS."""
        return intent_plans(self)

    @cached_property
    def hooks(self) -> dict[str, tuple[nodes.Directive, ...]]:
        """Hooks by name."""
        return dict(self.agent.hooks)

    @cached_property
    def left_outs(self) -> LeftOuts:
        """What nothing here executes."""
        return left_outs(self, [step.step for step in self.flow.steps.values()] if self.flow is not None else ())

    @cached_property
    def language(self) -> str:
        """LANGUAGE; empty when it is not given."""
        section = self.agent.section("LANGUAGE")
        return section.value.value.strip() if section is not None and section.value is not None else ""

    @cached_property
    def execution(self) -> Entry:
        """EXECUTION."""
        section = self.agent.section("EXECUTION")
        return Entry.at("execution", section.block if section is not None else None)

    @cached_property
    def max_flow_iterations(self) -> int:
        """Steps per user turn (docs/spec 06 §10)."""
        return self.execution.given("max_flow_iterations") or MAX_FLOW_ITERATIONS

    @cached_property
    def tool_timeout(self) -> int:
        """Milliseconds a call may take unless the tool says otherwise."""
        return self.execution.given("tool_timeout") or 30_000


def template_parts(template: nodes.Content) -> tuple[tuple[str, nodes.Content], ...]:
    """The formats of a template, as FORMATS has them, and its other parts by key."""
    others = [
        (part.key.upper(), part) for part in template.members if part.key.upper() in ("VOICE", "ACTIONS", "RENDERABLES")
    ]
    return (("FORMATS", template), *others) if template.members else ()


@lru_cache(maxsize=256)
def programs_of(path: str, text: str, behind: Linked = NOTHING) -> tuple[Program, ...]:
    """The agents of one file; ``behind`` holds the tools and steps that they take from others."""
    document = document_of(path, text + behind.text)
    source, pieces, lent = document.source, list(behind.pieces), []
    for other in behind.lent:
        start = len(source.text) + 1
        source = Source(f"{source.text}\n{other.text}", path)
        pieces.append(Piece(start - len(text), other.path, 1, 1))
        lent.append((document_of(other.path, other.text), start))
    return tuple(
        Program(agent, source, document.yaml, tuple(pieces), len(text), lent=tuple(lent)) for agent in document.agents
    )


@lru_cache(maxsize=512)
def document_of(path: str, text: str) -> nodes.Document:
    """The document of a file, read once."""
    from abl.syntax import parse

    return parse(text, path)
