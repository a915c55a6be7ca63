"""EXECUTION.pipeline: what the intent of a message decides before the model is asked (docs/spec 09 §4)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl.runtime.agents.intents import Hit, content_words
from abl.runtime.evaluation import Formula, Outcome
from abl.runtime.memory.ranking import scores

if TYPE_CHECKING:
    from abl.language.entry import Entry
    from abl.runtime.engine import Engine
    from abl.runtime.plan.program import Program
    from abl.runtime.state import Thread

DIRECT, GUIDED, REASONING = "direct", "guided", "reasoning"
"""Tiers: the intent routes, it is a hint in the model's request, or the model is on its own."""
DECLINE = "No known intent fits the message. Decline what is outside of your goal."


@dataclass(frozen=True, slots=True)
class Decision:
    """What the pipeline of an agent made of a message. ``hints`` are lines for the model's request."""

    agent: str
    tier: str
    intent: str | None
    hints: tuple[str, ...]


def _settings(program: Program) -> Entry | None:
    """The section, None where it is off."""
    found = program.execution.below("pipeline")
    return found if found.value("enabled") else None


def decide(engine: Engine, thread: Thread, listed: Sequence[Hit]) -> None:
    """Take the tier of the message that has these intents, the best first, and record it."""
    program = engine.program(thread)
    settings = _settings(program)
    engine.turn.pipeline = None
    if settings is None or not listed:
        return
    bridge, best = settings.below("intentBridge"), listed[0]
    likely = [hit for hit in listed if hit.score and hit.score >= bridge.value("guidedThreshold")]
    veto = _veto(settings, engine.turn.message or "")
    direct = len(likely) < 2 and veto is None and _sure(settings, best.score)
    guided = bool(bridge.value("enabled") and likely)
    tier = DIRECT if direct else GUIDED if guided else REASONING
    hints = _hints(bridge, likely) if bridge.value("enabled") else ()
    engine.turn.pipeline = Decision(thread.agent, tier, best.name if direct else None, hints)
    data: dict[str, Any] = {
        "tier": tier,
        "intent": best.name if tier != REASONING else None,
        "confidence": best.score,
        "several": [hit.name for hit in likely] if len(likely) > 1 else [],
        "veto": veto,
    }
    engine.recorder.emit("pipeline", data, span=program.span(program.agent.section("EXECUTION")))


def _sure(settings: Entry, score: float) -> bool:
    short, bridge = settings.below("shortCircuit"), settings.below("intentBridge")
    limits = [(short, "confidenceThreshold"), (bridge, "programmaticThreshold")]
    return score > 0 and any(part.value("enabled") and score >= part.value(limit) for part, limit in limits)


def _veto(settings: Entry, message: str) -> str | None:
    """The first of the veto words that the message holds as a word."""
    given = settings.below("keywordVeto")
    words = given.value("keywords") or () if given.value("enabled") else ()
    return next((w for w in words if re.search(rf"(?<!\w){re.escape(w)}(?!\w)", message, re.IGNORECASE)), None)


def _hints(bridge: Entry, likely: Sequence[Hit]) -> tuple[str, ...]:
    if not likely:
        return (DECLINE,) if bridge.value("outOfScopeDecline") else ()
    if len(likely) > 1 and bridge.value("multiIntentSignal"):
        return (f"The message may have several intents: {', '.join(hit.name for hit in likely)}.",)
    return (f"The intent of the message may be: {likely[0].name}.",)


def hints(engine: Engine, thread: Thread) -> tuple[str, ...]:
    """What the model is told of the message that the agent has got."""
    found = engine.turn.pipeline
    return found.hints if found is not None and found.agent == thread.agent else ()


def sentence_holds(engine: Engine, thread: Thread, sentence: Formula) -> Outcome | None:
    """A WHEN that is a sentence, where the message routes directly: it holds if it has every word of the intent.

    None where only a model could tell.
    """
    found = engine.turn.pipeline
    if found is None or found.agent != thread.agent or found.intent is None:
        return None
    words = content_words(found.intent.replace("_", " "))
    return Outcome(True, truth=True) if words and words <= content_words(sentence.text) else None


def filtered(engine: Engine, thread: Thread, offered: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The tools that a request offers: of the agent's own the ``maxTools`` that have most in common with the message.

    They keep their order; of equal ones those that are declared first stay.
    """
    program = engine.program(thread)
    settings = _settings(program)
    given = settings.below("toolFilter") if settings is not None else None
    own = [name for name in offered if name in program.tools]
    if given is None or not given.value("enabled") or len(own) <= given.value("maxTools"):
        return offered
    lines = [f"{name.replace('_', ' ')} {offered[name]['description']}" for name in own]
    rated = scores(lines, engine.turn.message or "")
    best = sorted(range(len(own)), key=lambda at: -rated[at])[: given.value("maxTools")]
    left = set(own) - {own[at] for at in best}
    return {name: tool for name, tool in offered.items() if name not in left}
