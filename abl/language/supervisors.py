"""Supervisors: members, routes, shared state, policies, manner (docs/spec 09 §4)."""

from __future__ import annotations

from typing import Final

from abl.language.model import Place, key, place
from abl.language.shared import ROUTES
from abl.language.types import (
    ANY,
    CONDITION,
    FLAG,
    NAMES,
    TEXT,
    TEXTS,
    WHOLE,
    below,
    list_of,
    one_of,
    ref,
    refs,
)

_BEHAVIOR: Final = place(
    "behavior",
    key(
        "role",
        one_of(
            router="never answers itself; needs a HANDOFF",
            orchestrator="answers itself and may delegate",
            assistant="a leaf that answers; not for a supervisor",
        ),
        "router: never answers; orchestrator: answers and delegates; assistant: a leaf",
        code="ABL905",
    ),
    key("canRespondDirectly", FLAG, offered=False, code="ABL907"),
    key("allowedDirectActions", offered=False),
    key("forbiddenActions", offered=False),
    title="BEHAVIOR",
    lower=True,
    runs="platform",
    spec="09 §4",
)
_MEMBER: Final = place(
    "member",
    key("REF", ANY, "path of the agent", required=True, runs="executed"),
    key("ALIAS", ANY, "short name of the agent", runs="executed"),
    key("CAPABILITIES", TEXTS, "what the agent can do", required=True),
    key("CHANNELS", TEXTS, "channels the agent serves"),
    key("REQUIRES_VALIDATION", FLAG, "true: its replies are checked", default="false"),
    title="an entry of AGENTS",
    runs="platform",
    spec="09 §4",
)
_ROUTING: Final = place(
    "routing",
    key("NAME", ANY, "name of the rule", runs="executed"),
    key("DESCRIPTION", TEXT, "what the rule is for, for readers"),
    key("PRIORITY", WHOLE, "order of the rules, lower first", runs="executed"),
    key("WHEN", CONDITION, "condition of the rule", runs="executed"),
    key(
        "THEN",
        below("routed")
        | ref(
            "route",
            COMPLETE="the flow ends and the agent's work is complete",
            ESCALATE='a human takes over; `with REASON: "..."` says why',
            HANDOFF="the flow ends and the named agent takes over",
        ),
        "where the message goes",
        runs="executed",
    ),
    key(
        "FLAGS",
        one_of("set_active silent no_log priority_boost", many=True),
        "set_active, silent, no_log, priority_boost",
    ),
    key(
        "CONSTRAINTS", below("route_limits"), "channels, state and intents that the rule is limited to", runs="executed"
    ),
    *ROUTES,
    key("FALLBACK", ref("route"), "where the message goes when nothing else fits", runs="executed"),
    title="a routing entry",
    runs="platform",
    spec="09 §4",
)
_ROUTED: Final = place(
    "routed", *ROUTES, key("FALLBACK", offered=False, runs="executed"), runs="platform", spec="09 §4"
)
_INTENT_MATCH: Final = place(
    "intent_match",
    key("INTENTS", refs("intents"), "intents that the entry takes", runs="executed"),
    key(
        "ACTION",
        ref(
            "route",
            block="stop it; the user gets `message`",
            warn="note it and go on",
            redact="mask what was found",
            escalate="a human takes over",
            fix="mend the text by fix_strategy",
            reask="ask the model again, max_reasks times",
            filter="remove what was found",
        ),
        "where the message goes",
        runs="executed",
    ),
    key("FALLBACK", ref("route"), "where the message goes when no intent fits", runs="executed"),
    runs="platform",
    spec="09 §4",
)
_ROUTE_LIMITS: Final = place(
    "route_limits",
    key("channels", TEXTS, "channels for which the rule counts", runs="executed"),
    key("requiresState", NAMES, "variables that must be set", runs="executed"),
    key("ignoreIntents", refs("intents"), "intents for which the rule does not count", runs="executed"),
    runs="platform",
    spec="09 §4",
)
_STATE: Final = place("state", others=below("state_variable"), free=True, spec="09 §4")
_STATE_VARIABLE: Final = place(
    "state_variable",
    key(
        "type",
        one_of(
            string="text",
            number="a number; there is no type of its own for whole numbers",
            boolean="true or false",
            date="calendar date, YYYY-MM-DD",
            datetime="date and time, ISO 8601",
            array="ordered list",
            object="record of names and values",
            open=True,
        ),
        "type of the value",
        required=True,
    ),
    key("required", FLAG, "must have a value", default="false"),
    key("default", ANY, "value at session start"),
    key("description", TEXT, "what the variable holds, for readers", runs="metadata"),
    key(
        "source",
        one_of(system="the runtime", user="the user", agent="an agent", computed="an expression"),
        "who gives the value",
        runs="metadata",
    ),
    key("updatedBy", ref("agents"), "agents that change the value", runs="metadata"),
    spec="09 §4",
)
_POLICY: Final = place(
    "policy",
    key("NAME", ANY, "name of the policy"),
    key("DESCRIPTION", TEXT, "what the policy is for, for readers", runs="metadata"),
    key("RULES", below("policy_rules") | list_of("policy_rules"), "conditions that are watched"),
    title="a policy",
    spec="09 §4",
)
_POLICY_RULES: Final = place(
    "policy_rules",
    key("allowedWhen", CONDITION, "condition that should hold"),
    key("forbiddenWhen", CONDITION, "condition that should not hold"),
    key("triggerSignal", ANY, "signal that is reported"),
    key("behavior", ANY, "what is expected then, in words"),
    spec="09 §4",
)
_COMMUNICATION: Final = place(
    "communication",
    key("language", ANY, "language of the replies", required=True),
    key("formality", one_of("formal informal neutral"), "how formal the replies are", required=True),
    key("constraints", TEXTS, "rules of manner, as sentences", required=True),
    key("pronouns", below("pronouns"), "forms of address to use or avoid"),
    key("vocabulary", below("preferred_words"), "words to prefer or avoid"),
    title="COMMUNICATION",
    spec="09 §4",
)
_PRONOUNS: Final = place(
    "pronouns",
    key("use", TEXTS, "forms of address to use"),
    key("avoid", TEXTS, "forms of address to avoid"),
    spec="09 §4",
)
_PREFERRED_WORDS: Final = place(
    "preferred_words",
    key("prefer", TEXTS, "words to prefer"),
    key("avoid", TEXTS, "words to avoid"),
    spec="09 §4",
)

PLACES: Final[tuple[Place, ...]] = (
    _BEHAVIOR,
    _MEMBER,
    _ROUTING,
    _ROUTED,
    _INTENT_MATCH,
    _ROUTE_LIMITS,
    _STATE,
    _STATE_VARIABLE,
    _POLICY,
    _POLICY_RULES,
    _COMMUNICATION,
    _PRONOUNS,
    _PREFERRED_WORDS,
)
