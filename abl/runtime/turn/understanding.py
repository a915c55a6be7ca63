"""T5: the intents of a message, and how several in one are handled (docs/spec 09 §3, §10)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from abl.language.entry import Entry
from abl.runtime.agents import pipeline
from abl.runtime.agents.intents import THRESHOLD, Hit, hits
from abl.runtime.events.recorder import iso_millis, note
from abl.runtime.memory.in_memory import parse_time
from abl.runtime.tools import confirm

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

WAITING, CHOICE = "_intents", "_intent_choice"
"""Where a thread keeps the intents that have still to come, and those that the user is asked to choose from."""
MESSAGE_KEYS = {
    "multi_intent_disambiguate_header": "Which one first?",
    "multi_intent_disambiguate_option": "{{number}}. {{intent}}",
    "multi_intent_disambiguation_reprompt": "Please answer with the number or the name.",
    "multi_intent_queued_notice": "",
    "multi_intent_queued_follow_up": "",
}
"""Texts of MESSAGES, and what is said without them."""


def understand(engine: Engine, thread: Thread) -> bool:
    """Find the intent of the message. False when the user is asked which of several is meant."""
    message = engine.turn.message
    if message is None or not engine.program(thread).intents:
        return True
    if CHOICE in thread.system:
        return _chosen(engine, thread, message)
    listed = hits(engine.program(thread).intents, message)
    several = _several(engine, thread, listed)
    if len(several) < 2:
        threshold = _threshold(engine, thread)
        best = listed[0] if listed[0].score >= threshold else None
        _note(engine, thread, best, listed)
        return True
    parts = _parts(message, several)
    if _settings(engine, thread).value("strategy") == "disambiguate":
        thread.system[CHOICE] = {"parts": parts, "again": False}
        thread.system["_disambiguation_intents"] = [part["name"] for part in parts]
        _note(engine, thread, None, listed, several=several)
        _ask(engine, thread, parts)
        return False
    _queue(engine, thread, parts[1:])
    _note(engine, thread, several[0], listed, several=several)
    engine.turn.message = parts[0]["text"]
    return True


def _threshold(engine: Engine, thread: Thread) -> float:
    section = engine.program(thread).agent.section("NLU")
    given = Entry.at("nlu", section.block).below("evaluation") if section is not None else None
    chosen = given.given("confidence_threshold") if given is not None else None
    return float(chosen) if chosen is not None else THRESHOLD


def _settings(engine: Engine, thread: Thread) -> Entry:
    section = engine.program(thread).agent.section("MULTI_INTENT")
    return Entry.at("multi_intent", section.block if section is not None else None)


def _several(engine: Engine, thread: Thread, listed: list[Hit]) -> list[Hit]:
    """The intents of a message that has several, in its order; none while the message is an answer to a question."""
    settings = _settings(engine, thread)
    if engine.program(thread).agent.section("MULTI_INTENT") is None or settings.value("enabled") is False:
        return []
    if _answers(thread):
        return []
    found = [hit for hit in listed if hit.score >= settings.value("confidence_threshold")]
    return sorted(found[: settings.value("max_intents")], key=lambda hit: hit.at)


def _answers(thread: Thread) -> bool:
    """True while the agent waits for the answer to a question of its own."""
    return thread.collect is not None or confirm.pending(thread) or thread.flow.reason == "gather"


def _parts(message: str, several: list[Hit]) -> list[dict[str, Any]]:
    """The message cut before each intent; the first part begins with it."""
    cuts = [0, *(hit.at for hit in several[1:]), len(message)]
    return [
        {"name": hit.name, "score": hit.score, "text": message[cuts[at] : cuts[at + 1]].strip()}
        for at, hit in enumerate(several)
    ]


def _note(
    engine: Engine, thread: Thread, best: Hit | None, listed: list[Hit], *, several: list[Hit] | None = None
) -> None:
    """Set ``intent.*`` and ``user.intent``, which the whole session sees (09 §17)."""
    intent = {
        "name": best.name if best is not None else None,
        "category": best.name if best is not None else None,
        "confidence": best.score if best is not None else listed[0].score if listed else 0,
        "unclear": best is None,
        "candidates": [{"name": hit.name, "confidence": hit.score} for hit in listed if hit.score > 0][:10],
    }
    engine.state.system["intent"] = intent
    engine.state.system["user"] = {"intent": intent["name"]}
    engine.provided("intent", "user.intent")
    data: dict[str, Any] = dict(intent)
    if several:
        strategy = _settings(engine, thread).value("strategy")
        data["several"] = [hit.name for hit in several]
        data["strategy"] = strategy
        if strategy == "parallel":
            data["notes"] = [note("RUN011", "multi_intent.not_executed", "parallel runs one after the other", "info")]
    section = next((s for k in ("NLU", "INTENTS") if (s := engine.program(thread).agent.section(k))), None)
    engine.recorder.emit(
        "intent", data, status="ok" if best is not None else "skipped", span=engine.program(thread).span(section)
    )
    if not _answers(thread) and thread.system.get("_waiting") != "gather":
        pipeline.decide(engine, thread, several[:1] if several else listed)


# Several intents -------------------------------------------------------------------------------------------------


def _queue(engine: Engine, thread: Thread, parts: list[dict[str, Any]]) -> None:
    engine.turn.intents_queued = True
    thread.system[WAITING] = [{**part, "at": iso_millis(engine.now())} for part in parts]
    text = _text(engine, thread, "multi_intent_queued_notice", {"intents": [part["name"] for part in parts]})
    engine.say(thread, text, kind="notice", event="respond", data={"by": "multi_intent"})


def advance(engine: Engine, thread: Thread) -> bool:
    """Begin with the next intent when the answer to the one before is complete; its part becomes the message."""
    waiting = thread.system.get(WAITING)
    if not waiting or engine.state.ended or engine.state.escalated:
        return False
    asks = thread.collect is not None or confirm.pending(thread) or thread.paused is not None
    if asks or {"gather", "reasoning"} & {thread.flow.reason, thread.system.get("_waiting")}:
        return False
    settings = _settings(engine, thread)
    if not settings.value("advance_on_primary_response") and engine.turn.intents_queued:
        return False
    part, *rest = waiting
    thread.system[WAITING] = rest
    age = (engine.now() - parse_time(part["at"])).total_seconds() * 1000
    if age > settings.value("queue_max_age_ms"):
        engine.recorder.emit("intent", {"name": part["name"], "dropped": "it has waited too long"}, status="skipped")
        return advance(engine, thread)
    text = _text(engine, thread, "multi_intent_queued_follow_up", {"intent": part["name"]})
    engine.say(thread, text, kind="notice", event="respond", data={"by": "multi_intent"})
    hit = Hit(part["name"], part["score"], 0)
    engine.turn.next_message(part["text"])
    _note(engine, thread, hit, [hit])
    return True


def _ask(engine: Engine, thread: Thread, parts: list[dict[str, Any]]) -> None:
    lines = [_text(engine, thread, "multi_intent_disambiguate_header", {})]
    for number, part in enumerate(parts, start=1):
        words = {"number": number, "intent": part["name"].replace("_", " "), "text": part["text"]}
        lines.append(_text(engine, thread, "multi_intent_disambiguate_option", words))
    engine.say(
        thread, "\n".join(line for line in lines if line), kind="prompt", event="respond", data={"by": "multi_intent"}
    )


def _text(engine: Engine, thread: Thread, key: str, words: dict[str, Any]) -> str:
    template = engine.program(thread).messages.get(key, MESSAGE_KEYS[key])
    return engine.render(thread, template, words).text.rstrip("\n")


def _chosen(engine: Engine, thread: Thread, message: str) -> bool:
    """T8: the answer is a number, a name or pattern of one of the intents; after two that are none it is a message."""
    choice = thread.system[CHOICE]
    part = _picked(engine, thread, choice["parts"], message)
    if part is not None:
        thread.system.pop(CHOICE)
        thread.system.pop("_disambiguation_intents", None)
        hit = Hit(part["name"], part["score"], 0)
        engine.turn.message = part["text"]
        _note(engine, thread, hit, [hit])
        return True
    if choice["again"]:
        thread.system.pop(CHOICE)
        thread.system.pop("_disambiguation_intents", None)
        return understand(engine, thread)
    thread.system[CHOICE] = {**choice, "again": True}
    text = _text(engine, thread, "multi_intent_disambiguation_reprompt", {})
    engine.say(thread, text, kind="prompt", event="respond", data={"by": "multi_intent"})
    return False


def _picked(engine: Engine, thread: Thread, parts: list[dict[str, Any]], message: str) -> dict[str, Any] | None:
    number = re.fullmatch(r"\D{0,20}?(\d{1,2})\D{0,20}", message.strip())
    if number is not None:
        at = int(number[1]) - 1
        return parts[at] if 0 <= at < len(parts) else None
    plain = message.casefold().replace("_", " ")
    named = [part for part in parts if part["name"].casefold().replace("_", " ") in plain]
    if len(named) == 1:
        return named[0]
    offered = {part["name"]: part for part in parts}
    plans = tuple(plan for plan in engine.program(thread).intents if plan.name in offered)
    best = [hit for hit in hits(plans, message) if hit.score >= THRESHOLD]
    return offered[best[0].name] if best else None
