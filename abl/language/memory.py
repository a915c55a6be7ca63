"""MEMORY (docs/spec 03)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.language.model import Place, key, place
from abl.language.shared import MASK_CONFIG, SENSITIVE, SENSITIVE_DISPLAY, VARIABLE_TYPE
from abl.language.types import (
    ANY,
    AT_LEAST_ONE,
    CONDITION,
    COUNT,
    DURATION,
    EXPRESSION,
    FLAG,
    TEXT,
    below,
    list_of,
    named_list_of,
    one_of,
    ref,
    refs,
)

SCOPE_OF_SEGMENT: Final[Mapping[str, str]] = {
    "user": "user",
    "project": "project",
    "workflow": "execution_tree",
    "execution_tree": "execution_tree",
}
"""The scopes that the first segment of a path names (docs/spec 03 §3)."""


def scope_by_segment(path: str) -> str:
    """Scope of a path without SCOPE."""
    return SCOPE_OF_SEGMENT.get(path.partition(".")[0], "user")


_MEMORY: Final = place(
    "memory",
    key("session", named_list_of("session"), "variables of one conversation"),
    key("persistent", below("memory_paths") | named_list_of("persistent"), "paths that outlive the conversation"),
    key("remember", list_of("remember"), "when to store what"),
    key("recall", list_of("recall"), "what to load at which event"),
    key("reads", refs("paths"), "persistent paths that may be read; shorthand for ACCESS: read"),
    key("writes", refs("paths"), "persistent paths that may be written; shorthand for ACCESS: write"),
    lower=True,
    parsed=True,
    spec="03 §1",
)
_MEMORY_PATHS: Final = place(
    "memory_paths",
    key("READS", refs("paths"), "persistent paths that may be read; shorthand for ACCESS: read"),
    key("WRITES", refs("paths"), "persistent paths that may be written; shorthand for ACCESS: write"),
    spec="03 §3",
)
_SESSION: Final = place(
    "session",
    key("DERIVED", EXPRESSION, "expression that the value is computed from; metadata only", runs="metadata"),
    key("DESCRIPTION", TEXT, "what the variable holds, for readers", runs="metadata"),
    key("FORMAT", ANY, "how the value is written, such as a currency; metadata only", runs="metadata"),
    key("INITIAL", ref("literal"), "value at session start", default="null"),
    key("NAME", ANY, "name of the variable"),
    key(
        "RESET",
        one_of(
            per_session="set at session start, dropped at its end",
            per_step="set back on entering each step",
            per_activation="set back each time the agent is activated",
            never="kept while the runtime runs, across sessions",
            slips={
                "session": "per_session",
                "step": "per_step",
                "activation": "per_activation",
                "per_turn": "per_step",
                "none": "never",
            },
        ),
        "when the value goes back to INITIAL",
        default="per_session",
        code="ABL304",
    ),
    VARIABLE_TYPE,
    parsed=True,
    spec="03 §2",
)
_PERSISTENT: Final = place(
    "persistent",
    key(
        "ACCESS",
        one_of(
            read="expressions may read it, nothing may write it",
            write="remember and SET may write it, nothing may read it",
            readwrite="may be read and written",
            slips={
                "read_write": "readwrite",
                "read-write": "readwrite",
                "rw": "readwrite",
                "r": "read",
                "w": "write",
                "readonly": "read",
                "writeonly": "write",
            },
        ),
        "read, write or both",
        default="readwrite",
        code="ABL325",
    ),
    key("DEFAULT", ref("literal"), "value while nothing is stored", default="null"),
    key("DESCRIPTION", TEXT, "what the path holds, for readers", runs="metadata"),
    key("DOMAIN", ANY, "group of facts that load_memory loads at once"),
    MASK_CONFIG,
    key("PATH", ANY, "name of the path, such as user.branch"),
    key(
        "SCOPE",
        one_of(
            user="one value per authenticated user",
            project="one value for all users",
            execution_tree="one value per handoff tree; ends with it",
            slips={
                "workflow": "execution_tree",
                "tree": "execution_tree",
                "execution": "execution_tree",
                "global": "project",
                "shared": "project",
                "customer": "user",
            },
        ),
        "whose value it is",
        default="user",
        code="ABL321",
    ),
    SENSITIVE,
    key("SENSITIVE_DISPLAY", SENSITIVE_DISPLAY, "how a sensitive value is shown", default="redact", code="ABL328"),
    VARIABLE_TYPE,
    key("UNIT", ANY, "unit of the value, for readers", runs="metadata"),
    parsed=True,
    spec="03 §3",
)
_MASK_CONFIG: Final = place(
    "mask_config",
    key("showFirst", COUNT, "characters that stay visible at the start", default="0"),
    key("showLast", COUNT, "characters that stay visible at the end", default="4"),
    key("char", ANY, "character that hides the others", default="*"),
    spec="03 §3",
)
_REMEMBER: Final = place(
    "remember",
    key("STORE", below("store") | ref("store"), "value -> path: what is stored, and where", required=True),
    key("TTL", DURATION, 'how long the fact lives, such as "90d"; without it for ever'),
    key("WHEN", CONDITION, "looked at after each turn; stores when it holds", required=True),
    parsed=True,
    spec="03 §4",
)
_STORE: Final = place(
    "store",
    key("value", EXPRESSION, "expression whose value is stored"),
    key("target", ref("paths"), "persistent path that receives the value"),
    key(
        "operation",
        one_of(
            overwrite="replace the value that is there",
            set="replace the value that is there",
            append="add the value to the list that is there",
            slips={"add": "append", "push": "append", "replace": "overwrite", "merge": "overwrite"},
        ),
        "what happens to the value that is there",
        default="overwrite",
        code="ABL352",
    ),
    key("unique", FLAG, "append: leave out what the list holds already"),
    key("maxSize", AT_LEAST_ONE, "append: how many entries the list keeps, the newest", code="ABL355"),
    lower=True,
    parsed=True,
    spec="03 §4",
)
_RECALL: Final = place(
    "recall",
    key(
        "ACTION",
        one_of(
            inject_context="load PATHS as variables",
            load_memory="load every fact of DOMAIN",
            prompt_llm="give INSTRUCTION to the model",
            slips={
                "inject": "inject_context",
                "context": "inject_context",
                "load": "load_memory",
                "prompt": "prompt_llm",
                "llm": "prompt_llm",
            },
        ),
        "what to do",
        default="prompt_llm",
        code="ABL366",
    ),
    key("DOMAIN", ANY, "group of facts to load"),
    key("INSTRUCTION", TEXT, "text for the model"),
    key(
        "ON",
        one_of(
            "session:start: when the session starts",
            "session:end: when the session ends",
            "search:before: before a search tool runs",
            open=True,
        )
        | ref(
            "events",
            agent="agent:NAME:before or :after: when the agent is activated, or is done; * for any",
            step="step:enter:NAME or step:exit:NAME: when the step begins, or is left; * for any",
            tool="tool:NAME:after: when the tool was called; * for any",
            entity="entity:NAME:extracted: when the field has got a value",
        ),
        "the event, such as session:start",
        required=True,
        code="ABL361",
    ),
    key("PATHS", ref("paths"), "persistent paths to load"),
    parsed=True,
    spec="03 §5",
)

PLACES: Final[tuple[Place, ...]] = (
    _MEMORY,
    _MEMORY_PATHS,
    _SESSION,
    _PERSISTENT,
    _MASK_CONFIG,
    _REMEMBER,
    _STORE,
    _RECALL,
)
