"""What steps, branches and handlers do, and the flow they are in (docs/spec 06, 07)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from abl.language import key_at
from abl.syntax.nodes.base import Literal_, Name, Node, Text
from abl.syntax.nodes.branches import Assignment, Branch, Directive
from abl.syntax.nodes.constraints import OnFail, Rule, Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument(Node):
    """``name`` is None for a positional argument; ``children`` hold a nested WITH object."""

    name: Name | None
    value: Text | None
    children: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Respond(Directive):
    """RESPOND, SAY and PRESENT: ``template`` names TEMPLATE(x) when given; extra keys stay in ``props``."""

    text: Text | None
    template: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVariables(Directive):
    """SET: assignments in authored order (06 §5.3)."""

    assignments: tuple[Assignment, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Clear(Directive):
    """CLEAR (06 §5.4)."""

    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform(Directive):
    """TRANSFORM: a pipeline over a list (06 §5.5)."""

    PLACE = "transform"
    source: Name | None
    item: Name | None
    into: Name | None
    filter: Text | None = None
    mapping: tuple[Argument, ...] = ()
    sort_by: Text | None = None
    limit: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Log(Directive):
    """LOG (06 §5.6)."""

    PLACE = "log"
    text: Text | None
    level: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GatherField(Node):
    """A field that GATHER collects (07 §2)."""

    PLACE = "field"
    name: Name
    required: bool = True
    prompt: Text | None = None
    type: Text | None = None
    default: Literal_ | None = None
    options: tuple[Literal_, ...] | None = None
    validate: Text | None = None
    retry_prompt: Text | None = None
    max_retries: Text | None = None
    description: Text | None = None
    extraction_pattern: Text | None = None
    # every other property of 07 §2 is reached through ``prop("DEPENDS_ON")`` and the like

    @property
    def type_word(self) -> str:
        """Its own type as words are compared, also one that is unknown; empty without one."""
        return self.type.value.strip().lower() if self.type is not None else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gather(Directive):
    """GATHER: fields to collect from the user (07 §1)."""

    fields: tuple[GatherField, ...]
    prompt: Text | None = None
    strategy: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Directive):
    """CALL: a tool with its arguments and the branches over its result (06 §5.8)."""

    tool: Name | None
    arguments: tuple[Argument, ...] = ()  # inline
    with_: tuple[Argument, ...] = ()  # WITH block
    as_: Name | None = None
    on_success: tuple[Branch, ...] = ()
    on_failure: tuple[Branch, ...] = ()
    on_result: tuple[Branch, ...] = ()
    on_fail: OnFail | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Directive):
    """CHECK: a condition, and what happens when it is false (06 §5.9)."""

    condition: Text | None
    on_fail: OnFail | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Directive):
    """Branches that belong to no CALL: ``keyword`` says which.

    ON_SUCCESS, ON_FAILURE, ON_RESULT or ON_FAIL with no CALL (or CHECK) above it; BRANCHES of ON_START; WHEN of a hook
    with what is nested below it as its one branch (09 §9).
    """

    branches: tuple[Branch, ...] = ()
    on_fail: OnFail | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OnInput(Directive):
    """ON_INPUT: branches over the next message (06 §6.3)."""

    branches: tuple[Branch, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition(Directive):
    """THEN, GOTO, TRANSITION, ON_EXHAUSTED, ON_TIMEOUT: ``target`` a step or a terminal; ``reason`` of ESCALATE;
    ``agent`` of ``HANDOFF Agent``."""

    target: Name | None
    reason: Text | None = None
    agent: Name | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentHandler(Node):
    """An entry of SUB_INTENTS, DIGRESSIONS or global_digressions (06 §7).

    ``actions`` are in authored order; ``ordered``: they come from a DO list, where that order counts.
    RESUME of a DO list is a ``Setting`` among them.
    """

    intent: Text | None
    keywords: tuple[Text, ...] = ()
    condition: Text | None = None
    actions: tuple[Directive, ...] = ()
    resume: bool | None = None
    ordered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentHandlers(Directive):
    """SUB_INTENTS or DIGRESSIONS of a step."""

    handlers: tuple[IntentHandler, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionHandler(Node):
    """An entry of ON_ACTION or ACTION_HANDLERS: ``action`` is the element's id; ``ordered`` as in IntentHandler."""

    action: Name | None
    condition: Text | None = None
    actions: tuple[Directive, ...] = ()
    ordered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionHandlers(Directive):
    """ON_ACTION of a step (06 §6.4)."""

    handlers: tuple[ActionHandler, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DoList(Node):
    """``do`` of a tool's on_result or on_error; it is read on demand (08 §7)."""

    actions: tuple[Branch | Directive, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting(Directive):
    """A step property or directive without a node of its own (WHEN, MAX_ATTEMPTS, COMPLETE_WHEN, GOAL, ...).

    ``rules`` are the entries of STEP_CONSTRAINTS, in authored order (04 §7).
    """

    value: Text | None
    rules: tuple[Rule | Sentence, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step(Node):
    """A step of a FLOW (06 §3)."""

    name: Name
    reasoning: bool | None
    directives: tuple[Directive, ...]  # authored order, settings and THEN included

    def setting(self, keyword: str) -> Setting | None:
        """The last setting of that keyword."""
        found = [d for d in self.directives if isinstance(d, Setting) and d.keyword == keyword]
        return found[-1] if found else None

    def value(self, keyword: str) -> Any:
        """The value of a setting as it is meant, else its default (``abl.language``)."""
        found, declared = self.setting(keyword), key_at("step", keyword)
        return declared.read(found.block if found is not None else None) if declared is not None else None

    @property
    def then(self) -> Transition | None:
        """The step's own THEN."""
        found = [d for d in self.directives if isinstance(d, Transition) and d.keyword == "THEN"]
        return found[-1] if found else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow(Node):
    """FLOW of an agent (06 §2)."""

    entry_point: Name | None
    listed: tuple[Name, ...]  # steps: list or chain
    steps: tuple[Step, ...]  # definition order, duplicates included
    digressions: tuple[IntentHandler, ...] = ()
    shape: Literal["A", "B", "C", "D", "E"] = "A"

    def step(self, name: str) -> Step | None:
        """The first definition of a step (06 §2 rule 1)."""
        return next((s for s in self.steps if s.name.value == name), None)

    @property
    def order(self) -> tuple[str, ...]:
        """Effective order: the list, then the other definitions (06 §2 rule 2)."""
        names = dict.fromkeys([n.value for n in self.listed] + [s.name.value for s in self.steps])
        return tuple(names)

    @property
    def entry(self) -> str | None:
        """Name of the entry step (06 §2 rule 3)."""
        if self.entry_point is not None:
            return self.entry_point.value
        return next(iter(self.order), None)
