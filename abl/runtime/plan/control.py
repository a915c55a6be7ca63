"""HANDOFF, ESCALATE and COMPLETE of an agent prepared for running (docs/spec 09 §5, §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from abl.language import value_of_text
from abl.language.written import items_of, unquoted
from abl.runtime.plan.parts import CompletionPlan, EscalationPlan, HandoffPlan
from abl.syntax import nodes
from abl.syntax.readers.content import content_of

if TYPE_CHECKING:
    from abl.runtime.plan.agent_text import AgentText


def handoffs_of(program: AgentText) -> tuple[HandoffPlan, ...]:
    """HANDOFF entries by priority, ties by position."""
    plans = [
        HandoffPlan(
            i,
            h,
            h.to.value,
            program.condition(h.when),
            h.typed.value("PRIORITY") or i + 1,
            h.typed.value("EXPECT_RETURN"),
            _on_failure(h),
            program.span(h),
        )
        for i, h in enumerate(program.agent.handoffs)
        if h.to is not None
    ]
    return tuple(sorted(plans, key=lambda p: (p.priority, p.index)))


def escalations_of(program: AgentText) -> tuple[EscalationPlan, ...]:
    """Triggers of ESCALATE in declaration order; one without WHEN never fires (09 §7)."""
    section = program.agent.section("ESCALATE")
    listed = content_of(section.block).get("triggers") if section is not None and section.block else None
    return tuple(
        [
            EscalationPlan(
                index=index,
                when=program.condition(when),
                reason=reason.value if (reason := entry.text_of("reason")) is not None else "",
                priority=value_of_text("trigger", "PRIORITY", entry.text_of("priority")),
                tags=tuple(items_of(tags.block)) if (tags := entry.get("tags")) is not None and tags.block else (),
                sets=sets.block if (sets := entry.get("set")) is not None else None,
                span=program.span(entry),
            )
            for index, entry in enumerate(listed.items if listed is not None else ())
            if (when := entry.text_of("when")) is not None and when.value.strip()
        ]
    )


def completions_of(program: AgentText) -> tuple[CompletionPlan, ...]:
    """COMPLETE entries in declaration order."""
    return tuple(
        CompletionPlan(i, c, program.condition(c.when), c.typed.value("TERMINAL"), program.span(c))
        for i, c in enumerate(program.agent.completions)
    )


def _on_failure(handoff: nodes.Handoff) -> tuple[str, str]:
    """The action of ON_FAILURE and its text: ``RESPOND "m"``, ``ESCALATE with REASON: "m"``, ``RESPOND:`` below it."""
    given = handoff.typed
    below = given.below("ON_FAILURE")
    listed = next((f"{key} {below.text(key) or ''}" for key in below.written), "")
    text = (listed or given.text("ON_FAILURE") or "").strip()
    action, _, rest = text.partition(" ")
    return action.rstrip(":").upper(), unquoted(rest.rpartition("REASON:")[2])
