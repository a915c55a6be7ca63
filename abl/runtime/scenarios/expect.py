"""What a scenario expects of a turn, compared with what happened (docs/spec 12 §3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl.expressions.regex import compile_pattern
from abl.expressions.values import same

if TYPE_CHECKING:
    from abl.runtime.session import Session, Turn


@dataclass(frozen=True, slots=True)
class Failure:
    """One divergence: where, what, what was expected and what was found."""

    place: str
    what: str
    expected: Any
    found: Any

    def __str__(self) -> str:
        return f"{self.place}: {self.what}: expected {self.expected!r}, found {self.found!r}"


def compare(
    expected: Mapping[str, Any] | None, played: Turn | Sequence[Turn], session: Session | None, place: str
) -> list[Failure]:
    """Every divergence, in a fixed order; none when nothing is expected."""
    turns = [played] if not isinstance(played, Sequence) else list(played)
    if not expected or not turns or session is None:
        return []
    replies = turns[-1].replies  # a new session's first words count only where nothing is said
    events = [event for turn in turns for event in turn.events]
    last = turns[-1]
    failures: list[Failure] = []

    def differs(what: str, wanted: Any, found: Any) -> None:
        failures.append(Failure(place, what, wanted, found))

    if "reply" in expected and not reply_matches(expected["reply"], replies):
        differs("reply", expected["reply"], replies)
    for key, found in (("step", last.step), ("waiting", last.waiting), ("ended", last.ended), ("agent", last.agent)):
        if key in expected and expected[key] != found:
            differs(key, expected[key], found)
    if "constraints" in expected:
        records = [e["data"] for e in events if e["kind"] in {"constraint", "check"}]
        missing = missing_in_order(expected["constraints"], records, _constraint_matches)
        if missing is not None:
            differs("constraints", missing, [_short(r) for r in records])
    calls = [e["data"] for e in events if e["kind"] == "call.start"]
    if "calls" in expected:
        missing = missing_in_order(expected["calls"], calls, _call_matches)
        if missing is not None:
            differs("calls", missing, [{"tool": c["tool"], "args": c["args"]} for c in calls])
    for tool in expected.get("no_calls") or ():
        if any(c["tool"] == tool for c in calls):
            differs("no_calls", f"no call of {tool}", tool)
    failures += _names(expected.get("session"), session, place, "session")
    failures += _names(expected.get("facts"), session, place, "facts")
    failures += _memory(expected.get("memory") or {}, session, place)
    if "events" in expected:
        kinds = [e["kind"] for e in events]
        missing = missing_in_order(expected["events"], kinds, lambda wanted, found: wanted == found)
        if missing is not None:
            differs("events", missing, kinds)
    return failures


def reply_matches(expected: Any, replies: list[str]) -> bool:
    """A text = exactly that message; a list = exactly these; a matcher looks at all joined; null = no message."""
    if expected is None:
        return not replies
    if isinstance(expected, list):
        return len(expected) == len(replies) and all(map(_text_matches, expected, replies))
    if isinstance(expected, Mapping):
        return _text_matches(expected, "\n".join(replies))
    return len(replies) == 1 and _text_matches(expected, replies[0])


def _text_matches(expected: Any, found: str) -> bool:
    if not isinstance(expected, Mapping):
        return str(expected).rstrip("\n") == found
    pattern = expected.get("matches")
    if pattern is not None:
        compiled = compile_pattern(str(pattern))
        if compiled is None or compiled.search(found) is None:
            return False
    return str(expected.get("contains", "")) in found


def missing_in_order(wanted: Sequence[Any], found: Sequence[Any], matches: Any) -> Any:
    """The first wanted item that does not occur behind the one before it; None when all do."""
    at = 0
    for item in wanted:
        while at < len(found) and not matches(item, found[at]):
            at += 1
        if at >= len(found):
            return item
        at += 1
    return None


def _constraint_matches(wanted: Mapping[str, Any], record: Mapping[str, Any]) -> bool:
    found = {**record, "message": record.get("message_rendered")}
    action = found.get("action") or {}
    if isinstance(wanted.get("action"), str):
        found["action"] = action.get("type")
    return all(same(found.get(key), value) for key, value in wanted.items())


def _call_matches(wanted: Mapping[str, Any], call: Mapping[str, Any]) -> bool:
    if wanted.get("tool", call["tool"]) != call["tool"]:
        return False
    return all(same(call["args"].get(name), value) for name, value in (wanted.get("args") or {}).items())


def _short(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: record.get(key) for key in ("phase", "index", "point", "outcome") if record.get(key) is not None}


def _names(expected: Any, session: Session, place: str, kind: str) -> list[Failure]:
    if not isinstance(expected, Mapping):
        return []
    read = session.value if kind == "session" else session.fact
    failures = []
    for name, wanted in expected.items():
        if name == "absent":
            present = {n: read(n) for n in wanted if read(n) is not None}
            failures += [Failure(place, f"{kind}.{n}", None, value) for n, value in present.items()]
            continue
        found = read(name)
        if not same(found, wanted):
            failures.append(Failure(place, f"{kind}.{name}", wanted, found))
    return failures


def _memory(expected: Mapping[str, Any], session: Session, place: str) -> list[Failure]:
    """Texts of the bank by agent, and contents of stores, of which only the named fields are compared."""
    failures = []
    bank, records = session.memories.bank, session.memories.records
    for key, wanted in (expected.get("bank") or {}).items():
        found = bank.read(key) if bank is not None else None
        if found != wanted:
            failures.append(Failure(place, f"memory.bank.{key}", wanted, found))
    for name, wanted in (expected.get("stores") or {}).items():
        content = records.get_content(name) if records is not None and name in records.names() else None
        if not _holds(content, wanted):
            failures.append(Failure(place, f"memory.stores.{name}", wanted, content))
    return failures


def _holds(content: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping) and isinstance(content, Mapping):
        return all(_holds(content.get(key), value) for key, value in wanted.items())
    return same(content, wanted)


def first_divergence(failures: Sequence[Failure]) -> str:
    """One line for people; empty when there is none."""
    return re.sub(r"\s+", " ", str(failures[0])) if failures else ""
