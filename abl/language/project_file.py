"""``project.yaml`` declared once: its keys, what may stand behind each and what it means (docs/spec 12 §3.1).

The reader, the check, completion, hover, the JSON Schema and the page in docs/reference come from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

NAME: Final = "project.yaml"
"""The name of the file; the folder that holds it is the project."""
SUFFIX: Final = f"/{NAME}"


@dataclass(frozen=True, slots=True)
class ValueType:
    """What may stand behind a key.

    ``right`` says it in a message ("… is right"). ``names`` is the kind of declared thing that a text names, or that
    the keys of ``map`` name: agent, tool, bank, language, moment, duration,
    condition, identifier. ``least`` and ``most`` bound a number.
    """

    kind: Literal["text", "word", "flag", "whole", "number", "any", "keys", "map", "list"]
    right: str
    keys: tuple[Entry, ...] = ()
    item: ValueType | None = None
    words: tuple[tuple[str, str], ...] = ()
    names: str = ""
    least: float | None = None
    most: float | None = None
    needs: tuple[tuple[str, ...], ...] = ()  # of each group exactly one key

    def entry(self, name: str) -> Entry | None:
        """The entry of a key."""
        return next((entry for entry in self.keys if entry.name == name), None)


@dataclass(frozen=True, slots=True)
class Entry:
    """One key. ``slips`` are words that mean it elsewhere; ``default`` is what holds without it."""

    name: str
    value_type: ValueType
    meaning: str
    default: str = ""
    required: bool = False
    slips: tuple[str, ...] = ()


def _text(right: str, names: str = "") -> ValueType:
    return ValueType("text", right, names=names)


def _word(**words: str) -> ValueType:
    return ValueType("word", " or ".join([", ".join([*words][:-1]), [*words][-1]]), words=tuple(words.items()))


def _keys(right: str, *keys: Entry, needs: tuple[tuple[str, ...], ...] = ()) -> ValueType:
    return ValueType("keys", right, keys, needs=needs)


def _map(right: str, item: ValueType, names: str = "") -> ValueType:
    return ValueType("map", right, item=item, names=names)


def _list(right: str, item: ValueType) -> ValueType:
    return ValueType("list", right, item=item)


def _whole(least: int, most: int) -> ValueType:
    return ValueType("whole", f"a whole number from {least:,} to {most:,}", least=least, most=most)


_FLAG: Final = ValueType("flag", "true or false")
ANYTHING: Final = ValueType("any", "any value")
ERROR: Final = _keys(
    "the subtype of an error, or keys such as {type: tool_error, subtype: tool_timeout}",
    Entry("type", _text("an error type such as tool_error"), "the type of the error", default="tool_error"),
    Entry("subtype", _text("a subtype such as tool_timeout"), "the subtype of the error", default="network_error"),
    Entry("code", ValueType("any", "a code"), "the code of the error", default="the status or subtype"),
    Entry("message", _text("a text"), "what the error says", default="the subtype"),
    Entry("status", _whole(100, 599), "the HTTP status", slips=("http_status",)),
    Entry("http_status", _whole(100, 599), "the same as `status`"),
    Entry("retryable", _FLAG, "whether the call may be tried again", default="by subtype"),
)
MOCK: Final = _keys(
    "a case such as {result: {ok: true}}",
    Entry(
        "when",
        _text('a condition such as item == "b1"', "condition"),
        "applies where this condition over the arguments holds",
        default="always",
    ),
    Entry("result", ANYTHING, "what the tool answers", slips=("returns", "response", "value")),
    Entry("error", ERROR, "the error with which the call fails"),
    Entry("delay_ms", _whole(0, 3_600_000), "milliseconds that the call takes", default="0"),
    Entry("times", _whole(0, 1_000_000), "how many calls the case answers", default="all"),
    Entry("default", _FLAG, "answers where no other case applies", default="false"),
    needs=(("result", "error"),),
)
TOOLS: Final = _map(
    "tools with their cases, such as find: [{result: {ok: true}}]",
    _list("a list of cases such as [{result: {ok: true}}]", MOCK),
    "tool",
)
_LINE: Final = _keys(
    "a line such as {reply: Hello} or {call: find, args: {}}",
    Entry("reply", _text("a text"), "what the model says"),
    Entry("call", _text("the name of a tool", "called"), "the tool that the model calls"),
    Entry("args", _map("arguments such as {item: b1}", ANYTHING), "its arguments"),
    needs=(("reply", "call"),),
)
_POLICY: Final = _word(
    evaluate="rules are judged also where a name that they read is unset",
    skip_unset="rules that read an unset name are skipped",
)
_MEMORY_POLICY: Final = _keys(
    "keys such as {archival_mode: auto}",
    Entry(
        "archival_mode",
        _word(
            tool_only="archival memory by its tools only",
            auto="fitting lines come with each message",
            off="no archival memory",
        ),
        "how archival memory reaches the model",
        default="tool_only",
    ),
    Entry("archival_limit", _whole(0, 100), "the most archival lines of a message", default="10"),
    Entry(
        "archival_min_score",
        ValueType("number", "a number from 0 to 1", least=0, most=1),
        "the least score of an archival line",
    ),
    Entry("include_user_core", _FLAG, "core memory of the user reaches the model", default="true"),
    Entry("include_agent_core", _FLAG, "core memory of the agent reaches the model", default="true"),
)
_ENTRY: Final = Entry(
    "entry",
    _text("the name of an agent", "agent"),
    "the agent that begins",
    default="the only supervisor, else the only agent",
    slips=("entry_agent", "agent", "start", "main", "begin"),
)
_RUN: Final = (
    Entry(
        "language",
        _text("a language tag such as en or de-CH", "language"),
        "the language of agents without LANGUAGE",
        default="en",
        slips=("lang", "locale"),
    ),
    Entry(
        "policy",
        _POLICY,
        "what rules over unset names mean",
        default="evaluate",
        slips=("unset_policy", "unset-policy"),
    ),
    Entry(
        "now",
        _text("a moment such as 2026-03-01T09:00:00Z", "moment"),
        "where the clock stands; it moves only when it is advanced",
        default="the computer's clock; in scenarios 2026-03-01T09:00:00Z",
        slips=("clock", "time", "date", "clock_start"),
    ),
    Entry(
        "model",
        _list("a list of lines such as [{reply: Hello}]", _LINE),
        "the scripted model of test conversations and `abl run`",
        slips=("script",),
    ),
    Entry("memory_policy", _MEMORY_POLICY, "how memory blocks reach the model"),
    Entry("bank", _text("the name of a memory bank", "bank"), "the memory bank of test conversations and `abl run`"),
    Entry("ask_again", _FLAG, "a failed rule asks again for the fields that it names", default="true"),
)
_FACTS: Final = _map("paths with their values, such as user.tier: gold", ANYTHING)
_STORE: Final = _keys(
    "a store definition",
    Entry(
        "technical_name",
        _text("an identifier such as user_prefs", "identifier"),
        "the name that agents use",
        required=True,
    ),
    Entry("name", _text("a text"), "the name that people see", required=True),
    Entry("description", _text("a text"), "what the store is for"),
    Entry(
        "access",
        _word(user="a record for each user", session="a record for each session", application="one record for all"),
        "who shares a record",
        required=True,
    ),
    Entry(
        "retention",
        _word(
            session="until the session ends",
            **{
                "1_day": "24 hours after the last write",
                "1_week": "7 days after the last write",
                "1_month": "30 days after the last write",
            },
        ),
        "how long a record is kept",
        required=True,
    ),
    Entry("strict", _FLAG, "whether an update that breaks the schema fails", default="false"),
    Entry(
        "schema",
        _map("a JSON Schema with an object at its root", ANYTHING),
        "the JSON Schema of a record",
        required=True,
    ),
)
_BANK: Final = _keys(
    "keys such as {max_lines: 20}",
    Entry("max_lines", _whole(1, 1_000_000), "how many lines each agent keeps", default="no limit"),
    Entry("texts", _map("agents with their texts", _text("a text"), "agent"), "the texts that agents begin with"),
)
PROJECT_FILE: Final = _keys(
    "keys such as entry: Desk",
    Entry("name", _text("a text"), "the name of the project that people see", slips=("project", "title")),
    Entry("description", _text("a text"), "what the project is for"),
    _ENTRY,
    *_RUN[:3],
    Entry(
        "tools",
        TOOLS,
        "what tools answer: the first case that applies (docs/spec 08 §10)",
        default="a sample of the declared result",
        slips=("mocks", "mock", "tool"),
    ),
    *_RUN[3:],
    Entry(
        "turn_seconds",
        _whole(1, 300),
        "the longest that a turn of a test conversation may run",
        default="as the installation says",
    ),
    Entry(
        "facts",
        _keys(
            "scopes such as {user: {user.tier: gold}}",
            *[
                Entry(scope, _FACTS, f"facts {whose}")
                for scope, whose in (("user", "of the user"), ("project", "of the project"))
            ],
        ),
        "facts that test conversations and `abl run` begin with",
    ),
    Entry("stores", _list("a list of store definitions", _STORE), "memory stores (docs/spec 11 §2)"),
    Entry(
        "banks",
        _map("banks with their settings, such as desk: {max_lines: 20}", _BANK),
        "memory banks (docs/spec 11 §3)",
    ),
    Entry(
        "settings",
        _keys(
            "keys such as entry: Desk",
            _ENTRY,
            Entry("mocks", TOOLS, "older place of `tools`"),
            Entry("run", _keys("keys such as {policy: evaluate}", *_RUN), "older place of these keys"),
            Entry("turn_seconds", _whole(1, 300), "older place of `turn_seconds`"),
        ),
        "older place of `entry`, `mocks` (now `tools`) and `run`: read where the key itself is missing",
    ),
)
HOLD_FOR_SCENARIOS: Final = ("entry", "tools", "policy", "now", "language")
"""Keys that hold for every scenario of the project; what a scenario says itself wins."""


def value_type_at(path: tuple[str, ...]) -> ValueType | None:
    """The type of the value behind keys, ``-`` for an item of a list: ``("tools", "find", "-")`` is a mock case."""
    found: ValueType | None = PROJECT_FILE
    for step in path:
        if found is None:
            return None
        if found.kind in ("map", "list"):
            found = found.item if (step == "-") == (found.kind == "list") else None
        else:
            entry = found.entry(step)
            found = entry.value_type if entry is not None else None
    return found


def entries() -> Iterator[tuple[str, Entry]]:
    """Every key with its path as people write it (``tools.NAME[].when``), in order."""
    yield from _below("", PROJECT_FILE)


def _below(prefix: str, value_type: ValueType) -> Iterator[tuple[str, Entry]]:
    for entry in value_type.keys:
        yield f"{prefix}{entry.name}", entry
        if entry.name != "settings":  # repeats what stands above
            yield from _inside(f"{prefix}{entry.name}", entry.value_type)


def _inside(path: str, value_type: ValueType) -> Iterator[tuple[str, Entry]]:
    while value_type.item is not None:
        path, value_type = f"{path}[]" if value_type.kind == "list" else f"{path}.NAME", value_type.item
    yield from _below(f"{path}.", value_type)


def described(entry: Entry) -> str:
    """What a key means, with what holds without it."""
    return f"{entry.meaning}. Default: {entry.default}" if entry.default else entry.meaning
