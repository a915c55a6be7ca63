"""Whole entries that completion offers: a rule with its message, a step, a trigger (docs/spec 12 §1).

The texts are written in keyword form and without indentation; ``NAME`` stands for a variable of the agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from abl.editing.completion.cursor import Cursor, Item

_KEY: Final = re.compile(r"^(\s*(?:- )?)([A-Z_]+):", re.MULTILINE)
_RULE: Final = re.compile(r"^(\s*- )(REQUIRE|WARN) ", re.MULTILINE)

_RULES: Final = (
    (
        "rule",
        "a condition that must hold, and what is said when it does not",
        '- REQUIRE NAME IS SET\n  ON_FAIL: "Please answer the question first."',
    ),
    (
        "rule that collects",
        "asks for a field before it judges again",
        "- REQUIRE NAME IS SET\n  ON_FAIL:\n    COLLECT: [NAME]\n    THEN: retry",
    ),
)

_PATHS: Final = (("path", "that outlives the conversation", "- user.nickname\n  TYPE: string\n  ACCESS: readwrite"),)
_OPEN: Final = frozenset({"rules", "flow", "step", "gather", "tools", "memory_paths"})
"""Places whose entries are no list, or one with keys beside it."""
SNIPPETS: Final[Mapping[str, tuple[tuple[str, str, str], ...]]] = {
    "session": (("variable", "of one conversation", "- visits\n  TYPE: number\n  INITIAL: 0"),),
    "persistent": _PATHS,
    "memory_paths": _PATHS,
    "remember": (("trigger", "stores a value once it is known", "- WHEN: NAME IS SET\n  STORE: NAME -> user.NAME"),),
    "recall": (
        ("recall", "loads facts when a session starts",
         "- ON: session:start\n  ACTION: inject_context\n  PATHS: [user.nickname]"),
    ),
    "rules": _RULES,
    "rule": _RULES,
    "flow": (("step", "that says something and ends",
    'goodbye:\n  REASONING: false\n  RESPOND: "Goodbye."\n  THEN: COMPLETE'),),
    "step": (
        ("question", "a field to collect", 'GATHER:\n  - NAME: required\n    prompt: "Which one?"'),
        ("answers", "branches over what the user says",
         'ON_INPUT:\n  - IF: input == "yes"\n    THEN: COMPLETE\n  - ELSE:\n    RESPOND: "Please say yes."'),
        ("list", "keeps and sorts the items of a list",
         "TRANSFORM:\n  SOURCE: NAME AS item\n  INTO: kept\n  FILTER: item IS SET\n  LIMIT: 5"),
    ),
    "gather": (("field", "to collect", 'title:\n  prompt: "Which title?"\n  type: string'),),
    "tools": (
        ("tool", "with its signature",
         'find_item(query: string) -> {id: string, title: string}\n  description: "Find an item"'),
    ),
    "handoff": (
        ("handoff", "to another agent that comes back",
         '- TO: Other_Agent\n  WHEN: NAME IS SET\n  CONTEXT:\n    pass: [NAME]\n    summary: "What is known"'),
    ),
    "complete": (("ending", "when the work is done", '- WHEN: NAME IS SET\n  RESPOND: "Done."'),),
}  # fmt: skip
"""By place: label, what it is for, text."""


def snippets(cursor: Cursor) -> Iterator[Item]:
    """The entries of the cursor's place, indented as its line is."""
    place = cursor.place
    name = _variable(cursor)
    for label, detail, text in SNIPPETS.get(place.block, ()) if place.item or _begins_entry(cursor) else ():
        written = text.replace("NAME", name)
        if cursor.yaml:
            written = _KEY.sub(lambda key: f"{key[1]}{key[2].lower()}:", _RULE.sub(_kind_as_key, written))
        written = written.removeprefix("- ") if place.item else written
        indent = len(cursor.before) - len(cursor.before.lstrip(" "))
        yield Item(label, "snippet", detail, written.replace("\n", "\n" + " " * indent))


def _kind_as_key(rule: re.Match[str]) -> str:
    return f"{rule[1]}{rule[2].lower()}: "


def _begins_entry(cursor: Cursor) -> bool:
    """True where the entry of a list, or of a map with names of the author's, may begin."""
    return cursor.place.listed or cursor.place.block in _OPEN


def _variable(cursor: Cursor) -> str:
    """A variable that the agent has, the first it declares."""
    agent = cursor.agent
    names = [*agent.session, *agent.fields] if agent is not None else []
    return next((name for name in names if name.isidentifier()), "answer")
