"""Facts inside a session (docs/spec 03 §3): read live, written to a buffer, committed once at T18."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol

from abl.expressions.api import BudgetExceeded
from abl.expressions.sizes import SizeExceeded, written_size
from abl.expressions.values import same, type_tag
from abl.language import words_at
from abl.limits import MAX_FACT
from abl.runtime.events.recorder import iso_millis, note
from abl.runtime.ports import Fact, FactStore, FactWrite
from abl.runtime.privacy.fact_masks import Conversation, judged, learn, sensitivity

if TYPE_CHECKING:
    from abl.runtime.plan.parts import PathPlan
    from abl.runtime.plan.program import Program
    from abl.runtime.state import Thread

ORIGINS = {"user": "user_fact", "project": "project_fact", "execution_tree": "tree_fact"}
Key = tuple[str, str, str]


class Owner(Conversation, Protocol):
    """The owner of the facts: an engine."""

    def program(self, thread: Thread) -> Program: ...
    def scope_of(self, path: str, thread: Thread) -> tuple[str, str | None, str]: ...
    def fact_changed(self, thread: Thread, path: str) -> None: ...
    def too_large(self, problem: BudgetExceeded, span: Any = None) -> BudgetExceeded: ...
    def now(self) -> datetime: ...


class Facts:
    """The fact store as one session sees it. A fact is fetched once per turn; expiry is judged at every read."""

    def __init__(self, engine: Owner, store: FactStore) -> None:
        self._engine = engine
        self.store = store
        self._fetched: dict[Key, Fact | None] = {}
        self.writes: list[FactWrite] = []
        self._looking = False

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Reads inside the block leave no trace and change nothing: for inspectors, between turns."""
        self._looking = True
        try:
            yield
        finally:
            self._looking = False
            self._fetched.clear()

    def start_turn(self) -> None:
        """Forget what was read, so that the store is read again."""
        self._fetched.clear()
        self.writes = []

    def commit(self) -> list[FactWrite]:
        """Hand the buffered writes to the store, in order; returns them."""
        writes = [judged(self._engine, write) for write in self.writes]
        if writes:
            self.store.commit(writes, self._engine.now())
        self._fetched.clear()
        self.writes = []
        return writes

    # Reading -----------------------------------------------------------------------------------------------------

    def concerns(self, thread: Thread, root: str) -> bool:
        """True when a path that begins with ``root`` may be a fact."""
        return root in self._engine.program(thread).fact_roots or any(p.startswith(root + ".") for p in thread.granted)

    def read(self, thread: Thread, path: str) -> tuple[bool, Any]:
        """(known, value): known is False when ``path`` is neither declared nor put in the session by a recall."""
        plan = self._engine.program(thread).persistent.get(path)
        if plan is None:
            if path not in thread.granted:
                return False, None
            fact = self.fact(*self._engine.scope_of(path, thread))
            return fact is not None, fact.value if fact is not None else None
        if path in thread.hidden or not plan.readable:
            return True, None
        fact = self.fact(*self._engine.scope_of(path, thread))
        value = fact.value if fact is not None else plan.default
        if value is not None:
            self._hide(thread, path, value)
        return True, value

    def origin(self, thread: Thread, path: str) -> str | None:
        """Origin of a fact path, None when the path is no fact."""
        plan = self._engine.program(thread).persistent.get(path)
        if plan is None and path not in thread.granted:
            return None
        scope, owner, _ = self._engine.scope_of(path, thread)
        if plan is not None and (path in thread.hidden or not plan.readable):
            return "unset"
        if self.fact(scope, owner, path) is not None:
            return "recall" if plan is None else ORIGINS[scope]
        if plan is not None and plan.default is not None:
            return "default"
        return "unset"

    def readable(self, thread: Thread) -> list[str]:
        """Paths that may be read in this thread."""
        declared = [p.path for p in self._engine.program(thread).persistent.values() if p.readable]
        return [path for path in (*declared, *thread.granted) if path not in thread.hidden]

    def fact(self, scope: str, owner: str | None, path: str) -> Fact | None:
        """The live fact, this turn's writes included; None also without an authenticated user."""
        if owner is None:
            return None
        key = (scope, owner, path)
        if key not in self._fetched:
            self._fetched[key] = self._fetch(key)
        fact = self._fetched[key]
        if fact is None or fact.expires_at is None or self._engine.now() < fact.expires_at:
            return fact
        self._fetched[key] = None
        self._expired(key)
        return None

    def peek(self, scope: str, owner: str | None, path: str) -> Fact | None:
        """The live fact in the store, without a trace."""
        return self.store.get(scope, owner, path, self._engine.now()) if owner is not None else None

    def domain(self, scope: str, owner: str | None) -> list[Fact]:
        """Every live fact of an owner, this turn's writes included, ordered by path."""
        if owner is None:
            return []
        now = self._engine.now()
        live = {fact.path: fact for fact in self.store.list(scope, owner, now)}
        for (s, o, path), fact in self._fetched.items():
            if (s, o) == (scope, owner):
                if fact is not None and fact.is_live(now):
                    live[path] = fact
                else:
                    live.pop(path, None)
        return [live[path] for path in sorted(live)]

    def _fetch(self, key: Key) -> Fact | None:
        fact = self.store.get(*key, self._engine.now())
        if self._looking:
            return fact
        if fact is not None:
            learn(self._engine, fact)
        name = "|".join(key)
        seen = self._engine.state.seen_expiry
        if fact is None:
            if name in seen and datetime.fromisoformat(seen[name]) <= self._engine.now():
                self._expired(key)
            return None
        if fact.expires_at is not None:
            seen[name] = fact.expires_at.isoformat()
        else:
            seen.pop(name, None)
        self._record(
            "fact.read",
            key,
            value=fact.value,
            version=fact.version,
            written_at=iso_millis(fact.written_at),
            expires_at=_iso(fact.expires_at),
        )
        return fact

    def _expired(self, key: Key) -> None:
        expiry = self._engine.state.seen_expiry.pop("|".join(key), None)
        self._record("fact.expired", key, expires_at=expiry)

    # Writing -----------------------------------------------------------------------------------------------------

    def write(
        self,
        thread: Thread,
        path: str,
        value: Any,
        *,
        cause: str,
        span: Any,
        ttl: str | None = None,
        ttl_seconds: int | None = None,
    ) -> bool:
        """Buffer a write after the checks of docs/spec 03 §4; False when it was refused, which is traced.

        Raises SizeExceeded for a value that is too large.
        """
        engine = self._engine
        plan = engine.program(thread).persistent.get(path)
        scope, owner, _ = engine.scope_of(path, thread)
        self._measure(path, value, span)
        self._hide(thread, path, value)
        shown = engine.masker(thread).shown(path, value)
        data: dict[str, Any] = {"path": path, "scope": scope, "owner": owner, "cause": cause, "new": shown}
        if plan is not None and not plan.writable:
            return self._refuse(data, f"ACCESS of {path} is {plan.access}", span)
        if owner is None:
            return self._refuse(data, "no authenticated user", span)
        old = self.fact(scope, owner, path)
        now = engine.now()
        expires = now + timedelta(seconds=ttl_seconds) if ttl_seconds else None
        data |= {
            "old": engine.masker(thread).shown(path, old.value) if old else None,
            "ttl": ttl,
            "expires_at": _iso(expires),
            "state": {"facts": {path: shown}},
        }
        notes = _type_note(plan, path, value)
        if notes:
            data["notes"] = notes
        event = engine.recorder.emit("fact.write", data, span=span)
        if thread.variables.get(path) not in (None, value):
            thread.variables.pop(path)  # a path of one segment: what was gathered under its name is older
        source: dict[str, Any] = {
            "agent": thread.agent,
            "session": engine.state.session_id,
            "turn": engine.state.turn,
            "event": event["seq"],
            "cause": cause,
            "span": span,
        }
        source |= sensitivity(engine, thread, scope, path, value)
        tag = type_tag(value)
        self.writes.append(FactWrite(scope, owner, path, value, tag, ttl_seconds, ttl, now, expires, source))
        self._remember(Fact(scope, owner, path, value, tag, old.version + 1 if old else 1, now, expires, ttl, source))
        engine.fact_changed(thread, path)
        return True

    def _measure(self, path: str, value: Any, span: Any) -> None:
        """Refuse a value that is too large for a fact, and record it in the trace (docs/spec 02 §8)."""
        try:
            size = written_size(value, path)
            if size > MAX_FACT:
                raise SizeExceeded("fact", path, size, MAX_FACT)
        except BudgetExceeded as problem:
            raise self._engine.too_large(problem, span) from None

    def drop_tree(self, thread: Thread) -> None:
        """Remove the facts of the execution tree when the tree ends."""
        engine = self._engine
        owner = engine.state.session_id
        now = engine.now()
        for fact in self.domain("execution_tree", owner):
            learn(self._engine, fact)
            self._hide(thread, fact.path, fact.value)
            data = {"path": fact.path, "scope": "execution_tree", "owner": owner, "cause": "tree_end",
                    "old": engine.masker(thread).shown(fact.path, fact.value), "new": None,
                    "state": {"facts": {fact.path: None}}}  # fmt: skip
            event = engine.recorder.emit("fact.write", data)
            source = {"agent": thread.agent, "session": owner, "turn": engine.state.turn, "event": event["seq"],
                      "cause": "tree_end", "span": None}  # fmt: skip
            self.writes.append(
                FactWrite("execution_tree", owner, fact.path, None, "null", None, None, now, None, source, delete=True)
            )
            self._fetched["execution_tree", owner, fact.path] = None

    def _remember(self, fact: Fact) -> None:
        key = (fact.scope, fact.owner, fact.path)
        self._fetched[key] = fact
        if fact.expires_at is not None:
            self._engine.state.seen_expiry["|".join(key)] = fact.expires_at.isoformat()
        else:
            self._engine.state.seen_expiry.pop("|".join(key), None)

    def _refuse(self, data: dict[str, Any], why: str, span: Any) -> bool:
        self._engine.recorder.emit("fact.refused", {**data, "why": why}, status="failed", span=span)
        return False

    def _hide(self, thread: Thread, path: str, value: Any) -> None:
        """A sensitive value stays out of every text from now on, also of the message that gave it (07 §10)."""
        for part, display in self._engine.masker(thread).secrets(path, value):
            self._engine.recorder.add_secret_of(part, display)

    def _record(self, kind: str, key: Key, **more: Any) -> None:
        scope, owner, path = key
        data: dict[str, Any] = {"path": path, "scope": scope, "owner": owner, **more}
        engine = self._engine
        value = more.get("value")
        if "value" in more:
            thread = engine.active
            self._hide(thread, path, value)
            data["value"] = engine.masker(thread).shown(path, value)
            data["state"] = {"facts": {path: data["value"]}}
        elif kind == "fact.expired":
            data["state"] = {"facts": {path: None}}
        engine.recorder.emit(kind, data)


def unchanged(fact: Fact | None, value: Any) -> bool:
    """True when the live fact already is this value (deep equality, docs/spec 03 §4 rule 4)."""
    return fact is not None and same(fact.value, value)


def _iso(at: datetime | None) -> str | None:
    return iso_millis(at) if at is not None else None


TYPES_THAT_FIT: Mapping[str, tuple[str, ...]] = {
    "string": ("string", "date", "datetime"),
    "date": ("date",),
    "datetime": ("datetime", "date"),
}


def type_fits(declared: str | None, value: Any) -> bool:
    """True when a value fits a declared TYPE; unknown and generic types are not judged."""
    if declared is None or value is None:
        return True
    wanted = declared.strip().split("<", 1)[0].removesuffix("[]")
    if declared.strip().endswith("[]"):
        wanted = "array"
    if wanted not in words_at("persistent", "TYPE"):
        return True
    return type_tag(value) in TYPES_THAT_FIT.get(wanted, (wanted,))


def _type_note(plan: PathPlan | None, path: str, value: Any) -> list[dict[str, str]]:
    if plan is None or type_fits(plan.type, value):
        return []
    message = f"{path} is declared {plan.type}, the value is {type_tag(value)}; it is stored as it is"
    return [note("RUN005", "set.type_mismatch", message)]
