"""MEMORY and CONSTRAINTS (docs/spec 03, 04)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.editing.meanings.common import Texts, texts

STATE: Final[Mapping[str, Texts]] = {
    "memory": texts("""
        session: variables of one conversation
        persistent: paths that outlive the conversation
        remember: when to store what
        recall: what to load at which event
        reads: persistent paths that may be read; shorthand for ACCESS: read
        writes: persistent paths that may be written; shorthand for ACCESS: write
    """),
    "memory_paths": texts("""
        READS: persistent paths that may be read; shorthand for ACCESS: read
        WRITES: persistent paths that may be written; shorthand for ACCESS: write
    """),
    "session": texts("""
        NAME: name of the variable
        TYPE: type of the value; values are not converted
        INITIAL: value at session start; default null
        RESET: when the value goes back to INITIAL; default per_session
        DESCRIPTION: what the variable holds, for readers
    """),
    "persistent": texts("""
        PATH: name of the path, such as user.branch
        TYPE: type of the value; values are not converted
        SCOPE: whose value it is; default user
        ACCESS: read, write or both; default readwrite
        DEFAULT: value while nothing is stored; default null
        DESCRIPTION: what the path holds, for readers
        UNIT: unit of the value, for readers
        DOMAIN: group of facts that load_memory loads at once
        SENSITIVE: personal data: masked wherever it is shown; default false
        SENSITIVE_DISPLAY: how a sensitive value is shown; default redact
        MASK_CONFIG: what a mask leaves visible
    """),
    "mask_config": texts("""
        showFirst: characters that stay visible at the start; default 0
        showLast: characters that stay visible at the end; default 4
        char: character that hides the others; default *
    """),
    "remember": texts("""
        WHEN: required; looked at after each turn; stores when it holds
        STORE: required; value -> path: what is stored, and where
        TTL: how long the fact lives, such as "90d"; without it for ever
    """),
    "store": texts("""
        value: expression whose value is stored
        target: persistent path that receives the value
        operation: what happens to the value that is there; default overwrite
        unique: append: leave out what the list holds already
        maxSize: append: how many entries the list keeps, the newest
    """),
    "recall": texts("""
        ON: required; the event, such as session:start
        ACTION: what to do; default prompt_llm
        PATHS: persistent paths to load
        DOMAIN: group of facts to load
        INSTRUCTION: text for the model
    """),
    "rules": {},
    "rule": texts("""
        REQUIRE: rule: the condition must hold
        LIMIT: rule: a numeric bound that must hold
        RESTRICT: rule: what is forbidden; it fails when the condition holds
        WARN: rule: as REQUIRE, but a failure only warns
        WHEN: the rule applies only while this holds
        BEFORE: the rule is judged only at this checkpoint
        ON_FAIL: message or action when the rule fails; default message constraint_blocked
        SEVERITY: error: a failure stops; warning: it is only noted
    """),
    "on_fail": texts("""
        RESPOND: message to the user
        SET: assign variables, after a CHECK that failed
        CLEAR: variables to forget
        COLLECT: fields to ask for before the rule is judged again
        GOTO: step to jump to
        RETRY: true: run the current step again; default false
        THEN: after collecting: continue, or retry; after a CHECK also a step
    """),
}
