"""What an event recorded, as labelled pairs for the pane of a step (docs/spec 12 §4).

Every kind names what it shows and how; nothing that the head of the pane or a note says already is said again. A kind
that is not known here shows all it has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from constraints.display import composed, wording
from constraints.display.pairs import DRAWN, Field, Pair, pair_of
from constraints.display.telling import looped

Data = Mapping[str, Any]

FACT: tuple[Field, ...] = (("Path", "path", "name"), ("Among", "scope", composed.where_stored))
SAID: tuple[Field, ...] = (
    ("Text", "text", "said"), ("As written", "", composed.as_written), ("Unset in it", "missing", "names"),
    ("By", "by", wording.BY),
)  # fmt: skip
CALL: tuple[Field, ...] = (
    ("Tool", "tool", "name"),
    ("Arguments", "args", "value"),
    ("From", "", composed.arguments_from),
)
RULE: tuple[Field, ...] = (
    ("Then", "", composed.then), ("Said", "message_rendered", "said"), ("As written", "", composed.as_written),
    ("Unset in it", "message_missing", "names"), ("Judged", "", composed.judged_at),
)  # fmt: skip
HANDOVER: tuple[Field, ...] = (
    ("From", "from", "name"), ("To", "to", "name"), ("Passes", "", composed.passed("passed", "Passes")),
    ("Unset, not passed", "", composed.passed("unset", "Unset, not passed")), ("Summary", "summary", "text"),
    ("After it", "", composed.comes_back),
)  # fmt: skip
HANDLER: tuple[Field, ...] = (
    ("Intent", "intent", "text"),
    ("Of", "scope", wording.SCOPES),
    ("Written at", "rule", "name"),
)

FIELDS: dict[str, tuple[Field, ...]] = {
    "session.start": (
        ("Agent", "entry", "name"), ("User", "user", "text"), ("Channel", "channel", "text"),
        ("Policy", "policy", "name"),
    ),
    "session.end": (),
    "turn.start": (
        ("Message", "input", "said"), ("Click", "", composed.action_taken), ("Agent", "agent", "name"),
        ("Step", "step", "name"),
    ),
    "turn.end": (
        ("Said", "replies", "said"), ("Waits", "waiting", wording.WAITS), ("Changed", "changed", "changes"),
        ("Agent", "agent", "name"),
    ),
    "pass": (("Judged", "", composed.judged_at),),
    "constraint": RULE,
    "check": RULE,
    "recall": (
        ("On", "event", "name"), ("Does", "action", wording.ACTIONS), ("Domain", "domain", "name"),
        ("Paths", "paths", "names"),
        ("Found", "loaded", "value"), ("Refused", "refused", "names"), ("Instruction", "instruction", "text"),
    ),
    "remember": (
        *FACT, ("Value of", "expression", "code"), ("Not stored", "skipped", wording.SKIPPED),
        ("Value", "", composed.old_and_new),
        ("Lives for", "ttl", "text"), ("Expires", "expires_at", "time"),
    ),
    "fact.read": (
        *FACT, ("Value", "value", "value"), ("Written", "written_at", "time"), ("Expires", "expires_at", "time"),
    ),
    "fact.write": (
        *FACT, ("Value", "", composed.old_and_new), ("By", "", composed.caused_by), ("Lives for", "ttl", "text"),
        ("Expires", "expires_at", "time"),
    ),
    "fact.expired": (*FACT, ("Expired", "expires_at", "time")),
    "fact.refused": (*FACT, ("Not written", "new", "value"), ("Why", "why", "text"), ("By", "", composed.caused_by)),
    "set": (
        ("Name", "name", "name"), ("Value", "", composed.old_and_new), ("Expression", "expression", "code"),
        ("By", "", composed.caused_by),
    ),
    "clear": (("Name", "name", "name"), ("Was", "old", "value"), ("By", "", composed.caused_by)),
    "reset": (("Name", "name", "name"), ("Value", "", composed.old_and_new), ("When", "policy", wording.RESETS)),
    "transform": (("From", "source", "name"), ("Into", "into", "name"), ("Items", "", composed.items_left)),
    "context": (
        ("Values", "initial", "value"), ("Put in", "", composed.memory_lines("injected", "Put in")),
        ("Left out", "", composed.memory_lines("cut", "Left out")),
    ),
    "step.enter": (("Step", "step", "name"), ("Attempt", "", composed.attempt)),
    "step.exit": (("Step", "step", "name"), ("By", "edge", wording.EDGES), ("To", "to", "name")),
    "step.skipped": (("Step", "step", "name"), ("WHEN is false", "when", "code")),
    "branch": (
        ("Branch", "", composed.branch_of), ("Condition", "condition", "code"), ("Reads", "values", "read"),
        ("Error", "", composed.what_failed),
    ),
    "on_input": (
        ("Looks at", "mode", wording.MODES), ("Message", "input", "said"), ("Click", "action", "name"),
        ("Value", "value", "value"),
    ),
    "digression": HANDLER,
    "sub_intent": HANDLER,
    "flow.start": (("First step", "entry", "name"),),
    "flow.wait": (("Waits", "reason", wording.WAITS),),
    "flow.end": (("Why", "reason", wording.ENDS),),
    "flow.loop": (("What", "", looped),),
    "gather.start": (("Fields", "fields", "names"),),
    "gather.prompt": (("Asks for", "fields", "names"), *SAID),
    "gather.extracted": (
        ("Field", "field", "name"), ("Value", "value", "value"), ("Found as", "strategy", wording.STRATEGIES),
    ),
    "gather.default": (("Field", "field", "name"), ("Value", "value", "value")),
    "gather.corrected": (
        ("Field", "field", "name"), ("Value", "", composed.old_and_new), ("Asked again", "cleared", "names"),
    ),
    "gather.rejected": (("Field", "field", "name"), ("Has to fit", "rule", "text"), ("Attempt", "", composed.attempt)),
    "gather.rejected_source": (("Field", "field", "name"), ("Only from", "satisfied_by", "names")),
    "gather.complete": (("Fields", "values", "value"),),
    "gather.transient_cleared": (("Fields", "fields", "names"),),
    "call.start": (*CALL, ("Called by", "origin", wording.ORIGINS)),
    "call.end": (
        ("Tool", "tool", "name"), ("Error", "", composed.what_failed), ("Result", "", composed.result_of),
        ("Answered by", "", composed.answered_with), ("Took", "", composed.took_ms),
    ),
    "call.retry": (("Tool", "tool", "name"), ("Attempt", "", lambda data: str(int(data.get("n") or 0) + 1))),
    "call.confirm": (("Question", "text", "said"), *CALL),
    "call.cache_hit": CALL,
    "tool.map": (("Tool", "tool", "name"), ("Into", "names", "names"), ("Value", "", composed.bound_values)),
    "tool.process": (("Tool", "tool", "name"), ("Stage", "stage", wording.STAGES), ("Changed", "changed", "value")),
    "respond": SAID,
    "present": SAID,
    "log": (*SAID, ("Level", "level", "text")),
    "handoff": HANDOVER,
    "delegate": HANDOVER,
    "return": (("From", "from", "name"), ("To", "to", "name")),
    "escalate": (("Reason", "reason", "text"),),
    "complete": (("Why", "reason", {"flow": "its flow is over"}), ("After it", "", composed.nothing_after)),
    "hook": (("Hook", "hook", "name"),),
    "model.request": (
        ("Goal", "goal", "text"), ("Persona", "persona", "text"), ("Behaviour", "behavior", "text"),
        ("Instructions", "instructions", "text"), ("System prompt", "system_prompt", "text"),
        ("Limitations", "limitations", "said"), ("Core memory", "", composed.blocks("user_memory", "Core memory")),
        ("Reminders", "", composed.blocks("system_reminders", "Reminders")), ("Recalled", "recalled", "said"),
        ("Tools", "tools", "names"), ("Fields", "fields", "value"),
        ("Rules", "constraints", "value"), ("Values", "variables", "value"), ("Messages", "messages", "talk"),
        ("Calls so far", "", composed.calls_made),
    ),
    "model.response": (("Reply", "reply", "said"), ("Calls", "call", "name"), ("Arguments", "args", "value")),
    "error": (("Message", "message", "text"), ("Code", "code", "name")),
    "not_executed": (
        ("Part", "construct", "name"), ("Why", "why", "text"), ("Field", "field", "name"), ("Rule", "rule", "text"),
        ("Text", "text", "text"),
    ),
}  # fmt: skip


def pairs(kind: str, data: Data) -> list[Pair]:
    """What the pane of an event shows beside its condition."""
    fields = FIELDS.get(kind)
    if fields is None:
        return rest_of(data)
    return [found for field in fields if (found := pair_of(field, data)) is not None]


def rest_of(data: Data) -> list[Pair]:
    """Everything that an event of an unknown kind holds."""
    left_out = ("state", "notes", "condition")
    found = []
    for key, value in data.items():
        if key not in left_out and value not in wording.EMPTY:
            form = "text" if isinstance(value, str) else "value"
            found.append(Pair(key.replace("_", " ").capitalize(), form, DRAWN[form](value)))
    return found


def notes(kind: str, data: Data) -> list[Data]:
    """Findings of an event (docs/spec 10 §7) that nothing else in its pane says."""
    listed = [note for note in data.get("notes") or [] if isinstance(note, Mapping)]
    return [note for note in listed if not is_told(kind, data, note)]


def is_told(kind: str, data: Data, note: Data) -> bool:
    """Whether the pairs of an event say already what a finding says."""
    name = str(note.get("name") or "")
    match kind:
        case "error":
            return note.get("code") == data.get("code")
        case "not_executed":
            return name.endswith(".not_executed")
        case "gather.rejected":
            return name == kind
        case "call.end":
            return name == "mock.generated"
    return False
