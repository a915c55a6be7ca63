"""Facts that are stored as sensitive: how a session shows them and what it stores as such (docs/spec 03 §3, 12 §4).

A fact says so in its source: ``sensitive``, and in ``masking`` how it is shown (the fields of ``Display``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Protocol

from abl.runtime.events.recorder import Recorder
from abl.runtime.ports import Fact, FactWrite
from abl.runtime.privacy.masking import REDACT, Display, Masker
from abl.runtime.state import SessionState, Thread

PARTS = "parts"
"""In a masking: only parts of the value are sensitive, those that the agents which wrote it declare."""
DERIVED = "derived"
"""In a masking: it is sensitive by what the value was computed from, until another value is written."""


class Conversation(Protocol):
    """What is read of a running session; its engine is one."""

    @property
    def state(self) -> SessionState: ...
    @property
    def recorder(self) -> Recorder: ...
    @property
    def declared(self) -> Mapping[str, Display]: ...
    @property
    def active(self) -> Thread: ...
    def masker(self, thread: Thread) -> Masker: ...


def learn(engine: Conversation, fact: Fact) -> None:
    """A fact that is stored as sensitive is shown as it says itself, whoever reads it and whatever they declare."""
    masks, masking = engine.state.masks, fact.source.get("masking") or {}
    if fact.source.get("sensitive") and not _declared_so(engine, fact.path, masking):
        masks[fact.path] = {"scope": fact.scope, **masking}
    elif masks.get(fact.path, {}).get("scope") == fact.scope:
        del masks[fact.path]  # set on the fact itself since then


def release(engine: Conversation, path: str) -> None:
    """A path gets a value that is not computed from anything sensitive."""
    if engine.state.masks.get(path, {}).get(DERIVED):
        del engine.state.masks[path]


def _declared_so(engine: Conversation, path: str, masking: Mapping[str, Any]) -> bool:
    """True when the agents of the session declare what a stored masking says."""
    if masking.get(PARTS):
        return any(known.startswith(path + ".") for known in engine.declared)
    return engine.declared.get(path) == Display.read(masking)


def sensitivity(engine: Conversation, thread: Thread, scope: str, path: str, value: Any) -> dict[str, Any]:
    """What the source of a write says when sessions that read it later must not show the value either; else nothing.

    That is when its path is sensitive, when it was computed from what is, and when events mask something in it.
    """
    masker, masks = engine.masker(thread), engine.state.masks
    display = masker.own_display(path) if not masks.get(path, {}).get(DERIVED) else None
    if display is not None:
        masking = asdict(display) if display != REDACT else {}
        if engine.declared.get(path) != display:
            masks[path] = {"scope": scope, **masking}
        return {"sensitive": True, "masking": masking}
    if masker.display(path) is not None:
        masks[path] = {"scope": scope, DERIVED: True}
        return {"sensitive": True, "masking": {DERIVED: True}}
    shown = masker.shown(path, value, whole=True)
    if engine.recorder.shown(shown) != shown:
        return {"sensitive": True, "masking": {DERIVED: True}}
    return {"sensitive": True, "masking": {PARTS: True}} if shown != value else {}


def judged(engine: Conversation, write: FactWrite) -> FactWrite:
    """The write with what is known at the end of the turn: later events may have shown what in it is secret."""
    if write.delete or write.source.get("sensitive"):
        return write
    found = sensitivity(engine, engine.active, write.scope, write.path, write.value)
    return replace(write, source={**write.source, **found}) if found else write
