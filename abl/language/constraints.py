"""CONSTRAINTS and ON_FAIL (docs/spec 04)."""

from __future__ import annotations

from typing import Final

from abl.language.model import Place, key, place
from abl.language.shared import ON_FAIL
from abl.language.types import ANY, CONDITION, FLAG, NAMES, TEXT, TEXTS, below, list_of, one_of, ref, with_words

_RULES: Final = place("rules", others=below("rules") | list_of("rule"), parsed=True, spec="04 §1")
_RULE: Final = place(
    "rule",
    key(
        "BEFORE",
        with_words(
            calling="judged before the named tool is called",
            returning="judged before the reply is sent",
            results="judged before the reply is sent",
        ),
        "the rule is judged only at this checkpoint",
    ),
    key(
        "ON_FAIL",
        below("on_fail") | ON_FAIL,
        "message or action when the rule fails",
        default="message constraint_blocked",
    ),
    key(
        "SEVERITY",
        one_of(
            error="a failure stops and runs ON_FAIL",
            warning="a failure is noted and the work goes on",
            slips={"warn": "warning", "fatal": "error", "critical": "error"},
        ),
        "error: a failure stops; warning: it is only noted",
        code="ABL443",
    ),
    key("WHEN", CONDITION, "the rule applies only while this holds"),
    key("REQUIRE", CONDITION, "rule: the condition must hold", offered=False),
    key("LIMIT", CONDITION, "rule: a numeric bound that must hold", offered=False),
    key("RESTRICT", CONDITION, "rule: what is forbidden; it fails when the condition holds", offered=False),
    key("WARN", CONDITION, "rule: as REQUIRE, but a failure only warns", offered=False),
    parsed=True,
    spec="04 §4",
)
_ON_FAIL: Final = place(
    "on_fail",
    key("CLEAR", NAMES, "variables to forget"),
    key("COLLECT", TEXTS, "fields to ask for before the rule is judged again"),
    key("GOTO", ANY, "step to jump to"),
    key("RESPOND", TEXT, "message to the user"),
    key("RETRY", FLAG, "true: run the current step again", default="false", code="ABL421"),
    key("SET", below("set") | list_of("set") | ref("assignment"), "assign variables, after a CHECK that failed"),
    key(
        "THEN",
        one_of("continue: go on without this rule in this pass", "retry: judge the rule again"),
        "after collecting: continue, or retry; after a CHECK also a step",
        code="ABL414",
    ),
    parsed=True,
    spec="04 §5",
)

PLACES: Final[tuple[Place, ...]] = (
    _RULES,
    _RULE,
    _ON_FAIL,
)
