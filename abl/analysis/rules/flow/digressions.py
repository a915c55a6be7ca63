"""6xx about digressions and sub-intents (docs/spec 06 §7, 10 §2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abl.analysis.fixes.entries import append_property
from abl.analysis.fixes.steps import add_intent, move_to_global, remove_directive
from abl.analysis.index.model import AgentIndex, first_line
from abl.analysis.registry import Found, found, rule
from abl.syntax import nodes

_LEAVES = frozenset({"GOTO", "THEN", "HANDOFF", "DELEGATE", "RESUME", "DO"})


def _is_sub_intent(handler: nodes.IntentHandler) -> bool:
    return "sub_intent" in handler.path.lower()


@rule("ABL639", "intent-missing", "error", "{what} needs INTENT", over=nodes.IntentHandler)
def intent_missing(handler: nodes.IntentHandler, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A digression or sub-intent does not say which intent it answers.
    Why: It can never fire.
    Bad:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - RESPOND: "We open at nine."
                RESUME: true
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - INTENT: "opening hours"
                RESPOND: "We open at nine."
                RESUME: true
            THEN: COMPLETE
    """
    if handler.intent is None or not handler.intent.value.strip():
        what = "Sub-intent" if _is_sub_intent(handler) else "Digression"
        yield found(first_line(handler), *add_intent(agent, handler), what=what)


@rule(
    "ABL640",
    "digression-without-return",
    "warning",
    "Digression `{i}` answers but does not resume, go anywhere or hand over",
    over=nodes.IntentHandler,
)
def digression_without_return(handler: nodes.IntentHandler, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A digression has neither RESUME nor GOTO, THEN, HANDOFF or DELEGATE.
    Why: The flow stays where it was and asks nothing; the user does not know what is expected.
    Bad:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - INTENT: "opening hours"
                RESPOND: "We open at nine."
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - INTENT: "opening hours"
                RESPOND: "We open at nine."
                RESUME: true
            THEN: COMPLETE
    """
    if _is_sub_intent(handler) or handler.intent is None or handler.resume is not None:
        return
    written = {prop.key for prop in handler.props}
    if handler.block is not None:
        written |= {child.key.upper() for child in handler.block.children}
    if any(isinstance(action, nodes.Transition) for action in handler.actions) or written & _LEAVES:
        return
    resume = append_property(agent, handler, "RESUME: true", "Add `RESUME: true`")
    says = any(isinstance(action, nodes.Respond) for action in handler.actions)
    wording: dict[str, Any] = {} if says else {"wording": "Digression `{i}` does not resume, go anywhere or hand over"}
    yield found(handler.intent.span, *resume, i=handler.intent.value, **wording)


@rule("ABL638", "never-fires", "warning", "{what} of `{s}` can never fire", over=nodes.Step)
def never_fires(step: nodes.Step, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A step that never waits has DIGRESSIONS or SUB_INTENTS.
    Why: They are looked at when a message arrives while the step waits.
    Bad:
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello."
            DIGRESSIONS:
              - INTENT: "opening hours"
                RESPOND: "We open at nine."
                RESUME: true
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - title: required
            DIGRESSIONS:
              - INTENT: "opening hours"
                RESPOND: "We open at nine."
                RESUME: true
            THEN: COMPLETE
    """
    if step.name.value in agent.graph.waits or step.reasoning:
        return
    for directive in step.directives:
        if isinstance(directive, nodes.IntentHandlers):
            removal = remove_directive(agent, directive.block, f"Remove `{directive.keyword}`")
            repairs = (*removal, *move_to_global(agent, directive))
            yield found(directive.key_span, *repairs, what=directive.keyword, s=step.name.value)
