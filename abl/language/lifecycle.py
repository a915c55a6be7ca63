"""COMPLETE, ON_START, HOOKS, ON_ERROR, MESSAGES: start, end and errors (docs/spec 09 §7-§9)."""

from __future__ import annotations

from typing import Final

from abl.language.model import Place, key, only, place, without
from abl.language.shared import CALLS, CHANGES, KEYED, MESSAGE_KEY, PRESENTED, RESPOND, SAY, SAYS, SUBTYPE
from abl.language.types import ANY, CONDITION, COUNT, FLAG, MS, TEMPLATE, below, list_of, one_of, ref

_COMPLETE: Final = place(
    "complete",
    *PRESENTED,
    *without(CALLS, "CALL_WITH"),
    *CHANGES,
    *KEYED,
    key("RESPOND", below("respond") | TEMPLATE, "last message; {{...}} is filled in"),
    key("STORE", ref("store"), "value -> path: what is kept; a collection is the platform's"),
    key("TERMINAL", FLAG, "false: say it and keep the session", default="true"),
    key("WHEN", CONDITION, "condition that ends the agent's work; the first entry that holds is taken"),
    parsed=True,
    spec="09 §7",
)
_ON_ERROR: Final = place(
    "on_error",
    key("default", below("error_handler") | ref("error_action"), "any error that no other handler takes"),
    key("llm_error", below("error_handler") | ref("error_action"), "the model failed", runs="platform"),
    key("tool_error", below("error_handler") | ref("error_action"), "a tool failed; SUBTYPE narrows it"),
    key(
        "routing_error",
        below("error_handler") | ref("error_action"),
        "a handoff or delegation failed",
        runs="platform",
    ),
    key(
        "validation_error",
        below("error_handler") | ref("error_action"),
        "a value did not fit too often, or had the wrong type",
    ),
    key("timeout_error", below("error_handler") | ref("error_action"), "something took too long", runs="platform"),
    key("unknown_error", below("error_handler") | ref("error_action"), "an error of no other type"),
    others=below("error_handler") | ref("error_action"),
    parsed=True,
    spec="09 §8",
)
_ERROR_HANDLER: Final = place(
    "error_handler",
    *only(PRESENTED, "FORMATS VOICE ACTIONS"),
    key("BACKTRACK_TO", ref("steps"), "step for THEN: BACKTRACK"),
    key("HANDOFF_TARGET", ref("agents"), "agent for THEN: HANDOFF"),
    *without(CHANGES, "CLEAR"),
    RESPOND,
    key("RETRY", COUNT, "how often it is tried again; integer"),
    key(
        "RETRY_BACKOFF",
        one_of(
            fixed="all pauses are the same",
            linear="pause n is n times the first",
            exponential="each pause is twice the one before",
        ),
        "how the pause grows",
        default="fixed",
    ),
    key("RETRY_DELAY", MS, "pause before a retry, in ms", default="0"),
    key("RETRY_MAX_DELAY", MS, "longest pause, in ms"),
    key("SUBTYPE", SUBTYPE, "narrows the type, such as tool_timeout", code="ABL964"),
    key("SUBTYPES", SUBTYPE, "several subtypes", code="ABL964"),
    key(
        "THEN",
        one_of(
            CONTINUE="go on behind what failed",
            COMPLETE="the agent's work is complete",
            ESCALATE='a human takes over; `with REASON: "..."` says why',
            BACKTRACK="go to the step of BACKTRACK_TO",
            RETRY_STEP="run the step again from its top",
            HANDOFF="the flow ends and the named agent takes over",
        ),
        "what happens then, no step name",
        default="CONTINUE",
        code="ABL961",
    ),
    key(
        "TYPE",
        one_of(
            default="any error that no other handler takes",
            llm_error="the model failed",
            tool_error="a tool failed",
            routing_error="a handoff or delegation failed",
            validation_error="a value did not fit",
            timeout_error="something took too long",
            unknown_error="an error of no other type",
        ),
        "type of error that the handler takes",
        code="ABL513",
    ),
    key("ESCALATE", offered=False, runs="platform"),
    title="an error handler",
    spec="09 §8",
)
_ON_START: Final = place(
    "on_start",
    *PRESENTED,
    *without(CALLS, "CALL_WITH"),
    key("BRANCHES", list_of("greeting"), "greetings by condition; the first that holds is said in place of RESPOND"),
    *CHANGES,
    key("DELEGATE", ref("agents"), "agent to call before the first message"),
    MESSAGE_KEY,
    key("RESPOND", below("respond") | TEMPLATE, "first message, unless a branch takes the start"),
    SAY,
    key("WHEN", ANY, "below CALL: the call is made only while it holds"),
    parsed=True,
    spec="09 §9",
)
_GREETING: Final = place(
    "greeting",
    key("IF", ANY, "condition of the branch; the first that holds is said"),
    key("CONDITION", ANY, "condition of the branch; another spelling of IF"),
    key("ELSE", below("greeting"), "for when no other branch holds; stands last", alone=True),
    key("RESPOND", below("respond") | TEMPLATE, "message of the branch"),
    *PRESENTED,
    MESSAGE_KEY,
    free=True,
    spec="09 §9",
)
_HOOK_BRANCH: Final = place(
    "hook_branch",
    key("RESPOND", below("respond") | TEMPLATE, "message of the branch"),
    *PRESENTED,
    MESSAGE_KEY,
    key("SET", offered=False, runs="platform"),
    spec="09 §9",
)
_HOOKS: Final = place(
    "hooks",
    key("before_agent", below("hook"), "when the agent is activated"),
    key("after_agent", below("hook"), "when the agent completes or loses control"),
    key("before_turn", below("hook"), "before a message is worked on"),
    key("after_turn", below("hook"), "after the replies were sent"),
    title="HOOKS",
    parsed=True,
    spec="09 §9",
)
_HOOK: Final = place(
    "hook",
    *PRESENTED,
    *without(CALLS, "CALL_WITH"),
    key("BRANCHES", list_of("greeting"), "messages by condition; the first that holds is said"),
    *CHANGES,
    key("CRITICAL", FLAG, "true: a call that fails stops the turn", default="false"),
    key("DELEGATE", ANY, "agent to call"),
    MESSAGE_KEY,
    *SAYS,
    key(
        "WHEN",
        below("hook_branch") | CONDITION,
        "branch: a message only while it holds; below CALL: the call is made only while it holds",
    ),
    lower=True,
    parsed=True,
    spec="09 §9",
)
_MESSAGES: Final = place(
    "messages",
    key("error_default", ANY, "when nothing handles an error"),
    key("constraint_blocked", ANY, "when a rule fails without a message of its own"),
    key("gather_prompt", ANY, "question for fields without a prompt; {{fields}} names them"),
    key("error_validation", ANY, "before the question is asked again"),
    key("escalation_format", ANY, "when a human takes over; {{reason}} says why"),
    key("conversation_complete", ANY, "when the conversation has ended"),
    key("invalid_handoff", ANY, "when a transfer did not work"),
    key("self_handoff", ANY, "when an agent would transfer to itself"),
    key("tool_fallback_desc", ANY, "description of tools that have none"),
    key("multi_intent_disambiguate_header", ANY, "above the choice between several intents"),
    key("multi_intent_disambiguate_option", ANY, "one line of that choice"),
    key("multi_intent_disambiguation_reprompt", ANY, "when the answer to that choice is none of them"),
    key("multi_intent_queued_notice", ANY, "when other intents wait for their turn"),
    key("multi_intent_queued_follow_up", ANY, "when a waiting intent has its turn"),
    key("handoff_message", ANY, "when another agent takes over", runs="platform"),
    key("routing_message", ANY, "while the message is routed", runs="platform"),
    key("greeting", ANY, "first message", runs="platform"),
    key("out_of_scope", ANY, "when no agent fits the message", runs="platform"),
    title="MESSAGES",
    free=True,
    spec="09 §8",
)

PLACES: Final[tuple[Place, ...]] = (
    _COMPLETE,
    _ON_ERROR,
    _ERROR_HANDLER,
    _ON_START,
    _GREETING,
    _HOOK_BRANCH,
    _HOOKS,
    _HOOK,
    _MESSAGES,
)
