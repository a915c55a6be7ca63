"""The language of the conversation: SET_INTERACTION_LANGUAGE and CLEAR_INTERACTION_LANGUAGE (docs/spec 09 §9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.analysis.index.languages import is_tag
from abl.expressions.values import text
from abl.language import value_of_text
from abl.language.entry import Entry
from abl.language.written import Scalar
from abl.runtime.evaluation import value as value_formula
from abl.runtime.events.recorder import cut_text, note
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

LANGUAGE_ACTIONS = frozenset({"SET_INTERACTION_LANGUAGE", "CLEAR_INTERACTION_LANGUAGE"})


def act(engine: Engine, thread: Thread, action: nodes.Directive) -> None:
    """An action in a list of its own; what is no tag is passed over with a note."""
    given = action.value if isinstance(action, nodes.Setting) else None
    change(engine, thread, action.keyword, given, span=engine.program(thread).span(action))


def change(engine: Engine, thread: Thread, keyword: str, given: Scalar | None, *, span: Any) -> None:
    """The same for a key with its value."""
    tag = None
    data: dict[str, Any] = {"name": "session.interaction.current.language", "old": _language(engine)}
    if keyword == "SET_INTERACTION_LANGUAGE":
        tag = _tag(engine, thread, given) if given is not None else ""
        if not is_tag(tag):
            data["notes"] = [note("RUN005", "interaction_language", f"{cut_text(tag)!r} is no language tag")]
            tag = engine.state.interaction_language
    elif value_of_text("step", keyword, given) is False:
        return
    engine.state.interaction_language = tag
    data |= {"new": _language(engine), "cause": "interaction_language"}
    engine.recorder.emit("set", data, span=span)


def change_by(engine: Engine, thread: Thread, given: Entry, *, span: Any) -> None:
    """What the properties of a handler do to the language."""
    for keyword in sorted(LANGUAGE_ACTIONS & set(given.written)):
        lines = given.lines(keyword)
        change(engine, thread, keyword, lines.value if lines is not None else None, span=span)


def _language(engine: Engine) -> str:
    return engine.state.interaction_language or engine.state.language


def _tag(engine: Engine, thread: Thread, given: Scalar) -> str:
    """A tag, ``{{…}}``, ``${…}``, or a path that has a value."""
    written = given.value.strip()
    if "{{" in written:
        return engine.render(thread, written).text.strip()
    if written.startswith("${") and written.endswith("}"):
        return text(engine.evaluate(thread, value_formula(written[2:-1])).value)
    found = engine.context(thread).value(written) if given.style == "bare" else None
    return written if found is None else text(found)
