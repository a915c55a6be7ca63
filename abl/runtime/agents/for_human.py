"""What a human is shown who takes a conversation over: context_for_human of ESCALATE (docs/spec 09 §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def for_human(engine: Engine, thread: Thread) -> dict[str, Any]:
    """Variables by name, and texts by the names of their entries, all as they may be shown."""
    package: dict[str, Any] = {}
    for shown in engine.program(thread).for_human:
        if shown.template is not None:
            package[shown.name] = engine.recorder.text(engine.render(thread, shown.template).text)
        for variable in shown.variables:
            package[variable] = engine.masker(thread).shown(variable, engine.context(thread).value(variable))
    return package
