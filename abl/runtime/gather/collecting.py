"""Collecting fields (docs/spec 07 §5–§7): which are missing, what a message gives, what to ask next."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from abl.runtime.constraints.tool_sources import note_source
from abl.runtime.evaluation import condition
from abl.runtime.events.recorder import note
from abl.runtime.flow import errors
from abl.runtime.flow.detours import wrote
from abl.runtime.gather import confirming, units
from abl.runtime.gather.corrections import said_instead
from abl.runtime.gather.extract import Extracted, extract, read_value
from abl.runtime.gather.validate import max_retries, validate
from abl.runtime.memory.triggers import recall
from abl.runtime.plan.fields import FieldPlan
from abl.runtime.privacy.masking import Display
from abl.runtime.state import GatherState
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

DEFAULT = "default"
"""Source of a value that is the field's own default; the other sources are those of ``satisfied_by`` (07 §2)."""
EXHAUSTED = "gather.retries_exhausted"
"""Name and subtype of the error of a field that failed more often than its max_retries."""
NEEDS_MODEL = frozenset({"llm", "ml", "hybrid"})


@dataclass(frozen=True, slots=True)
class Request:
    """A GATHER with the state of asking: fields, when it is complete, how it prompts."""

    fields: tuple[FieldPlan, ...]
    state: GatherState
    complete_when: nodes.Text | None = None
    prompt: str | None = None
    said: bool = False  # the step has already said something in this turn
    span: Any = None
    corrections: bool = False
    message: str | None = None  # prompt of a field without its own (COLLECT)
    branches: bool = False  # branches of the GATHER may handle a failure, so the caller judges them
    confirmation: str = "never"  # of the active profiles: always, never, on_change
    strict: bool = False  # only what fits exactly fills a field


def active(engine: Engine, thread: Thread, request: Request, field: FieldPlan) -> bool:
    """True when the field takes part (07 §7)."""
    by_name = {f.name: f for f in request.fields}
    needs = field.depends_on
    if field.activation == "progressive" and not needs:
        needs = tuple(f.name for f in request.fields[: request.fields.index(field)])
    if any(not has_value(thread, by_name.get(name), name, request.state) for name in needs):
        return False
    if field.active_when is not None:
        return engine.holds(thread, condition(field.active_when))
    return True


def has_value(thread: Thread, field: FieldPlan | None, name: str, state: GatherState) -> bool:
    """True for a collected field; an untouched INITIAL is not collected (06 §5.7)."""
    if name in state.reask or thread.variables.get(name) is None or thread.origins.get(name) == "initial":
        return False
    source = thread.sources.get(name, "system")
    return field is None or not field.satisfied_by or source == DEFAULT or source in field.satisfied_by


def is_required(field: FieldPlan) -> bool:
    """True for a field that holds a GATHER up while it is active and has no value."""
    return field.required and field.activation != "optional"


def missing(engine: Engine, thread: Thread, request: Request) -> list[FieldPlan]:
    """Active required fields without a value and without a default, and what a rule demands: those are prompted."""
    return [
        f
        for f in request.fields
        if (f.name in request.state.demanded or (is_required(f) and not f.has_default))
        and not has_value(thread, f, f.name, request.state)
        and active(engine, thread, request, f)
    ]


def begin(engine: Engine, thread: Thread, request: Request) -> None:
    """The first look at a GATHER in this entry of its step."""
    state = request.state
    if state.started:
        return
    state.started = True
    data: dict[str, Any] = {"fields": [f.name for f in request.fields]}
    if found := [_unknown_locale(f) for f in request.fields if f.locale is not None and f.language is None]:
        data["notes"] = found
    engine.recorder.emit("gather.start", data, span=request.span)
    span_of = engine.program(thread).span
    for field in request.fields:
        if field.entity is not None and field.entity not in engine.program(thread).entities:
            engine.recorder.not_executed("entity_ref", "no such entity", span_of(field.span), field=field.name)
        if (field.unit or field.convert_to) and not units.converts(field):
            why = "the units are not known here; the number is taken as it is said"
            engine.recorder.not_executed("units", why, span_of(field.span), field=field.name)
        if field.lookup is not None and field.table is None:
            engine.recorder.not_executed("lookup_table", "any value is accepted", span_of(field.span), field=field.name)


def _unknown_locale(field: FieldPlan) -> dict[str, str]:
    message = f"{field.name}: locale {field.locale!r} is no language tag such as en-GB; the session's language counts"
    return note("RUN011", "extraction.locale_unknown", message)


def advance(engine: Engine, thread: Thread, request: Request) -> bool:
    """Complete the gather or prompt for what is missing; True when it is complete (07 §6)."""
    begin(engine, thread, request)
    if request.state.unconfirmed:
        confirming.ask(engine, thread, request.state, request.fields)
        return False
    wanted = missing(engine, thread, request)
    while not wanted and _apply_defaults(engine, thread, request):  # a default may activate further fields
        wanted = missing(engine, thread, request)
    program = engine.program(thread)
    if request.complete_when is not None:
        formula = program.condition(request.complete_when)
        done = engine.holds(thread, formula)
        if not done and not wanted:
            named = {name.split(".")[0] for name in formula.names}
            wanted = [f for f in request.fields if f.name in named and not has_value(thread, f, f.name, request.state)]
    else:
        done = not wanted
    if done:
        _complete(engine, thread, request)
        return True
    _prompt(engine, thread, request, wanted)
    return False


def _apply_defaults(engine: Engine, thread: Thread, request: Request) -> bool:
    """Give every active unset field its default; True when there was one (07 §6)."""
    masker, applied = engine.masker(thread), False
    for field in request.fields:
        unset = not has_value(thread, field, field.name, request.state)
        demanded = field.name in request.state.demanded
        if not field.has_default or demanded or not unset or not active(engine, thread, request, field):
            continue
        engine.put(thread, field.name, field.default)
        thread.sources[field.name] = DEFAULT
        wrote(engine, thread, field.name)
        applied = True
        if field.name in request.state.reask:
            request.state.reask.remove(field.name)
        shown = masker.shown(field.name, field.default)
        data = {"field": field.name, "value": shown, "state": {"set": {field.name: shown}}}
        engine.recorder.emit("gather.default", data, span=engine.program(thread).span(field.span))
    return applied


def _complete(engine: Engine, thread: Thread, request: Request) -> None:
    state = request.state
    state.asked = None
    state.retry_text = None
    state.transient = [f.name for f in request.fields if f.transient]
    masker = engine.masker(thread)
    values = {f.name: masker.shown(f.name, thread.variables.get(f.name)) for f in request.fields}
    engine.recorder.emit("gather.complete", {"values": values}, span=request.span)
    note_all_gathered(engine, thread)


def note_all_gathered(engine: Engine, thread: Thread) -> None:
    """``all_fields_gathered``: every required field of the agent is present."""
    named = engine.program(thread).all_fields.values()
    thread.system["all_fields_gathered"] = all(
        thread.variables.get(f.name) is not None for f in named if is_required(f)
    )


def _prompt(engine: Engine, thread: Thread, request: Request, wanted: list[FieldPlan]) -> None:
    state = request.state
    to_ask = [f for f in wanted if f.prompt_mode == "ask"]
    state.several = False
    if to_ask:
        state.asked = to_ask[0].name
    elif wanted:
        state.asked = None
    quiet, state.quiet = state.quiet, False
    retry, state.retry_text = state.retry_text, None
    if quiet or (wanted and not to_ask):
        return
    program = engine.program(thread)
    field = to_ask[0] if to_ask else None
    nothing_yet = not any(has_value(thread, f, f.name, state) for f in request.fields)
    data = {"field": field.name if field else None, "fields": [f.name for f in wanted]}
    local = None
    if retry is not None:
        text = retry
    elif request.prompt is not None and (nothing_yet or field is None):
        text, state.several = request.prompt, True
    elif field is not None and (own := field.prompt or request.message):
        text = own
    elif request.said:
        engine.recorder.emit("gather.prompt", {**data, "text": "", "by": "respond"}, span=request.span)
        return
    else:
        text, state.several = program.messages["gather_prompt"], len(wanted) > 1
        local = {"fields": ", ".join(f.name for f in wanted)}
    engine.say_template(thread, text, kind="prompt", event="gather.prompt", span=request.span, data=data, local=local)


def receive(
    engine: Engine,
    thread: Thread,
    request: Request,
    message: str,
    *,
    whole: bool = True,
    ahead: Sequence[FieldPlan] = (),
) -> None:
    """Fill fields from a message (T9). ``whole``: the message may be the whole answer to the last prompt.

    ``ahead`` are fields of the agent that are not asked here but may be filled (07 §1).
    """
    state = request.state
    engine.turn.message_read = True
    begin(engine, thread, request)
    if state.unconfirmed and whole:
        held, unread = confirming.answer(engine, thread, state, message)
        if held is not None:
            _confirmed(engine, thread, request, held)
        if not unread:
            return
    if request.corrections and _correct(engine, thread, request, message):
        return
    open_fields = [
        f for f in request.fields if not has_value(thread, f, f.name, state) and active(engine, thread, request, f)
    ]
    open_fields = [f for f in open_fields if _takes_user_text(engine, thread, f)]
    asked = state.asked if whole else None
    language, today = engine.language(thread), engine.now().date()
    hits = extract(message, open_fields, asked=asked, several=state.several and whole, language=language, today=today)
    if ahead and not any(hit.strategy == "asked" for hit in hits):
        used = [(hit.start, hit.end) for hit in hits]
        more = [f for f in ahead if not has_value(thread, f, f.name, state) and _takes_user_text(engine, thread, f)]
        for hit in extract(message, more, asked=None, language=language, today=today):
            if all(hit.end <= a or hit.start >= b for a, b in used):
                hits.append(hit)
    if not whole:  # what filled a field of another agent in this turn is not said twice
        used = [(start, end) for agent, start, end in engine.turn.used if agent != thread.agent]
        hits = [hit for hit in hits if all(hit.end <= start or hit.start >= end for start, end in used)]
    if request.strict:
        hits = [hit for hit in hits if confirming.fits_exactly(hit, message, language, today)]
    hits = list(_measured(hits, message, language, today))
    engine.turn.used += [(thread.agent, hit.start, hit.end) for hit in hits]
    filled: set[str] = set()
    failed: set[str] = set()
    for hit in hits:
        (filled if _take(engine, thread, request, hit, message) else failed).add(hit.field.name)
    if whole and state.asked is not None and state.asked not in filled and state.asked not in failed:
        _nothing_for(engine, thread, request, state.asked, message)


def _measured(hits: Sequence[Extracted], message: str, language: str, today: date) -> Iterator[Extracted]:
    """Values in the units of their fields (07 §8)."""
    for hit in hits:
        value = units.measured(hit.field, hit.value, message[hit.start :], language, today)
        if value is not None or hit.value is None:
            yield hit if value is hit.value else replace(hit, value=value)


def _takes_user_text(engine: Engine, thread: Thread, field: FieldPlan) -> bool:
    if not field.satisfied_by or "user_input" in field.satisfied_by:
        return True
    data = {"field": field.name, "source": "user_input", "satisfied_by": list(field.satisfied_by)}
    engine.recorder.emit("gather.rejected_source", data, status="skipped", span=engine.program(thread).span(field.span))
    return False


def _take(engine: Engine, thread: Thread, request: Request, hit: Extracted, message: str) -> bool:
    """Validate and store one extracted value."""
    field = hit.field
    program = engine.program(thread)
    if field.sensitive:
        display = Display.of(field.display, field.mask, field.pii_type)
        engine.recorder.add_secret_of(hit.value, display)
        engine.recorder.add_secret(message[hit.start : hit.end].strip(), str(display.show(hit.value)))
        engine.secret_message()
    verdict = validate(engine, thread, field, hit.value)
    if not verdict.executed:
        engine.recorder.not_executed(
            "validation",
            "a sentence needs a model; the value is accepted",
            program.span(field.span),
            field=field.name,
            rule=verdict.rule,
        )
    if not verdict.fits:
        _reject(engine, thread, request, field, rule=verdict.rule, error=verdict.error)
        return False
    place = [hit.start, hit.end]
    if confirming.is_due(thread, request.confirmation, field, hit.value):
        found = {"value": hit.value, "strategy": hit.strategy, "place": place, "extra": hit.extra}
        confirming.hold(engine, thread, request.state, field, found)
        return True
    store(engine, thread, request.state, field, hit.value, strategy=hit.strategy, place=place)
    _store_currency(engine, thread, field, hit.extra)
    return True


def _store_currency(engine: Engine, thread: Thread, field: FieldPlan, code: str | None) -> None:
    if code is None:
        return
    name = f"{field.name}_currency"
    engine.put(thread, name, code)
    data = {"name": name, "old": None, "new": code, "cause": "gather", "state": {"set": {name: code}}}
    engine.recorder.emit("set", data, span=engine.program(thread).span(field.span))


def _confirmed(engine: Engine, thread: Thread, request: Request, held: dict[str, Any]) -> None:
    """Store what the user has confirmed."""
    field = next((f for f in request.fields if f.name == held["field"]), engine.program(thread).field(held["field"]))
    if held.get("corrects"):
        _replace(engine, thread, request, field, held["value"])
        return
    store(engine, thread, request.state, field, held["value"], strategy=held["strategy"], place=held["place"])
    _store_currency(engine, thread, field, held["extra"])


def store(
    engine: Engine,
    thread: Thread,
    state: GatherState,
    field: FieldPlan,
    value: Any,
    *,
    strategy: str,
    place: list[int] | None = None,
) -> None:
    """Put a valid value into the field and fire its recall."""
    masker = engine.masker(thread)
    shown = masker.shown(field.name, value)
    data: dict[str, Any] = {
        "field": field.name,
        "value": shown,
        "strategy": strategy,
        "text_span": place,
        "confidence": 1.0,
        "state": {"set": {field.name: shown}},
    }
    if field.strategy in NEEDS_MODEL:
        message = f"strategy {field.strategy} needs a model; recognisers were used"
        data["notes"] = [note("RUN011", "extraction.strategy_unavailable", message, "info")]
    engine.put(thread, field.name, value)
    thread.sources[field.name] = "user_input"
    wrote(engine, thread, field.name)
    note_source(thread, field.name, False)
    if field.name in state.reask:
        state.reask.remove(field.name)
    engine.turn.filled.append(field.name)
    engine.recorder.emit("gather.extracted", data, span=engine.program(thread).span(field.span))
    recall(engine, thread, f"entity:{field.name}:extracted")


def _reject(
    engine: Engine, thread: Thread, request: Request, field: FieldPlan, *, rule: str | None, error: str | None = None
) -> None:
    """A value that does not fit: counted, and the next prompt says so (07 §4)."""
    retries = dict(thread.system.get("_validation_retries", {}))
    retries[field.name] = retries.get(field.name, 0) + 1
    thread.system["_validation_retries"] = retries
    program = engine.program(thread)
    finding = note("RUN008", "gather.rejected", f"{field.name} does not fit {rule or field.type}", "info")
    data = {"field": field.name, "rule": rule, "attempt": retries[field.name], "notes": [finding]}
    limit = max_retries(field)
    if limit is not None and retries[field.name] > limit:
        message = f"{field.name}: more than {limit} failed attempts"
        _exhausted(engine, thread, request, field, data, message=message)
        return
    engine.recorder.emit("gather.rejected", data, status="failed", span=program.span(field.span))
    own = error or field.retry_prompt
    if own is None:
        prompt = field.prompt or request.message or ""
        own = f"{program.messages['error_validation']} {prompt}".strip()
    request.state.retry_text = own


def _exhausted(
    engine: Engine, thread: Thread, request: Request, field: FieldPlan, data: dict[str, Any], *, message: str
) -> None:
    """A field failed more often than its max_retries: the branches of its GATHER are judged, else it is an error."""
    span = engine.program(thread).span(field.span)
    branched = request.branches and field in request.fields
    if branched and engine.turn.exhausted is None:
        engine.turn.exhausted = (message, span)
        data["state"] = {"set": errors.bind(engine, thread, "RUN008", EXHAUSTED, message, kind="validation_error")}
    engine.recorder.emit("gather.rejected", data, status="failed", span=span)
    if not branched:
        engine.turn.handler = errors.report(
            engine, thread, "RUN008", EXHAUSTED, message, kind="validation_error", span=span
        )
        request.state.quiet = True


def _nothing_for(engine: Engine, thread: Thread, request: Request, asked: str, message: str) -> None:
    """The message gave nothing for the asked field: for a typed one a failed attempt (07 §5)."""
    thread.system["_clarification_count"] = thread.system.get("_clarification_count", 0) + 1
    field = next((f for f in request.fields if f.name == asked), None)
    if field is not None and field.sensitive and any(c.isdigit() for c in message):
        display = Display.of(field.display, field.mask, field.pii_type)
        engine.recorder.add_secret(message.strip(), str(display.show(message.strip())))  # a mistyped number is one too
        engine.secret_message()
    if field is not None and not field.is_text and _takes_user_text(engine, thread, field):
        _reject(engine, thread, request, field, rule=f"type {field.type}" if not field.options else "options")


def _correct(engine: Engine, thread: Thread, request: Request, message: str) -> bool:
    """A correction of a field that is set (07 §9); True when the message was one."""
    set_fields = [f for f in request.fields if has_value(thread, f, f.name, request.state)]
    language, today = engine.language(thread), engine.now().date()
    for field in set_fields:
        names = "|".join(re.escape(n) for n in (field.name, field.spaced))
        pair = re.search(rf"(?<![\w.])(?:{names})\s*[:=]\s*([^,;\n]+)", message, re.IGNORECASE)
        if pair is not None and _corrected(engine, thread, request, field, pair[1]):
            return True
    raw = said_instead(message)
    if raw is None:
        return False
    named = [f for f in set_fields if re.search(rf"(?<!\w){re.escape(f.spaced)}(?!\w)", message, re.IGNORECASE)]
    for field in named or sorted(set_fields, key=lambda f: -thread.assigned.get(f.name, 0)):
        if read_value(field, raw, language, today)[0] and _corrected(engine, thread, request, field, raw):
            return True
    return False


def _corrected(engine: Engine, thread: Thread, request: Request, field: FieldPlan, raw: str) -> bool:
    language, today = engine.language(thread), engine.now().date()
    fits, value, _ = read_value(field, raw, language, today)
    value = units.measured(field, value, raw, language, today) if fits else None
    if value is None or not validate(engine, thread, field, value).fits:
        return False
    if field.sensitive:
        display = Display.of(field.display, field.mask, field.pii_type)
        engine.recorder.add_secret_of(value, display)
        engine.recorder.add_secret(raw.strip(), str(display.show(value)))
        engine.secret_message()
    if confirming.is_due(thread, request.confirmation, field, value):
        confirming.hold(engine, thread, request.state, field, {"value": value, "corrects": True})
    else:
        _replace(engine, thread, request, field, value)
    return True


def _replace(engine: Engine, thread: Thread, request: Request, field: FieldPlan, value: Any) -> None:
    """A corrected value in place of the old one; fields that depend on it are asked again."""
    masker = engine.masker(thread)
    old = thread.variables.get(field.name)
    engine.put(thread, field.name, value)
    thread.sources[field.name] = "user_input"
    wrote(engine, thread, field.name)
    engine.turn.filled.append(field.name)
    dependent = [f.name for f in request.fields if field.name in f.depends_on and f.name in thread.variables]
    for name in dependent:
        thread.variables.pop(name, None)
        engine.assigned(thread, name)
    shown = masker.shown(field.name, value)
    data = {"field": field.name, "old": masker.shown(field.name, old), "new": shown, "cleared": dependent,
            "state": {"set": {field.name: shown}, "unset": dependent}}  # fmt: skip
    engine.recorder.emit("gather.corrected", data, span=engine.program(thread).span(field.span))


def drop_transient(engine: Engine, thread: Thread) -> None:
    """Clear transient fields when their step is left (07 §6)."""
    names = [name for name in thread.gather.transient if name in thread.variables]
    thread.gather.transient = []
    if not names:
        return
    for name in names:
        thread.variables.pop(name, None)
        engine.assigned(thread, name)
    engine.recorder.emit("gather.transient_cleared", {"fields": names, "state": {"unset": names}})
