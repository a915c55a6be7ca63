"""What a run is set up with beside its documents: memory policy, memory bank, scripted model (docs/spec 11)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from abl.runtime.memory.block_policy import MemoryPolicy
from abl.runtime.memory.in_memory import parse_time
from abl.runtime.ports import ModelPort
from abl.runtime.scenarios.scripted import ScriptedModel
from constraints.models import Conversation
from editor.models import Project
from memory.banks.texts import name_problem
from memory.values import storable
from web.errors import Invalid

LINE_KEYS = ("reply", "call", "args")
MOST_LINES = 1_000
OPTIONAL = ("memory_policy", "bank", "model")


def run_settings(*, project: Project, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a new conversation: those of the project, with what was chosen for this one on top.

    ``given``: ``memory_policy`` (an object), ``bank`` (a name; "" for none) and ``model`` (lines of a script); what is
    None or absent is as the project says. Raises ``Invalid``.
    """
    chosen = {name: given[name] for name in OPTIONAL if given.get(name) is not None}
    found: dict[str, Any] = storable({**project.settings.get("run", {}), **chosen})
    if "memory_policy" in found:
        memory_policy(found["memory_policy"])
    problems = {"bank": bank_problem(found.get("bank")), "model": model_problem(found.get("model"))}
    wrong = {name: problem for name, problem in problems.items() if problem is not None}
    if wrong:
        raise Invalid(fields=wrong)
    return found


class RunDefaults(NamedTuple):
    """What a conversation has that nobody chose anything for."""

    policy: str
    clock_mode: str
    clock_start: datetime | None


def run_defaults(project: Project) -> RunDefaults:
    """The policy and the clock that the settings of the project name (docs/spec 12 §3.1)."""
    run = project.settings.get("run") or {}
    now = parse_time(run["now"]) if run.get("now") else None
    clock = Conversation.Clock.REAL if now is None else Conversation.Clock.FIXED
    return RunDefaults(run.get("policy") or Conversation.Policy.EVALUATE, clock, now)


def memory_policy(given: Any) -> dict[str, Any]:
    """The object as it was given, checked. Raises ``Invalid`` naming what is wrong in it."""
    try:
        MemoryPolicy.read(given)
    except ValueError as error:
        raise Invalid(fields={"memory_policy": str(error)}) from None
    return dict(given or {})


def bank_problem(name: Any) -> str | None:
    """What is wrong with the name of a bank; None and "" are no bank."""
    if name in (None, ""):
        return None
    return name_problem(name) if isinstance(name, str) else "has to be the name of a memory bank"


def model_problem(lines: Any) -> str | None:
    """What is wrong with the lines of a scripted model; None is no model."""
    if lines is None:
        return None
    if not isinstance(lines, list) or len(lines) > MOST_LINES:
        return f"has to be a list of at most {MOST_LINES} lines, each {{reply: …}} or {{call: …, args: {{…}}}}"
    for number, line in enumerate(lines, 1):
        if not isinstance(line, dict) or not set(line) <= set(LINE_KEYS) or ("reply" in line) == ("call" in line):
            return f"line {number} has to hold either reply, or call and its args"
        if not isinstance(line.get("reply", line.get("call")), str) or not isinstance(line.get("args", {}), dict):
            return f"line {number}: reply and call are texts, args is an object"
    return None


def model_of(conversation: Conversation) -> ModelPort | None:
    """The model of a conversation: its script, None where it has none."""
    lines = conversation.settings.get("model")
    return ScriptedModel(lines) if lines else None
