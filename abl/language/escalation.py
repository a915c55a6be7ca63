"""ESCALATE: when a human takes over, who, and what follows (docs/spec 09 §7)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from abl.language.model import Place, key, only, place
from abl.language.shared import CHANGES
from abl.language.types import (
    ANY,
    CONDITION,
    NAMES,
    TEMPLATE,
    TEXT,
    TEXTS,
    below,
    list_of,
    one_of,
    ref,
    with_words,
)

_ESCALATE: Final = place(
    "escalate",
    key("triggers", list_of("trigger"), "when a human takes over; the first that holds fires"),
    key(
        "context_for_human",
        list_of("human_context") | NAMES,
        "what the human sees: variables, or texts",
    ),
    key(
        "routing",
        below("destination") | list_of("destination"),
        "who it goes to: one destination, or several with conditions",
        runs="platform",
    ),
    key("on_human_complete", list_of("human_done"), "what happens when the human is done"),
    key("connector_action", ANY, "action of the connector that hands over", runs="platform"),
    title="ESCALATE",
    spec="09 §7",
)
_TRIGGER: Final = place(
    "trigger",
    key("WHEN", CONDITION, "condition, or a quoted sentence for the model", required=True),
    key("REASON", TEXT, "why, for the human; {{...}} is filled in"),
    key(
        "PRIORITY",
        one_of("low medium high critical"),
        "low, medium, high, critical, or an integer",
        default="medium",
        code="ABL945",
    ),
    key("TAGS", TEXTS, "labels for the human's desk"),
    key("SET", below("set") | list_of("set") | ref("assignment"), "assign variables before the transfer"),
    key("GENESYS_SIP_HEADERS", ANY, "SIP headers of a Genesys transfer", runs="platform"),
    title="an escalation trigger",
    spec="09 §7",
)
_HUMAN_CONTEXT: Final = place(
    "human_context",
    key("NAME", ANY, "name of the entry"),
    key("TEMPLATE", ANY, "text for the human; {{...}} is filled in"),
    key("INCLUDE", NAMES, "variables that are shown with it"),
    title="context_for_human",
    spec="09 §7",
)
_DESTINATION: Final = place(
    "destination",
    key("id", ANY, "name of the destination, for the trace"),
    key(
        "when",
        ref("condition", **dict.fromkeys(("always", "*"), "the default, which stands last")),
        "condition; the first entry that holds is taken, one without it is the default and stands last",
    ),
    key(
        "connection",
        with_words(per_user="each user's own account", shared="one account for all"),
        "connector that takes the transfer",
    ),
    key("queue", ANY, "queue of the connector", required=True),
    key("skills", TEXTS, "skills the human must have"),
    key("priority", ANY, "priority in the queue"),
    key("named_agents", TEXTS, "humans that are asked first"),
    key("named_agent_options", ANY, "how those humans are tried"),
    key("agent_matching_conditions", ANY, "what the human must match"),
    key("flow_policy_ref", ref("policies"), "entry of TRANSFER_FLOW_POLICIES"),
    key("flow_policy", ref("policies"), "policy of the transfer"),
    key("provider_config", ANY, "settings of the connector"),
    key("metadata", ANY, "values that go along"),
    key("genesys_sip_headers", ANY, "SIP headers of a Genesys transfer"),
    key(
        "post_agent",
        one_of("return: back to the agent", "end: the conversation ends"),
        "after the human: back to the agent, or the end",
    ),
    key("sub_type", ANY, "variant of the connector"),
    key("voice", below("transfer_voice"), "how a call is transferred"),
    key("skill_tags", offered=False),
    key("priority_boost", offered=False),
    title="a routing entry",
    misses=True,
    runs="platform",
    spec="09 §7",
)
_TRANSFER_VOICE: Final = place(
    "transfer_voice",
    key(
        "transfer_method",
        one_of(invite="by a new call", refer="by handing the call over", bye="by ending the call"),
        "how the call is transferred",
        code="ABL946",
    ),
    key(
        "call_transfer_type",
        one_of("sip pstn custom"),
        "where to: SIP, the phone network or custom tools",
        code="ABL946",
    ),
    key("sip_headers", ANY, "SIP headers of the transfer"),
    key("sip_transfer_id", ANY, "id of the transfer; only with sip"),
    key("custom_tools", ref("tools"), "1 to 8 http tools that transfer; only with custom"),
    runs="platform",
    spec="09 §7",
)
_LANGUAGES: Final = tuple(
    replace(known, runs="executed") for known in only(CHANGES, "SET_INTERACTION_LANGUAGE CLEAR_INTERACTION_LANGUAGE")
)
_HUMAN_DONE: Final = place(
    "human_done",
    key("IF", CONDITION, "condition; human.* holds what the human left", runs="executed"),
    key("ELSE", ANY, "for when no other entry holds; stands last", runs="executed"),
    key("SET", below("set") | list_of("set") | ref("assignment"), "assign variables", runs="executed"),
    *_LANGUAGES,
    key("RESPOND", TEMPLATE, "message to the user", runs="executed"),
    key("STORE", ref("store"), "value -> path: what is stored, and where", runs="executed"),
    key("COMPLETE", ANY, "the agent's work ends", runs="executed"),
    key("HANDOFF", ref("agents"), "transfer to an agent", runs="executed"),
    key("CONTINUE", ANY, "the agent goes on", runs="executed"),
    key(
        "THEN",
        one_of(
            COMPLETE="the flow ends and the agent's work is complete",
            CONTINUE="the agent goes on",
            HANDOFF="the flow ends and the named agent takes over",
            RESPOND="send a message",
        ),
        "what happens then",
        runs="executed",
    ),
    title="on_human_complete",
    runs="platform",
    spec="09 §7",
)
_FREE: Final = place("free", free=True, runs="platform", spec="09 §7")

PLACES: Final[tuple[Place, ...]] = (
    _ESCALATE,
    _TRIGGER,
    _HUMAN_CONTEXT,
    _DESTINATION,
    _TRANSFER_VOICE,
    _HUMAN_DONE,
    _FREE,
)
