"""Starting, activating and leaving agents: SESSION_START, ACTIVATE, ON_START, hooks (docs/spec 09 §3, §9)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from abl.language import value_of_text
from abl.runtime.agents import profiles
from abl.runtime.evaluation import condition
from abl.runtime.events.recorder import note
from abl.runtime.flow import actions, insertions, languages
from abl.runtime.flow.variables import initialise, reset
from abl.runtime.gather.collecting import note_all_gathered
from abl.runtime.memory.triggers import recall
from abl.runtime.plan.refusing import refused, whole
from abl.runtime.privacy.fact_masks import learn
from abl.runtime.tools.arguments import arguments_of
from abl.runtime.tools.calling import act_at_once, call_tool, recall_before
from abl.runtime.tools.exits import move_of
from abl.runtime.turn import left_out
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


CAN_PAUSE = frozenset({"before_agent", "before_turn", "after_turn", "ON_START"})
"""Lists that can wait for the user's consent to a call. Not ``after_agent``: it runs when the agent no longer receives
messages.
"""


def activate(engine: Engine, thread: Thread) -> bool:
    """ACTIVATE; the first time in a session also what SESSION_START does for the entry agent, and ON_START.

    True when the agent must not go on to work: a branch of ON_START was chosen, which then owns the startup turn, or a
    call waits for consent (``thread.paused``).
    """
    engine.enter(thread)
    first = not thread.activated
    thread.activated = True
    for key in [key for key in thread.system if key.startswith("_delegated:")]:
        del thread.system[key]
    if first:
        left_out.tell_agent(engine, thread)
        declare(engine, thread)
        recall(engine, thread, "session:start")
    profiles.choose(engine, thread)
    insertions.restart(engine, thread)
    program = engine.program(thread)
    if not first or any(plan.reset == "per_activation" for plan in program.variables.values()):
        reset(engine, thread, "per_activation", keep=thread.passed_in)
    if thread.flow.status in {"idle", "ended"}:
        thread.flow.attempts.clear()
        thread.flow.gathered.clear()
    thread.passed_in = []
    recall(engine, thread, f"agent:{thread.agent}:before", "agent:*:before")
    hook(engine, thread, "before_agent", first=first)
    return thread.paused is not None or engine.turn.aborted or _activated(engine, thread, first=first)


def _activated(engine: Engine, thread: Thread, *, first: bool) -> bool:
    note_all_gathered(engine, thread)
    return first and (on_start(engine, thread) or thread.paused is not None)


def declare(engine: Engine, thread: Thread) -> None:
    """INITIAL values and readable persistent paths of a thread, traced as one event."""
    values = initialise(engine, thread)
    shown = engine.masker(thread)
    present = {name: shown.shown(name, value) for name, value in thread.variables.items()}
    unset = [name for name in engine.program(thread).state.required if engine.context(thread).value(name) is None]
    data: dict[str, Any] = {"initial": values, "state": {"set": present, "active": thread.agent}}
    if unset:
        data["notes"] = [note("RUN004", "state.required", f"required by STATE and not set: {', '.join(unset)}")]
    engine.recorder.emit("context", data, span=engine.program(thread).span(engine.program(thread).agent.memory))
    _learn_sensitive_facts(engine, thread)
    for path in engine.facts.readable(thread):
        engine.facts.read(thread, path)


def _learn_sensitive_facts(engine: Engine, thread: Thread) -> None:
    """Learn which of the facts that an agent only writes are sensitive, before it is given a value for one."""
    program, readable = engine.program(thread), engine.facts.readable(thread)
    for path in dict.fromkeys((*program.persistent, *(trigger.target for trigger in program.triggers))):
        fact = engine.facts.peek(*engine.scope_of(path, thread)) if path not in readable else None
        if fact is not None:
            learn(engine, fact)


def deactivate(engine: Engine, thread: Thread) -> None:
    """The agent completes or loses control: hook ``after_agent``, then its recalls (T12)."""
    hook(engine, thread, "after_agent")
    recall(engine, thread, f"agent:{thread.agent}:after", "agent:*:after")


def on_start(engine: Engine, thread: Thread, resumed: dict[str, Any] | None = None) -> bool:
    """ON_START, once per session and agent; True when one of its branches spoke."""
    listed = engine.program(thread).agent.on_start
    if not listed:
        return False
    return _run_listed(engine, thread, listed, "ON_START", resumed or {})


def hook(
    engine: Engine, thread: Thread, name: str, resumed: dict[str, Any] | None = None, *, first: bool = False
) -> bool:
    """A hook of the agent; True when one of its branches spoke. ``first``: ON_START follows before_agent."""
    listed = engine.program(thread).hooks.get(name)
    if not listed:
        return False
    return _run_listed(engine, thread, listed, name, resumed or {"first": first})


def _run_listed(
    engine: Engine, thread: Thread, listed: tuple[nodes.Directive, ...], name: str, resumed: dict[str, Any]
) -> bool:
    """ON_START or a hook, from the call on that was answered when it is ``resumed``."""
    if refused(engine, thread, whole(listed)):
        return False
    section = engine.program(thread).agent.section("ON_START" if name == "ON_START" else "HOOKS")
    origin = "on_start" if name == "ON_START" else "hook"
    data = {"hook": name, **({"resumed": True} if "at" in resumed else {})}
    event = engine.recorder.emit("hook", data, span=engine.program(thread).span(section))
    engine.recorder.open(event)
    pause = {"first": False, **resumed, "place": name} if name in CAN_PAUSE else None
    engine.turn.outside += 1
    spoke = run_actions(engine, thread, _replies_last(listed), origin=origin, pause=pause)
    engine.turn.outside -= 1
    engine.recorder.close()
    return spoke


def resume(engine: Engine, thread: Thread) -> dict[str, Any] | None:
    """Go on with the list whose call was answered; what it interrupted, None when it waits for consent again."""
    paused, thread.paused = thread.paused, None
    if paused is None:
        return None
    place = paused["place"]
    if place == "ON_START":
        spoke = on_start(engine, thread, paused)
    else:
        spoke = hook(engine, thread, place, paused)
    if place == "before_agent" and thread.paused is None:
        spoke = _activated(engine, thread, first=paused["first"])
    return {**paused, "spoke": spoke} if thread.paused is None else None


def _replies_last(listed: tuple[nodes.Directive, ...]) -> list[nodes.Directive]:
    """SET and CALL as written, then the branches, then the plain RESPOND (09 §9)."""

    def rank(action: nodes.Directive) -> int:
        if isinstance(action, nodes.Respond):
            return 2
        return 1 if action.keyword in {"WHEN", "BRANCHES"} else 0

    return sorted(listed, key=rank)


def run_actions(
    engine: Engine,
    thread: Thread,
    listed: tuple[nodes.Directive, ...] | list[nodes.Directive],
    *,
    origin: str,
    pause: dict[str, Any] | None = None,
) -> bool:
    """Actions outside a flow, top to bottom; True when a conditional branch spoke.

    With ``pause`` a call may ask for consent: then ``thread.paused`` holds where to continue.
    """
    first, branched = (pause.get("at", 0), pause.get("branched", False)) if pause is not None else (0, False)
    for at, action in enumerate(listed[first:], start=first):
        match action:
            case nodes.Respond():
                if not branched:
                    actions.respond(engine, thread, action, beside=actions.elements(listed))
            case nodes.SetVariables():
                actions.set_variables(engine, thread, action.assignments)
            case nodes.Clear():
                actions.clear_names(engine, thread, action)
            case nodes.Transform():
                actions.transform(engine, thread, action)
            case nodes.Log():
                actions.log(engine, thread, action)
            case nodes.Setting() if action.keyword in languages.LANGUAGE_ACTIONS:
                languages.act(engine, thread, action)
            case nodes.Setting() if action.keyword in {"ACTIONS", "CRITICAL", "ON_RETURN"}:
                pass  # shown below the message; read where a call fails, or with the DELEGATE before it
            case nodes.Setting() if action.keyword == "DELEGATE":
                actions.delegate(engine, thread, action, actions.back_of(listed[at + 1 :]))
            case nodes.Call():
                if _call(engine, thread, action, origin, pause is not None, critical=_is_critical(listed)):
                    here = {"message": engine.turn.message, "action": engine.turn.action, **(pause or {})}
                    thread.paused = {**here, "at": at, "branched": branched}
                    return False
                if engine.turn.aborted:
                    return False
            case nodes.Outcome() if action.branches:
                branched = branched or _branch(engine, thread, action.branches)
            case _ if not left_out.is_told(engine, thread, action):
                engine.recorder.not_executed(
                    action.keyword, f"not carried out in {origin}", engine.program(thread).span(action)
                )
    return branched


def _branch(engine: Engine, thread: Thread, branches: tuple[nodes.Branch, ...]) -> bool:
    """The first branch that holds says its RESPOND; a malformed condition is false."""
    program = engine.program(thread)
    for branch in branches:
        if branch.condition is not None and not engine.holds(thread, program.condition(branch.condition)):
            continue
        for action in branch.actions:
            if isinstance(action, nodes.Respond):
                actions.respond(engine, thread, action, beside=actions.elements(branch.actions))
        return True
    return False


def _is_critical(listed: Sequence[nodes.Directive]) -> bool:
    """``critical: true`` of a hook."""
    found = [action for action in listed if isinstance(action, nodes.Setting) and action.keyword == "CRITICAL"]
    return any(value_of_text("hook", "CRITICAL", action.value) is True for action in found)


def _call(
    engine: Engine, thread: Thread, action: nodes.Call, origin: str, may_ask: bool, *, critical: bool = False
) -> bool:
    """A CALL of a hook or ON_START. True: consent is asked for.

    A failure is logged and the rest continues (09 §3); in a critical hook nothing of the turn's work follows.
    """
    program = engine.program(thread)
    guard = action.prop("WHEN")
    if action.tool is None:
        return False
    if (
        guard is not None
        and guard.value is not None
        and not engine.holds(thread, condition(program.written(guard.value)))
    ):
        return False
    span = program.span(action)
    as_name = action.as_.value if action.as_ is not None else None
    recall_before(engine, thread, action.tool.value)
    arguments, sensitive = arguments_of(engine, thread, action, None)
    called = call_tool(
        engine,
        thread,
        action.tool.value,
        arguments,
        origin=origin,
        span=span,
        as_name=as_name,
        may_ask=may_ask,
        sensitive=sensitive,
    )
    if called.asked:
        return True
    thread.confirm = None if may_ask else thread.confirm
    if called.exit is not None and (move := move_of(engine, thread, called.exit, origin)) is not None:
        engine.move(thread, move)
    if called.blocked is not None:
        act_at_once(engine, thread, called.blocked, action, span)
    if critical and (called.blocked is not None or called.error is not None):
        engine.turn.aborted = True
        if called.blocked is None or called.blocked.message is None:
            engine.fail(thread, "RUN009", "hook.critical", f"{action.tool.value} failed in a critical hook", span)
    return False
