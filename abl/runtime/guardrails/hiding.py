"""What a guardrail redacts is in no event: not in those before it, nor in its own (docs/spec 09 §11, 12 §4)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from abl.runtime.events.recorder import Recorder
from abl.runtime.guardrails import texts as guardtexts
from abl.runtime.plan.guardrails import GuardPlan

HIDING_KINDS = frozenset({"input", "output", "tool_output"})
"""Kinds whose redacted text reaches nobody. Arguments and handed-over values stay known to the agent that sends
them.
"""


def hides(plan: GuardPlan) -> bool:
    """Whether what the guardrail takes out must not be shown. ``filter`` and other fixes only tidy the text."""
    return plan.action == "redact" or (plan.action == "fix" and plan.strategy == "redact_pii")


def hides_anything(plans: Iterable[GuardPlan]) -> bool:
    """Whether events have to wait for the end of a turn, because one of the guardrails may hide what they show."""
    return any(hides(plan) and (plan.kind in HIDING_KINDS or plan.kind == "both") for plan in plans)


class Before:
    """The versions of a text on its way through the guardrails of a kind. Once one of them redacts it, events show the
    result for all versions.
    """

    def __init__(self, recorder: Recorder, kind: str) -> None:
        self._recorder = recorder
        self._kind = kind
        self._stages: list[Any] = []
        self._hidden = False

    def add(self, plan: GuardPlan, value: Any, after: Any) -> None:
        """The guardrail changed the value, or did not."""
        if after is value or self._kind not in HIDING_KINDS:
            return
        self._stages.append(value)
        if hides(plan):
            self._hidden = True
            if self._kind != "output":  # the agent's own variables may be looked at
                _hide_places(self._recorder, plan, value)
        if self._hidden:
            self._show(after)

    def _show(self, final: Any) -> None:
        stages = list(self._stages)
        if self._kind == "input":  # as it was sent, with blanks around it
            inputs = (event["data"]["input"] for event in self._recorder.events if event["kind"] == "turn.start")
            stages += [sent for sent in inputs if sent is not None and sent.strip() == stages[0]]
        for stage in stages:
            for text, shown in zip(guardtexts.texts_of(stage), guardtexts.texts_of(final), strict=False):
                self._recorder.add_twin(text, shown)


def _hide_places(recorder: Recorder, plan: GuardPlan, value: Any) -> None:
    """Hide what the check found wherever else it turns up; a word that the check itself names is no secret."""
    strategy = plan.strategy if plan.action == "fix" else None
    for text in guardtexts.texts_of(value):
        for start, end in guardtexts.hidden_places(strategy, plan.check.node, text):
            found = text[start:end].strip()
            if found and found not in plan.check.text:
                recorder.add_secret(found, guardtexts.REDACTED)
