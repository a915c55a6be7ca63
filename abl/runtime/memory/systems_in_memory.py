"""Blocks, records and the bank in memory: for tests, scenarios and sessions without a database (docs/spec 11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import Any, cast

from abl.runtime.memory.ports import (
    ARCHIVAL_CHARACTERS,
    BLOCK_SCOPES,
    BLOCK_TYPES,
    CORE_CHARACTERS,
    CORE_ENTRIES,
    SESSION_META,
    BlockMatch,
    BlockRefused,
    BlockScope,
    BlockType,
    BlockView,
    RecordRefused,
    search,
)
from abl.runtime.memory.ranking import scores
from abl.runtime.ports import Clock

Validate = Callable[[str, Any], Sequence[Mapping[str, Any]]]


class MemoryBank:
    """Texts by key, safe to share between threads (docs/spec 11 §3). ``max_lines`` keeps the last lines of a text."""

    def __init__(self, max_lines: int | None = None) -> None:
        if max_lines is not None and max_lines < 1:
            raise ValueError(f"max_lines is {max_lines}; it is at least 1, or None for no limit")
        self.max_lines = max_lines
        self._texts: dict[str, str] = {}
        self._lock = Lock()

    def read(self, key: str) -> str:
        """The text, "" for an unknown key."""
        with self._lock:
            return self._texts.get(key, "")

    def write(self, key: str, content: str) -> None:
        """Replace the text, cut to its last lines."""
        kept = last_lines(content, self.max_lines)
        with self._lock:
            self._texts[key] = kept

    def search(self, key: str, query: str) -> str:
        """The lines that contain the query, ignoring case."""
        return search(self, key, query)

    def entries(self) -> dict[str, str]:
        """A copy of all texts."""
        with self._lock:
            return dict(self._texts)


def last_lines(text: str, most: int | None) -> str:
    """The last ``most`` lines of a text; the line end of the last line starts no further line."""
    if most is None:
        return text
    end = "\n" if text.endswith("\n") else ""
    return "\n".join(text.removesuffix("\n").split("\n")[-most:]) + end


class MemoryBlocks:
    """Memory blocks of one project in a dictionary, with compare-and-set and limits (docs/spec 11 §1)."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock
        self._blocks: dict[tuple[str, str, str | None], BlockView] = {}
        self._lock = Lock()
        self._last = datetime.min.replace(tzinfo=UTC)

    def core(self, owner: str, agent: str | None) -> list[BlockView]:
        """The user's core block, then the agent's."""
        keys = [(owner, "core", None)] + ([(owner, "core", agent)] if agent is not None else [])
        return [self._blocks[key] for key in keys if key in self._blocks]

    def block(self, owner: str, block_type: str, agent: str | None = None) -> BlockView | None:
        """One block; ``agent`` None = the user's."""
        return self._blocks.get((owner, block_type, agent))

    def recall(
        self, owner: str, query: str, *, agent: str | None, limit: int, min_score: float | None
    ) -> list[BlockMatch]:
        """Archival lines that share a word with the query, best first."""
        if not query.strip():
            raise BlockRefused("invalid", "the query is empty")
        blocks = [self.block(owner, "archival")] + ([self.block(owner, "archival", agent)] if agent else [])
        lines = [
            (block, number, line.strip())
            for block in blocks
            if block is not None
            for number, line in enumerate(block.content.split("\n"), start=1)
            if line.strip()
        ]
        ranked = [
            BlockMatch(line, score, "archival", block.scope, block.agent_id, number, block.updated_at)
            for (block, number, line), score in zip(lines, scores([line for *_, line in lines], query), strict=True)
            if score > 0 and (min_score is None or score >= min_score)
        ]
        ranked.sort(key=lambda m: m.line_number)
        ranked.sort(key=lambda m: m.updated_at, reverse=True)
        return sorted(ranked, key=lambda m: -m.score)[:limit]

    def update(
        self,
        owner: str,
        *,
        block_type: str,
        content: str,
        scope: str,
        agent: str | None,
        expected_updated_at: str | None,
    ) -> BlockView:
        """Replace a block when it still is as it was read."""
        key = (owner, _one_of("block_type", block_type, BLOCK_TYPES), _subject(scope, agent))
        _check_limits(block_type, content)
        with self._lock:
            current = self._blocks.get(key)
            stored = current.updated_at if current is not None else None
            if not _same_moment(stored, expected_updated_at):
                raise BlockRefused("conflict", _conflict(current, expected_updated_at), current)
            self._blocks[key] = written = self._written(current, key, content)
            return written

    def _written(self, current: BlockView | None, key: tuple[str, str, str | None], content: str) -> BlockView:
        """The block with its new content; no two writes share a stamp."""
        now = self._clock.now() if self._clock is not None else datetime.now(UTC)
        self._last = max(now, self._last + timedelta(microseconds=1)) if self._last.year > 1 else now
        stamp = self._last.isoformat(timespec="microseconds")
        if current is not None:
            return replace(current, content=content, updated_at=stamp)
        scope: BlockScope = "user" if key[2] is None else "agent"
        number = f"mem_{len(self._blocks) + 1:06d}"
        return BlockView(number, cast(BlockType, key[1]), content, scope, key[2], stamp, stamp)


def _one_of(name: str, value: str, allowed: Sequence[str]) -> str:
    if value not in allowed:
        raise BlockRefused("invalid", f"{name} is {value!r}; it is {' or '.join(allowed)}")
    return value


def _subject(scope: str, agent: str | None) -> str | None:
    if _one_of("scope", scope, BLOCK_SCOPES) == "user":
        return None
    if agent is None:
        raise BlockRefused("invalid", "scope agent needs an agent")
    return agent


def _check_limits(block_type: str, content: str) -> None:
    most = CORE_CHARACTERS if block_type == "core" else ARCHIVAL_CHARACTERS
    if len(content) > most:
        raise BlockRefused("over-limit", f"{block_type} has {len(content):,} characters; {most:,} are allowed")
    entries = sum(bool(line.strip()) for line in content.split("\n"))
    if block_type == "core" and entries > CORE_ENTRIES:
        raise BlockRefused("over-limit", f"core has {entries} entries; {CORE_ENTRIES} are allowed")


def _same_moment(stored: str | None, expected: str | None) -> bool:
    if stored is None or expected is None:
        return stored is expected
    try:
        read = datetime.fromisoformat(expected)
    except ValueError:
        raise BlockRefused("invalid", f"expected_updated_at is {expected!r}; it is no ISO time") from None
    return datetime.fromisoformat(stored) == (read if read.tzinfo is not None else read.replace(tzinfo=UTC))


def _conflict(current: BlockView | None, expected: str | None) -> str:
    if current is None:
        return "there is no such block; send null to create it"
    if expected is None:
        return "the block exists; send the updated_at that was read last"
    return f"the block was changed at {current.updated_at}"


class MemoryRecords:
    """Records of one session in a dictionary (docs/spec 11 §2).

    ``contents`` maps each store's technical name to its content, None for a store without a record; several sessions
    may share the mapping. ``validate`` gives the schema errors of a content that a strict store refuses.
    """

    def __init__(
        self,
        contents: dict[str, Any] | None = None,
        *,
        session_meta: Mapping[str, Any] | None = None,
        validate: Validate | None = None,
    ) -> None:
        self._contents = contents if contents is not None else {}
        self._meta = dict(session_meta) if session_meta is not None else {"metadata": {}, "sessionInfo": {}}
        self._validate = validate

    def names(self) -> list[str]:
        """The stores' names in order, ``sessionMeta`` last."""
        return [*sorted(self._contents), SESSION_META]

    def get_content(self, name: str, projections: Mapping[str, int] | None = None) -> Any | None:
        """The content, or the projected part of it."""
        content = self._meta if name == SESSION_META else self._contents[self._known(name)]
        return content if content is None or not projections else projected(content, projections)

    def set_content(self, name: str, content: Mapping[str, Any]) -> Any:
        """Create the record or merge into it."""
        name = self._writable(name)
        if not isinstance(content, Mapping):
            raise RecordRefused("invalid", "the content is an object of fields and values")
        result = merged(self._contents[name] or {}, content)
        errors = self._validate(name, result) if self._validate is not None else ()
        if errors:
            raise RecordRefused("schema", f"the content does not fit the schema of {name}", errors)
        self._contents[name] = result
        return result

    def delete_content(self, name: str) -> bool:
        """Remove the record; the store stays."""
        name = self._writable(name)
        found = self._contents[name] is not None
        self._contents[name] = None
        return found

    def _known(self, name: str) -> str:
        if name not in self._contents:
            raise RecordRefused("unknown", f"there is no store {name!r}; there are {', '.join(self.names())}")
        return name

    def _writable(self, name: str) -> str:
        if name == SESSION_META:
            raise RecordRefused("read-only", f"{SESSION_META} is only read")
        return self._known(name)


def merged(old: Any, new: Any) -> Any:
    """Objects merge deeply; arrays and scalars are replaced. Neither argument is changed."""
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return new
    return {**old, **{key: merged(old.get(key), value) for key, value in new.items()}}


def projected(content: Any, projections: Mapping[str, int]) -> Any:
    """The content with only the paths that are 1, or without those that are 0. RecordRefused when both are mixed."""
    kinds = set(projections.values())
    if kinds not in ({0}, {1}):
        raise RecordRefused("invalid", "projections map paths to 1 (take) or to 0 (leave out), not both")
    paths = [path.split(".") for path in projections]
    if kinds == {0}:
        return _without(content, paths)
    return _only(content, paths) if isinstance(content, Mapping) else None


def _only(content: Any, paths: list[list[str]]) -> Any:
    if any(not path for path in paths):
        return content
    below: dict[str, list[list[str]]] = {}
    for head, *tail in paths:
        below.setdefault(head, []).append(tail)
    # A path that continues below what is no object leads to nothing.
    return {
        key: _only(content[key], tails)
        for key, tails in below.items()
        if key in content and (isinstance(content[key], Mapping) or not all(tails))
    }


def _without(content: Any, paths: list[list[str]]) -> Any:
    if not isinstance(content, Mapping):
        return content
    gone = {path[0] for path in paths if len(path) == 1}
    kept = {}
    for key, value in content.items():
        if key not in gone:
            tails = [path[1:] for path in paths if path[0] == key]
            kept[key] = _without(value, tails) if tails else value
    return kept
