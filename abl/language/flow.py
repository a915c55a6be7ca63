"""FLOW: steps, what they do, branches and handlers (docs/spec 06)."""

from __future__ import annotations

from typing import Final

from abl.language.model import Place, key, place, without
from abl.language.shared import (
    CALLS,
    CHANGES,
    COMPLETE,
    GOES,
    INTENT,
    KEYED,
    MESSAGE_KEY,
    MORE_GOES,
    MOVES,
    ON_FAIL,
    ON_RETURN,
    PRESENTED,
    RESPOND,
    RESULTS,
    SAYS,
    STRATEGY,
)
from abl.language.types import (
    ANY,
    AT_LEAST_ONE,
    EXPRESSION,
    FLAG,
    NAMES,
    TEMPLATE,
    TEXT,
    TEXTS,
    below,
    by_name,
    list_of,
    named_list_of,
    one_of,
    ref,
    refs,
    with_words,
)

OF_THE_MESSAGE: Final = frozenset({"input", "match", "recent_input", "input_transcript", "intent"})
"""Names whose value a message brings: ON_INPUT with one of them waits for a message (06 §6.3)."""
_FLOW: Final = place(
    "flow",
    key("ENTRY_POINT", ANY, "first step", default="the first of steps"),
    key("GLOBAL_DIGRESSIONS", list_of("digression"), "intents that interrupt any waiting step"),
    key(
        "STEPS",
        by_name("step") | ref("listed"),
        "names of the steps in order",
        default="the order of their definitions",
    ),
    others=below("step"),
    lower=True,
    parsed=True,
    spec="06 §2",
)
STEP: Final = place(
    "step",
    *PRESENTED,
    *CALLS,
    key("AVAILABLE_TOOLS", refs("tools"), "tools the model may use in this step", default="all of the agent"),
    key("AWAIT_ATTACHMENT", below("await_attachment"), "ask for an upload and wait for it", runs="platform"),
    key("BEHAVIOR", ANY, "text added to the goal of the step"),
    key("CHECK", ANY, "condition to go on; when it does not hold ON_FAIL runs, and without one the step halts"),
    *CHANGES,
    key(
        "COLLECT", named_list_of("field") | refs("fields") | NAMES, "fields to collect here; another spelling of GATHER"
    ),
    key("COMPLETE_WHEN", ANY, "condition that ends collecting; default: all required fields have values"),
    key("CORRECTIONS", FLAG, "true: the user may correct earlier answers of this step", default="false", code="ABL621"),
    key("DIGRESSIONS", list_of("digression"), "intents that interrupt the step while it waits", default="RESUME false"),
    key("EXIT_WHEN", TEXT, "condition, or a quoted sentence for the model, that ends the reasoning step"),
    key(
        "GATHER",
        below("gather") | named_list_of("field") | by_name("field") | ref("fields"),
        "fields to collect here; the step waits until they are complete",
    ),
    key("GOAL", TEXT, "what the model works towards in this step", default="the agent's GOAL"),
    *GOES,
    key("MAX_ATTEMPTS", AT_LEAST_ONE, "how often the step may start from its top; integer", code="ABL612"),
    key(
        "MAX_TURNS",
        AT_LEAST_ONE,
        "turns of the reasoning step before it is left anyway; integer, default 10",
        code="ABL612",
    ),
    *KEYED,
    key(
        "ON_ACTION",
        list_of("action_handler") | by_name("action_handler"),
        "what to do when a button or form of ACTIONS is used, by its id",
    ),
    key(
        "ON_ERROR",
        below("on_error") | list_of("error_handler"),
        "handlers of errors in this step, before those of the agent",
    ),
    key("ON_EXHAUSTED", ANY, "step to go to when MAX_ATTEMPTS is used up"),
    key(
        "ON_FAIL",
        below("on_fail") | list_of("branch") | ON_FAIL,
        "when the CHECK before it does not hold, or the CALL fails: a step, an action or a block",
    ),
    *RESULTS,
    key(
        "ON_INPUT",
        list_of("branch"),
        "branches over the user's message; the first that holds runs, none: wait for the next message",
    ),
    key("ON_TIMEOUT", ANY, "step to go to when waiting took too long", runs="platform"),
    key("PRESENT", TEMPLATE, "message once per entry, right before the first question of the GATHER"),
    key("PROMPT", TEXT, "question of a step that collects one field with COLLECT", runs="platform"),
    key(
        "REASONING",
        FLAG,
        "true: a model acts here; false: the step runs as it is written",
        required=True,
        code="ABL606",
    ),
    key("RESOLVE_SIP_DESTINATION", below("resolve_sip"), "find where a later call_transfer leads", runs="platform"),
    *SAYS,
    key(
        "SECURE_INPUT",
        below("secure_input"),
        "take secret digits by voice; they never reach session, trace or model",
        runs="platform",
    ),
    key("STEP_CONSTRAINTS", list_of("rule"), "rules that are active only while the model acts in this step"),
    key("STRATEGY", STRATEGY, "how the values of the fields are found in messages", default="auto", runs="platform"),
    key("SUB_INTENTS", list_of("sub_intent"), "intents that belong to the step while it waits", default="RESUME true"),
    *MORE_GOES,
    key("WHEN", ANY, "condition on entry; while it does not hold the step is skipped"),
    parsed=True,
    spec="06 §3",
)
_CALL: Final = place(
    "call",
    *CALLS,
    *RESULTS,
    key("WHEN", ANY, "condition; the call is made only while it holds"),
    key("tool", offered=False),
    title="CALL",
    spec="06 §5.8",
)
_RESPOND: Final = place("respond", *PRESENTED, *KEYED, spec="06 §5.1")
_BRANCH: Final = place(
    "branch",
    *PRESENTED,
    *CALLS,
    *CHANGES,
    key("CONDITION", ANY, "condition of the branch; another spelling of IF"),
    key("ELSE", below("branch"), "branch without a condition, for when no other holds; stands last"),
    *GOES,
    key("IF", ANY, "condition of the branch; the first branch that holds runs"),
    MESSAGE_KEY,
    key("REASON", TEXT, "reason that an escalation passes on"),
    *SAYS,
    *MORE_GOES,
    key("WHEN", ANY, "condition of the branch; another spelling of IF"),
    parsed=True,
    spec="06 §6.1",
)
_DIGRESSION: Final = place(
    "digression",
    *without(CALLS, "CALL_WITH"),
    *CHANGES,
    key("CONDITION", ANY, "must hold as well"),
    *MOVES,
    key("DO", list_of("digression_action"), "actions in order, in place of the keys beside it"),
    *GOES,
    INTENT,
    key("KEYWORDS", TEXTS, "words that count as the intent when the message contains one"),
    MESSAGE_KEY,
    *SAYS,
    key("RESUME", FLAG, "true: go on with the interrupted step afterwards", default="false"),
    parsed=True,
    spec="06 §7",
)
_SUB_INTENT: Final = place(
    "sub_intent",
    *without(CALLS, "CALL_WITH"),
    *CHANGES,
    INTENT,
    MESSAGE_KEY,
    *SAYS,
    key("RESUME", FLAG, "false: take the THEN of the step afterwards", default="true: go on waiting"),
    parsed=True,
    spec="06 §7",
)
_ACTION_HANDLER: Final = place(
    "action_handler",
    key(
        "ACTION",
        ref(
            "actions",
            block="stop it; the user gets `message`",
            warn="note it and go on",
            redact="mask what was found",
            escalate="a human takes over",
            fix="mend the text by fix_strategy",
            reask="ask the model again, max_reasks times",
            filter="remove what was found",
        ),
        "id of the element that was used",
    ),
    *without(CALLS, "CALL_WITH"),
    *without(PRESENTED, "ACTIONS"),
    *CHANGES,
    COMPLETE,
    key("CONDITION", ANY, "must hold as well; action.id, action.value and action.fields are set"),
    *MOVES,
    key("DO", list_of("handler_action"), "actions in order, in place of the keys beside it"),
    *GOES,
    MESSAGE_KEY,
    ON_RETURN,
    *SAYS,
    *MORE_GOES,
    parsed=True,
    spec="06 §6.4",
)
_ACTION: Final = place(
    "handler_action",
    *without(CALLS, "CALL_WITH"),
    *without(PRESENTED, "ACTIONS"),
    *CHANGES,
    COMPLETE,
    *MOVES,
    *GOES,
    MESSAGE_KEY,
    ON_RETURN,
    *SAYS,
    *MORE_GOES,
    parsed=True,
    spec="06 §6.4",
)
_DIGRESSION_ACTION: Final = place(
    "digression_action",
    *without(CALLS, "CALL_WITH"),
    *CHANGES,
    *MOVES,
    *GOES,
    MESSAGE_KEY,
    *SAYS,
    key("RESUME", FLAG, "go on with the interrupted step; nothing behind it runs"),
    parsed=True,
    spec="06 §7",
)
_TOOL_ACTION: Final = place(
    "tool_action",
    *without(CALLS, "CALL_WITH"),
    *CHANGES,
    COMPLETE,
    *MOVES,
    key("ELSE", below("tool_action"), "runs when none of the conditions before it holds"),
    key(
        "FORMATS",
        below("formats"),
        "other forms of the message, by channel; the plain text is always kept",
    ),
    *GOES,
    key(
        "IF", ANY, "condition; entries with IF that follow each other are branches, of which the first that holds runs"
    ),
    RESPOND,
    key("WHEN", ANY, "condition; another spelling of IF"),
    spec="08 §7",
)
_TRANSFORM: Final = place(
    "transform",
    key("AS", ANY, "name of the item in FILTER and MAP"),
    key("FILTER", ANY, "condition; items for which it holds are kept"),
    key("INTO", ANY, "variable that receives the new list", required=True),
    key("LIMIT", ANY, "how many items are kept; integer or expression"),
    key("MAP", below("map"), "fields of the new items: name and expression"),
    key(
        "SORT_BY",
        with_words(asc="smallest first", desc="greatest first"),
        "field to sort by, then asc or desc",
        default="asc",
    ),
    key(
        "SOURCE",
        with_words(
            model="an argument of the call, or the model; the default",
            system="the path in value",
            runtime="the path in value",
            config="a variable of the project's configuration",
            auth="the credential store",
            expr="the expression in value",
            lookup="the table, by key",
        ),
        "path to the list, which stays as it is; `rows AS r` names the item too",
        required=True,
    ),
    parsed=True,
    spec="06 §5.5",
)
_SET_PLACE: Final = place("set", others=EXPRESSION, free=True, spec="06 §5.3")
_MAP_PLACE: Final = place("map", others=EXPRESSION, free=True, spec="06 §5.5")
_WITH: Final = place("with", others=EXPRESSION, free=True, spec="06 §5.8")
_INPUT: Final = place("input", others=EXPRESSION, free=True, runs="platform", spec="09 §6")
_RETURNED: Final = place("returned", others=NAMES, free=True, spec="09 §5")
_LOG: Final = place(
    "log",
    key("MESSAGE", TEXT, "text for the trace; {{...}} is filled in"),
    key(
        "LEVEL",
        one_of(debug="for the author only", info="worth knowing", warn="looks wrong", error="is wrong"),
        "how important the text is",
        default="info",
    ),
    spec="06 §5.6",
)

PLACES: Final[tuple[Place, ...]] = (
    _FLOW,
    STEP,
    _CALL,
    _RESPOND,
    _BRANCH,
    _DIGRESSION,
    _SUB_INTENT,
    _ACTION_HANDLER,
    _ACTION,
    _DIGRESSION_ACTION,
    _TOOL_ACTION,
    _TRANSFORM,
    _SET_PLACE,
    _MAP_PLACE,
    _WITH,
    _INPUT,
    _RETURNED,
    _LOG,
)
