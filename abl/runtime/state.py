"""The state of a conversation as plain data, so that a snapshot is its JSON (docs/spec 09 §3).

Values of variables are never changed in place: a write below an object builds a new object. Events and snapshots may
therefore share them.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cache
from types import NoneType
from typing import Any, Final

FORMAT = 1
DEFAULT_LANGUAGE = "en"


@dataclass(slots=True)
class GatherState:
    """Where the collecting of fields stands: of the waiting step, or of an agent without a flow."""

    started: bool = False
    asked: str | None = None  # field whose prompt was shown last
    several: bool = False  # the last prompt asked for several fields at once
    reask: list[str] = field(default_factory=list)  # asked again although they have a value
    demanded: list[str] = field(default_factory=list)  # of them those that a rule asks for, optional or with a default
    retry_text: str | None = None  # said instead of the prompt after a value that did not fit
    quiet: bool = False  # the prompt was already replaced in this turn
    transient: list[str] = field(default_factory=list)  # cleared on leaving the step
    unconfirmed: list[dict[str, Any]] = field(default_factory=list)  # values that wait for the user's yes


@dataclass(slots=True)
class CollectState:
    """Fields that an ON_FAIL asks for before its rule is judged again (docs/spec 04 §5)."""

    fields: list[str]
    source: str  # constraint | check
    point: str
    target: str | None
    rule: str  # id of the constraint; "" for a CHECK
    then: str | None
    retry: bool
    message: str | None
    gather: GatherState = field(default_factory=GatherState)
    held: list[dict[str, Any]] = field(default_factory=list)  # replies kept back by the pass `response`


@dataclass(slots=True)
class DetourState:
    """Where a rule's GOTO led, to change what the rule demands (docs/spec 04 §5)."""

    target: str
    steps: dict[str, list[str]]  # steps of the detour, each with the tools that a model may call there
    parts: list[str]  # parts of the condition that are still to be written
    forbids: bool  # a RESTRICT, whose condition must not hold
    spares: bool  # False for a rule with BEFORE, which acts all the time


@dataclass(slots=True)
class FlowState:
    """Position in a flow. ``frames`` is the program counter: action lists from the step inwards, each with an index."""

    status: str = "idle"  # idle running waiting ended
    step: str | None = None
    frames: list[list[Any]] = field(default_factory=list)
    reason: str | None = None
    outcome: str | None = None
    attempts: dict[str, int] = field(default_factory=dict)
    gathered: list[str] = field(default_factory=list)  # steps whose GATHER was complete in this activation
    taken: list[str] = field(default_factory=list)  # branches run since the step was entered
    collect_only: list[str] | None = None  # narrows what a re-entered GATHER asks again
    presented: bool = False
    responded: str | None = None  # last RESPOND of the step in this entry
    responded_turn: int = -1
    responded_result: bool = False  # it was a result
    message_used: bool = False  # ON_INPUT without GATHER has the message it waited for
    onward: dict[str, Any] | None = None  # the edge that is taken behind the steps that a profile puts after another


@dataclass(slots=True)
class Thread:
    """One activated agent: its variables, flow and gather (docs/spec 09 §3)."""

    agent: str
    variables: dict[str, Any] = field(default_factory=dict)
    origins: dict[str, str] = field(default_factory=dict)  # where a value is from; absent = session
    sources: dict[str, str] = field(default_factory=dict)  # who gave a field its value (07 §2); absent = system
    assigned: dict[str, int] = field(default_factory=dict)  # name -> revision of the last assignment
    system: dict[str, Any] = field(default_factory=dict)
    hidden: list[str] = field(default_factory=list)  # persistent paths hidden by CLEAR
    granted: list[str] = field(default_factory=list)  # undeclared paths readable since a recall or remember
    tainted: list[str] = field(default_factory=list)  # variables computed from sensitive ones
    notes: dict[str, str] = field(default_factory=dict)  # texts of prompt_llm, each once by its instruction
    derived: list[str] = field(default_factory=list)  # variables computed from what a tool gave
    called: bool = False  # a tool was called in this activation
    stored: dict[str, int] = field(default_factory=dict)  # remember trigger -> revision when it stored
    detours: dict[str, DetourState] = field(default_factory=dict)  # open ones, by rule
    flow: FlowState = field(default_factory=FlowState)
    gather: GatherState = field(default_factory=GatherState)
    collect: CollectState | None = None
    confirm: dict[str, Any] | None = None  # call that waits for consent: tool, origin, values, shown, answer, unclear
    paused: dict[str, Any] | None = None  # hook or ON_START that waits for it: place, at, branched, message, action
    activated: bool = False
    passed_in: list[str] = field(default_factory=list)  # names given with the running activation
    expects_return: bool = False  # its parent wants control back
    handoff: int | None = None  # index of the parent's HANDOFF that led here
    delegated: bool = False  # asked by another agent, which wants its values and none of its words
    done: bool = False  # the agent has completed; it begins afresh when it is activated again
    forwarded: str | None = None  # message handed over with control, not yet looked at


@dataclass(slots=True)
class SessionState:
    """Everything of a session that outlives a turn."""

    session_id: str
    user: str | None
    channel: str
    policy: str
    entry: str
    random: int  # state of the generator
    language: str = DEFAULT_LANGUAGE
    interaction_language: str | None = None  # of the conversation, where it was set
    default_language: str = DEFAULT_LANGUAGE  # of agents without LANGUAGE
    turn: int = 0
    seq: int = 0
    revision: int = 0
    started: bool = False
    ended: bool = False
    escalated: bool = False
    refused: dict[str, dict[str, dict[str, str]]] = field(default_factory=dict)  # ``abl.runtime.plan.refusing``
    stack: list[str] = field(default_factory=list)  # agents with control, the active one last
    threads: dict[str, Thread] = field(default_factory=dict)
    history: list[dict[str, str]] = field(default_factory=list)
    system: dict[str, Any] = field(default_factory=dict)
    fact_assigned: dict[str, int] = field(default_factory=dict)
    seen_expiry: dict[str, str] = field(default_factory=dict)  # scope|path -> expiry of facts this session has seen
    tool_memory: dict[str, Any] = field(default_factory=dict)
    model_memory: dict[str, Any] = field(default_factory=dict)
    call_cache: dict[str, Any] = field(default_factory=dict)
    breakers: dict[str, dict[str, Any]] = field(default_factory=dict)  # tool -> failures in a row, open until when
    secrets: list[list[str]] = field(default_factory=list)  # [raw text, shown form]
    twins: dict[str, str] = field(default_factory=dict)  # texts that hold something sensitive -> how they are shown
    masks: dict[str, dict[str, Any]] = field(default_factory=dict)  # path of a sensitive fact -> scope, how it shows
    secret_turn: int | None = None  # the last turn whose message held something sensitive
    offset_seconds: float = 0.0  # how far .advance() moved the clock

    def dump(self) -> dict[str, Any]:
        """JSON-like copy."""
        return {"format": FORMAT, **{name: _copied(getattr(self, name)) for name in _names_of(SessionState)}}


@cache
def _names_of(kind: type) -> tuple[str, ...]:
    return tuple(each.name for each in fields(kind))


def _copied(value: Any) -> Any:
    """As ``dataclasses.asdict`` would, many times faster: it is done after every turn, and a history is long."""
    kind = value.__class__
    if kind in _PLAIN:
        return value
    if kind is dict:
        return {key: _copied(item) for key, item in value.items()}
    if kind is list:
        return [_copied(item) for item in value]
    if is_dataclass(value):
        return {name: _copied(getattr(value, name)) for name in _names_of(kind)}
    return deepcopy(value)


_PLAIN: Final = frozenset({str, int, float, bool, NoneType})


def load_state(data: dict[str, Any]) -> SessionState:
    """The state from its dump; ValueError names a format this version cannot read."""
    if data.get("format") != FORMAT:
        raise ValueError(f"snapshot format {data.get('format')!r} is not {FORMAT}, the one this version reads")
    values = {f.name: data[f.name] for f in fields(SessionState) if f.name in data}
    values["threads"] = {name: _load_thread(thread) for name, thread in values.get("threads", {}).items()}
    return SessionState(**values)


def _load_gather(data: dict[str, Any]) -> GatherState:
    """What a state of this version has; those before kept more."""
    return GatherState(**{f.name: data[f.name] for f in fields(GatherState) if f.name in data})


def _load_thread(data: dict[str, Any]) -> Thread:
    values = dict(data)
    if isinstance(values.get("notes"), list):  # as it was kept before
        values["notes"] = {f"kept:{at}": text for at, text in enumerate(values["notes"])}
    values["flow"] = FlowState(**values["flow"])
    values["gather"] = _load_gather(values["gather"])
    if values.get("collect") is not None:
        collect = dict(values["collect"])
        collect["gather"] = _load_gather(collect["gather"])
        values["collect"] = CollectState(**collect)
    kept = values.get("detours", {}).items()  # a mere step is what was kept before; the rule opens its detour again
    values["detours"] = {rule: DetourState(**detour) for rule, detour in kept if isinstance(detour, dict)}
    return Thread(**values)


@dataclass(slots=True)
class Message:
    """Something to say in this turn. ``kind``: reply (judged by the pass `response`), prompt or notice."""

    agent: str
    text: str
    kind: str
    step: str | None
    seq: int
    own: bool = True  # said by the directives of the step, not by a digression, hook or handler
    result: bool = False  # judged by `BEFORE returning results` (docs/spec 04 §6)
    by: str = ""  # model where it is the model's own words
    guarded: bool = False  # guardrails have looked at it, or said it
    for_model: str | None = None  # MODEL_CONTEXT: what later model calls see of it


@dataclass(slots=True)
class TurnState:
    """What only lives during one turn."""

    number: int
    message: str | None = None
    outbox: list[Message] = field(default_factory=list)
    delivered: list[str] = field(default_factory=list)
    worked: list[str] = field(default_factory=list)  # agents in the order in which they began
    asked_sensitive: bool = False  # the message came where something sensitive was asked
    message_read: bool = False  # a GATHER or a handler looked at the message
    filled: list[str] = field(default_factory=list)  # gather fields that this message filled
    entered: dict[str, list[dict[str, Any]]] = field(default_factory=dict)  # step -> variables at each entry
    iterations: int = 0
    handoffs: int = 0
    returned: set[tuple[str, int]] = field(default_factory=set)  # agent and HANDOFF entry that control came back from
    nested_calls: int = 0
    memory_shown: dict[str, Any] = field(default_factory=dict)  # agent -> what the trace says blocks put in
    refused: bool = False  # a handoff did not work, no other is tried in this turn
    bounds: dict[str, int] = field(default_factory=dict)  # rule -> jumps and retries
    acted: set[str] = field(default_factory=set)  # rules whose ON_FAIL has run
    detours_over: dict[str, str] = field(default_factory=dict)  # rule whose detour a write ended -> its target
    voided: set[str] = field(default_factory=set)  # those of them that voided a COMPLETE
    used: list[tuple[str, int, int]] = field(default_factory=list)  # agent and part of the message that a field took
    since: int = 0  # revision of assignments when the turn began
    continued: set[str] = field(default_factory=set)  # rules that said THEN: continue, until the turn ends
    intents_queued: bool = False  # this message had several intents; the others wait
    unresolved: dict[str, list[str]] = field(default_factory=dict)  # move -> names without a value in its WHEN
    routed: bool = False  # a rule of ROUTING was taken
    pipeline: Any = None  # Decision of EXECUTION.pipeline about the message
    guards: set[str] = field(default_factory=set)  # guardrails that have said why they stopped a reply
    warned: dict[str, str] = field(default_factory=dict)  # WARN rule -> message that was logged
    place: tuple[list[list[Any]], str | None] | None = None  # frames and reason before T9
    arrival: str | None = None  # how control came to the active agent: handoff | return
    action: dict[str, Any] | None = None  # id and value of a click
    typed_reply: str | None = None  # a tester's reply in place of a model
    input_missed: bool = False  # ON_INPUT was judged at T9 and nothing matched
    exhausted: tuple[str, Any] | None = None  # message and place of a field that failed too often, not yet handled
    handler: Any = None  # ON_ERROR handler of a field that failed too often; its THEN is still to be taken
    aborted: bool = False  # a call of a critical hook failed: nothing of the turn's work follows
    blocked: bool = False  # pass `turn` stopped the work
    outside: int = 0  # hooks, ON_START and COMPLETE that run: what they say is not said by the step

    def next_message(self, text: str) -> None:
        """Another message begins in the same turn: what was decided about the one before does not bind it."""
        self.message = text
        self.routed = self.refused = self.blocked = self.input_missed = False
        for kept in (self.entered, self.returned, self.used, self.filled):
            kept.clear()
