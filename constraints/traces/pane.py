"""What an event recorded, as labelled pairs for the pane of a step (docs/spec 12 §4).

Every kind names what it shows and how; what the head of the pane or a note already shows is not repeated. A kind that
is missing here shows all of its fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from constraints.traces import composed, wording
from constraints.traces.pairs import DRAWN, Field, Pair, pair_of
from constraints.traces.summaries import looped

Data = Mapping[str, Any]

FACT: tuple[Field, ...] = (("path", "name"), ("Among", composed.where_stored))
SAID: tuple[Field, ...] = (
    ("text", "said"),
    ("As written", composed.as_written),
    ("missing", "names"),
    ("by", wording.BY),
)
CALL: tuple[Field, ...] = (
    ("tool", "name"),
    ("args", "value"),
    ("From", composed.arguments_from),
)
RULE: tuple[Field, ...] = (
    ("Then", composed.then), ("message_rendered", "said"), ("As written", composed.as_written),
    ("message_missing", "names"), ("Judged", composed.judged_at),
)  # fmt: skip
HANDOVER: tuple[Field, ...] = (
    ("from", "name"), ("to", "name"), ("Passes", composed.passed("passed", "Passes")),
    ("Unset, not passed", composed.passed("unset", "Unset, not passed")), ("summary", "text"),
    ("After it", composed.comes_back),
)  # fmt: skip
HANDLER: tuple[Field, ...] = (
    ("intent", "text"),
    ("scope", wording.SCOPES),
    ("rule", "name"),
)

FIELDS: dict[str, tuple[Field, ...]] = {
    "session.start": (
        ("entry", "name"), ("user", "text"), ("channel", "text"),
        ("policy", "name"),
    ),
    "session.end": (),
    "turn.start": (
        ("input", "said"), ("Click", composed.action_taken), ("agent", "name"),
        ("step", "name"),
    ),
    "turn.end": (
        ("replies", "said"), ("waiting", wording.WAITS), ("changed", "changes"),
        ("agent", "name"),
    ),
    "pass": (("Judged", composed.judged_at),),
    "constraint": RULE,
    "check": RULE,
    "recall": (
        ("event", "name"), ("action", wording.ACTIONS), ("domain", "name"),
        ("paths", "names"),
        ("loaded", "value"), ("refused", "names"), ("instruction", "text"),
    ),
    "remember": (
        *FACT, ("expression", "code"), ("skipped", wording.SKIPPED),
        ("Value", composed.old_and_new),
        ("ttl", "text"), ("expires_at", "time"),
    ),
    "fact.read": (
        *FACT, ("value", "value"), ("written_at", "time"), ("expires_at", "time"),
    ),
    "fact.write": (
        *FACT, ("Value", composed.old_and_new), ("By", composed.caused_by), ("ttl", "text"),
        ("expires_at", "time"),
    ),
    "fact.expired": (*FACT, ("expires_at", "time")),
    "fact.refused": (*FACT, ("new", "value"), ("why", "text"), ("By", composed.caused_by)),
    "set": (
        ("name", "name"), ("Value", composed.old_and_new), ("expression", "code"),
        ("By", composed.caused_by),
    ),
    "clear": (("name", "name"), ("old", "value"), ("By", composed.caused_by)),
    "reset": (("name", "name"), ("Value", composed.old_and_new), ("policy", wording.RESETS)),
    "transform": (("source", "name"), ("into", "name"), ("Items", composed.items_left)),
    "context": (
        ("initial", "value"), ("Put in", composed.memory_lines("injected", "Put in")),
        ("Left out", composed.memory_lines("cut", "Left out")),
    ),
    "step.enter": (("step", "name"), ("Attempt", composed.attempt)),
    "step.exit": (("step", "name"), ("edge", wording.EDGES), ("to", "name")),
    "step.skipped": (("step", "name"), ("when", "code")),
    "branch": (
        ("Branch", composed.branch_of), ("condition", "code"), ("values", "read"),
        ("Error", composed.what_failed),
    ),
    "on_input": (
        ("mode", wording.MODES), ("input", "said"), ("action", "name"),
        ("value", "value"),
    ),
    "digression": HANDLER,
    "sub_intent": HANDLER,
    "flow.start": (("entry", "name"),),
    "flow.wait": (("reason", wording.WAITS),),
    "flow.end": (("reason", wording.ENDS),),
    "flow.loop": (("What", looped),),
    "gather.start": (("fields", "names"),),
    "gather.prompt": (("fields", "names"), *SAID),
    "gather.extracted": (
        ("field", "name"), ("value", "value"), ("strategy", wording.STRATEGIES),
    ),
    "gather.confirm": (("field", "name"), ("value", "value"), *SAID),
    "gather.declined": (("field", "name"), ("value", "value")),
    "gather.default": (("field", "name"), ("value", "value")),
    "gather.corrected": (
        ("field", "name"), ("Value", composed.old_and_new), ("cleared", "names"),
    ),
    "gather.rejected": (("field", "name"), ("rule", "text"), ("Attempt", composed.attempt)),
    "gather.rejected_source": (("field", "name"), ("satisfied_by", "names")),
    "gather.complete": (("values", "value"),),
    "gather.transient_cleared": (("fields", "names"),),
    "call.start": (*CALL, ("origin", wording.ORIGINS)),
    "call.end": (
        ("tool", "name"), ("Error", composed.what_failed), ("Result", composed.result_of),
        ("Answered by", composed.answered_with), ("Took", composed.took_ms),
    ),
    "call.retry": (("tool", "name"), ("Attempt", lambda data: str(int(data.get("n") or 0) + 1))),
    "call.confirm": (("text", "said"), *CALL),
    "call.cache_hit": CALL,
    "tool.map": (("tool", "name"), ("names", "names"), ("Value", composed.bound_values)),
    "tool.process": (("tool", "name"), ("stage", wording.STAGES), ("changed", "value")),
    "tool.result_shape": (("tool", "name"), ("differences", "value")),
    "respond": SAID,
    "present": SAID,
    "log": (*SAID, ("level", "text")),
    "handoff": HANDOVER,
    "delegate": HANDOVER,
    "return": (("from", "name"), ("to", "name")),
    "escalate": (("reason", "text"),),
    "human.message": (("text", "text"),),
    "complete": (("reason", {"flow": "the flow ended"}), ("After it", composed.nothing_after)),
    "hook": (("hook", "name"),),
    "pipeline": (
        ("tier", wording.TIERS), ("intent", "name"), ("confidence", "value"), ("several", "names"), ("veto", "name"),
    ),
    "model.request": (
        ("goal", "text"), ("persona", "text"), ("behavior", "text"),
        ("instructions", "text"), ("system_prompt", "text"),
        ("limitations", "said"), ("Core memory", composed.blocks("user_memory", "Core memory")),
        ("Reminders", composed.blocks("system_reminders", "Reminders")), ("recalled", "said"),
        ("tools", "names"), ("fields", "value"),
        ("constraints", "value"), ("variables", "value"), ("messages", "talk"),
        ("Calls so far", composed.calls_made),
    ),
    "model.response": (("reply", "said"), ("call", "name"), ("args", "value")),
    "error": (("message", "text"), ("code", "name")),
    "not_executed": (
        ("construct", "name"), ("why", "text"), ("field", "name"), ("rule", "text"),
        ("text", "text"),
    ),
}  # fmt: skip


def pairs(kind: str, data: Data) -> list[Pair]:
    """What the pane of an event shows beside its condition."""
    fields = FIELDS.get(kind)
    if fields is None:
        return rest_of(data)
    return [found for field in fields if (found := pair_of(kind, field, data)) is not None]


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
    return [note for note in listed if not is_shown_already(kind, data, note)]


def is_shown_already(kind: str, data: Data, note: Data) -> bool:
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
