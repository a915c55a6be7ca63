"""The plain actions: RESPOND, PRESENT, SET, CLEAR, TRANSFORM, LOG (docs/spec 06 §5.1–§5.6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

from abl.expressions.budget import counted, makes, spends, writes
from abl.expressions.scope import descend
from abl.expressions.values import is_number, text, truthy, type_tag
from abl.language import value_of_text
from abl.language.written import Lines
from abl.runtime.constraints.tool_sources import from_tool
from abl.runtime.evaluation import value as value_formula
from abl.runtime.events.recorder import cut_text, note
from abl.runtime.flow.detours import is_literal
from abl.runtime.flow.variables import assign, clear
from abl.runtime.privacy.masking import HIDDEN_ERROR
from abl.runtime.turn.presenting import contents, presented, shows_result, spoken
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.program import Program
    from abl.runtime.state import Thread

_Key = tuple[int, Any]
"""Numbers, texts and unset values, in that order; then what is compared."""
MAX_NOTES = 100
"""Items of a TRANSFORM that are reported as dropped."""
_TEMPLATE = re.compile(r"TEMPLATE\(\s*(\w+)\s*\)")


def respond(
    engine: Engine,
    thread: Thread,
    action: nodes.Respond,
    *,
    kind: str = "reply",
    local: Mapping[str, Any] | None = None,
    beside: Iterable[tuple[str, Lines]] = (),
    instead: str | None = None,
) -> str:
    """Say a RESPOND or PRESENT; gives the text.

    ``beside`` is what presents it without being a part of it, ``instead`` a text that a profile puts in its place.
    """
    program = engine.program(thread)
    span = program.span(action)
    event = "present" if action.keyword == "PRESENT" else "respond"
    said = ""
    body = message_text(engine, thread, action) if instead is None else instead
    if body is not None:
        kind = "prompt" if event == "present" else kind
        own = [(prop.key, prop.block) for prop in action.props]
        named = program.template_parts.get(action.template.value, ()) if action.template is not None else ()
        written = contents((*own, *beside))
        found = presented(engine, thread, named, local) | presented(engine, thread, written, local)
        said = engine.say_template(
            thread,
            spoken(engine, found) or body,
            kind=kind,
            event=event,
            span=span,
            local=local,
            data=found,
            for_model=model_context(engine, thread, action.prop("MODEL_CONTEXT"), local),
            result=shows_result(thread, (*named, *written), local),
        )
    return said


def model_context(
    engine: Engine, thread: Thread, found: nodes.Property | None, local: Mapping[str, Any] | None = None
) -> str | None:
    """MODEL_CONTEXT: what later model calls see in place of the message; None without it."""
    if found is None:
        return None
    return engine.render(thread, found.value.value if found.value is not None else "", local).text


def message_text(engine: Engine, thread: Thread, action: nodes.Respond) -> str | None:
    """The template of a RESPOND; ``TEMPLATE(name)`` names one of TEMPLATES."""
    if action.template is not None:
        return _named(engine, thread, action.template.value, engine.program(thread).span(action.template))
    return action.text.value if action.text is not None else None


def wording(engine: Engine, thread: Thread, text: str, span: Any) -> str | None:
    """The template of a RESPOND that is read as a text, in COMPLETE and handlers: ``TEMPLATE(name)`` there, too."""
    match = _TEMPLATE.fullmatch(text)
    return text if match is None else _named(engine, thread, match[1], span)


def _named(engine: Engine, thread: Thread, name: str, span: Any) -> str | None:
    found = engine.program(thread).templates.get(name)
    if found is None:
        engine.recorder.error("RUN003", "unknown_target", f"no template {name!r}", span)
    return found


def set_variables(
    engine: Engine,
    thread: Thread,
    assignments: tuple[nodes.Assignment, ...],
    local: Mapping[str, Any] | None = None,
    *,
    cause: str = "set",
    origin: str = "session",
) -> None:
    """Run assignments top to bottom; each sees those before (06 §5.3)."""
    program = engine.program(thread)
    for item in assignments:
        if item.target is None:
            continue
        formula = program.assigned(item.value)
        outcome = engine.evaluate(thread, formula, local)
        notes: list[dict[str, str]] = []
        if outcome.error:
            notes.append(note("RUN006", "condition.error", f"{formula.text}: {outcome.error}; null is stored"))
        elif outcome.value is None:
            unset = [name for name in formula.names if engine.context(thread).value(name) is None]
            if unset and not (local and unset[0].split(".")[0] in local):
                notes.append(note("RUN004", "set.unresolved", f"not set: {', '.join(unset)}"))
        assign(
            engine,
            thread,
            item.target.value,
            outcome.value,
            span=program.span(item),
            expression=formula.text,
            notes=notes,
            cause=cause,
            origin=origin,
            sensitive=engine.derives(thread, formula.names),
            literal=is_literal(formula),
            from_tool=from_tool(thread, formula.names, local),
        )


def clear_names(engine: Engine, thread: Thread, action: nodes.Clear) -> None:
    """CLEAR."""
    clear(engine, thread, [name.value for name in action.names], span=engine.program(thread).span(action))


def elements(listed: Iterable[nodes.Directive]) -> list[tuple[str, nodes.Block]]:
    """ACTIONS of a list of actions, which are shown below its message."""
    found = [each for each in listed if isinstance(each, nodes.Setting) and each.keyword == "ACTIONS"]
    return [("ACTIONS", each.block) for each in found if each.block is not None]


def delegate(engine: Engine, thread: Thread, action: nodes.Setting, back: nodes.Block | None = None) -> None:
    """DELEGATE as an action: the agent is asked at once (06 §6.4, §7). ``back``: the ON_RETURN beside it."""
    if action.value is not None:
        engine.delegate(thread, action.value.value.strip(), engine.program(thread).span(action), back)


def back_of(behind: Iterable[Any]) -> nodes.Block | None:
    """The ON_RETURN among the actions behind a DELEGATE, before the next one."""
    for action in behind:
        if isinstance(action, nodes.Setting) and action.keyword in ("DELEGATE", "ON_RETURN"):
            return action.block if action.keyword == "ON_RETURN" else None
    return None


def log(engine: Engine, thread: Thread, action: nodes.Log, local: Mapping[str, Any] | None = None) -> None:
    """LOG: a text in the trace, never shown to the user."""
    template = action.text.value if action.text is not None else ""
    rendered = engine.render(thread, template, local)
    level = value_of_text("log", "LEVEL", action.level)
    data: dict[str, Any] = {
        "template": cut_text(template),
        "text": engine.recorder.text(rendered.text),
        "missing": rendered.missing,
        "level": level,
    }
    if rendered.missing:
        data["notes"] = [note("RUN004", "template.unresolved", "nothing to show for " + ", ".join(rendered.missing))]
    engine.recorder.emit("log", data, span=engine.program(thread).span(action))


def transform(engine: Engine, thread: Thread, action: nodes.Transform) -> str | None:
    """TRANSFORM: FILTER, MAP, SORT_BY, LIMIT over an array (06 §5.5). Gives a text for a source that is no array."""
    program = engine.program(thread)
    span = program.span(action)
    if action.source is None or action.into is None:
        engine.recorder.error("RUN003", "unknown_target", "TRANSFORM without SOURCE or INTO", span)
        return None
    source_value = engine.evaluate(thread, value_formula(action.source.value)).value
    notes = []
    if source_value is None:
        notes.append(note("RUN007", "transform.source_missing", f"{action.source.value} is not set"))
        source_value = []
    if not isinstance(source_value, list):
        return f"{action.source.value} is no array but {type_tag(source_value)}"
    counts: dict[str, int] = {"source": len(source_value)}
    items = source_value
    if action.filter is not None:
        items = _filtered(engine, thread, action, items, notes)
        counts["filter"] = len(items)
    if action.mapping:
        items = _mapped(engine, thread, action, items, notes)
        counts["map"] = len(items)
    if action.sort_by is not None:
        items = _sorted(items, action.sort_by.value, action.item.value if action.item else "")
    if action.limit is not None:
        limit = engine.evaluate(thread, program.value(action.limit)).value
        items = items[: max(int(limit), 0)] if is_number(limit) else items
        counts["limit"] = len(items)
    data: dict[str, Any] = {"source": action.source.value, "into": action.into.value, "counts": counts}
    if notes:
        data["notes"] = notes
    event = engine.recorder.emit("transform", data, span=span)
    engine.recorder.open(event)
    assign(
        engine,
        thread,
        action.into.value,
        items,
        span=span,
        cause="transform",
        sensitive=engine.derives(thread, _reads(program, action)),
        from_tool=from_tool(thread, _reads(program, action)),
    )
    engine.recorder.close()
    return None


def _reads(program: Program, action: nodes.Transform) -> list[str]:
    """Paths that the items of a TRANSFORM come from."""
    mapped = [program.value(a.value) for a in action.mapping]
    return [*([action.source.value] if action.source else []), *(name for formula in mapped for name in formula.names)]


def _drop(engine: Engine, thread: Thread, action: nodes.Transform, notes: list[dict[str, str]], message: str) -> None:
    """Note an item whose expression failed, unless there were many; the error may quote a sensitive one."""
    if len(notes) < MAX_NOTES:
        if engine.derives(thread, _reads(engine.program(thread), action)):
            message = f"{message.partition(':')[0]}: {HIDDEN_ERROR}"
        notes.append(note("RUN007", "transform.item_dropped", message))


def _filtered(
    engine: Engine, thread: Thread, action: nodes.Transform, items: list[Any], notes: list[dict[str, str]]
) -> list[Any]:
    """FILTER; an item whose condition fails to evaluate is dropped with a note."""
    keep = engine.program(thread).condition(action.filter)
    kept = []
    for at, item in enumerate(items):
        verdict = engine.evaluate(thread, keep, {_item_name(action): item})
        if verdict.error:
            _drop(engine, thread, action, notes, f"item {at}: {verdict.error}")
        elif truthy(verdict.value):
            kept.append(item)
    return kept


def _mapped(
    engine: Engine, thread: Thread, action: nodes.Transform, items: list[Any], notes: list[dict[str, str]]
) -> list[Any]:
    """MAP; an item with an expression that fails is dropped with a note."""
    program = engine.program(thread)
    mapping = [(a.name.value, program.value(a.value)) for a in action.mapping if a.name is not None]
    mapped = []
    for at, item in enumerate(items):
        built = {field: engine.evaluate(thread, formula, {_item_name(action): item}) for field, formula in mapping}
        failed = next((outcome.error for outcome in built.values() if outcome.error), None)
        if failed:
            _drop(engine, thread, action, notes, f"item {at}: {failed}")
        else:
            mapped.append({field: outcome.value for field, outcome in built.items()})
    return mapped


def _item_name(action: nodes.Transform) -> str:
    return action.item.value if action.item is not None else "item"


def _sorted(items: list[Any], order: str, item_name: str) -> list[Any]:
    """Stable; numbers before texts, unset last, in both directions."""
    words = order.split()
    path = tuple((words[0].removeprefix(f"{item_name}.") if words else "").split("."))
    backwards = len(words) > 1 and words[1].lower() == "desc"
    makes(len(items))

    def compare(one: tuple[_Key, Any], other: tuple[_Key, Any]) -> int:
        spends(1)
        (rank, a), (other_rank, b) = one[0], other[0]
        if rank != other_rank:
            return rank - other_rank
        result = int(a > b) - int(a < b)
        return -result if backwards else result

    keyed = [(_sort_key(descend(item, path)), item) for item in counted(items)]
    return [item for _, item in sorted(keyed, key=cmp_to_key(compare))]


def _sort_key(value: Any) -> _Key:
    if value is None:
        return 2, 0
    if is_number(value):
        return 0, value
    written = text(value)
    if not isinstance(value, str):
        writes(len(written))
    return 1, written
