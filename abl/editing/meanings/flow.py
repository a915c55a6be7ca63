"""FLOW: its steps, branches, handlers and actions (docs/spec 06)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.editing.meanings.common import (
    ACTS,
    CALLS,
    GOES,
    MOVES,
    PRESENTED,
    REPLY,
    RESPONSE,
    RESULTS,
    TRANSFORM,
    Texts,
    only,
    texts,
    without,
)

_STEP: Final = (
    RESPONSE
    | ACTS
    | TRANSFORM
    | GOES
    | RESULTS
    | texts("""
    REASONING: required; true: a model acts here; false: the step runs as it is written
    GOAL: what the model works towards in this step; default the agent's GOAL
    BEHAVIOR: text added to the goal of the step
    AVAILABLE_TOOLS: tools the model may use in this step; default all of the agent
    EXIT_WHEN: condition, or a quoted sentence for the model, that ends the reasoning step
    MAX_TURNS: turns of the reasoning step before it is left anyway; integer, default 10
    STEP_CONSTRAINTS: rules that are active only while the model acts in this step
    WHEN: condition on entry; while it does not hold the step is skipped
    MAX_ATTEMPTS: how often the step may start from its top; integer
    ON_EXHAUSTED: step to go to when MAX_ATTEMPTS is used up
    ON_TIMEOUT: step to go to when waiting took too long
    PRESENT: message once per entry, right before the first question of the GATHER
    PROMPT: question of a step that collects one field with COLLECT
    GATHER: fields to collect here; the step waits until they are complete
    COLLECT: fields to collect here; another spelling of GATHER
    STRATEGY: how the values of the fields are found in messages; default auto
    CORRECTIONS: true: the user may correct earlier answers of this step; default false
    COMPLETE_WHEN: condition that ends collecting; default: all required fields have values
    CHECK: condition to go on; when it does not hold ON_FAIL runs, and without one the step halts
    ON_FAIL: when the CHECK before it does not hold, or the CALL fails: a step, an action or a block
    ON_INPUT: branches over the user's message; the first that holds runs, none: wait for the next message
    ON_ACTION: what to do when a button or form of ACTIONS is used, by its id
    DIGRESSIONS: intents that interrupt the step while it waits; default RESUME false
    SUB_INTENTS: intents that belong to the step while it waits; default RESUME true
    AWAIT_ATTACHMENT: ask for an upload and wait for it
    SECURE_INPUT: take secret digits by voice; they never reach session, trace or model
    RESOLVE_SIP_DESTINATION: find where a later call_transfer leads
    ON_ERROR: handlers of errors in this step, before those of the agent
""")
)
_BRANCH: Final = (
    REPLY
    | ACTS
    | TRANSFORM
    | GOES
    | texts("""
    IF: condition of the branch; the first branch that holds runs
    WHEN: condition of the branch; another spelling of IF
    CONDITION: condition of the branch; another spelling of IF
    ELSE: branch without a condition, for when no other holds; stands last
    REASON: reason that an escalation passes on
""")
)
_HANDLER: Final = (
    without(REPLY, "ACTIONS")
    | ACTS
    | TRANSFORM
    | GOES
    | MOVES
    | texts("""
    COMPLETE: true: the agent's work ends
    ON_RETURN: what happens when the agent gives control back
""")
)
_DIGRESSION_DEED: Final = only(
    ACTS | GOES | MOVES | REPLY, "AS CALL CLEAR DELEGATE GOTO HANDOFF LOG MESSAGE_KEY RESPOND RETURN SAY SET THEN WITH"
) | texts("""
    RESUME: go on with the interrupted step; nothing behind it runs
""")
_INTENT: Final = texts("""
    INTENT: required; the intent that the message must have, by its name
    KEYWORDS: words that count as the intent when the message contains one
    CONDITION: must hold as well
    RESUME: true: go on with the interrupted step afterwards; default false
    DO: actions in order, in place of the keys beside it
""")

FLOW: Final[Mapping[str, Texts]] = {
    "flow": texts("""
        ENTRY_POINT: first step; default the first of steps
        STEPS: names of the steps in order; default the order of their definitions
        GLOBAL_DIGRESSIONS: intents that interrupt any waiting step
    """),
    "step": _STEP,
    "insertion": _STEP
    | texts("""
        BEFORE: step before which this one is put in
        AFTER: step after which this one is put in
    """),
    "call": CALLS
    | RESULTS
    | texts("""
        WHEN: condition; the call is made only while it holds
    """),
    "respond": RESPONSE,
    "branch": _BRANCH,
    "digression": _DIGRESSION_DEED | _INTENT,
    "sub_intent": only(ACTS | REPLY, "AS CALL CLEAR LOG MESSAGE_KEY RESPOND SAY SET WITH")
    | texts("""
        INTENT: required; the intent that the message must have, by its name
        RESUME: false: take the THEN of the step afterwards; default true: go on waiting
    """),
    "action_handler": _HANDLER
    | texts("""
        ACTION: id of the element that was used
        CONDITION: must hold as well; action.id, action.value and action.fields are set
        DO: actions in order, in place of the keys beside it
    """),
    "deed": _HANDLER,
    "digression_deed": _DIGRESSION_DEED,
    "tool_deed": only(ACTS | GOES | PRESENTED, "SET CLEAR LOG RESPOND CALL WITH AS GOTO THEN FORMATS")
    | MOVES
    | texts("""
        COMPLETE: true: the agent's work ends
        IF: condition; entries with IF that follow each other are branches, of which the first that holds runs
        WHEN: condition; another spelling of IF
        ELSE: runs when none of the conditions before it holds
    """),
    "transform": texts("""
        SOURCE: required; path to the list, which stays as it is; `rows AS r` names the item too
        AS: name of the item in FILTER and MAP
        INTO: required; variable that receives the new list
        FILTER: condition; items for which it holds are kept
        MAP: fields of the new items: name and expression
        SORT_BY: field to sort by, then asc or desc; default asc
        LIMIT: how many items are kept; integer or expression
    """),
    "set": {},
    "map": {},
    "with": {},
    "input": {},
    "returned": {},
    "log": texts("""
        MESSAGE: text for the trace; {{...}} is filled in
        LEVEL: how important the text is; default info
    """),
    "await_attachment": texts("""
        NAME: variable that receives the upload: name, mime, size
        PROMPT: message that asks for the upload
        CATEGORY: kind of file that is expected
        REQUIRED: false: a text reply goes on without an upload; default true
        TIMEOUT: seconds to wait
        ON_TIMEOUT: step to go to when nothing came in time
    """),
    "secure_input": texts("""
        MODE: how the caller may answer: keys, speech or both
        FIELDS: what is asked for, one after the other
        MAX_ATTEMPTS: how often the caller may try; integer
        CANCEL: how the caller gives up
        CALL: the one tool that receives the values
        WITH: arguments of the call, such as "{{secure.field}}"
        ON_SUCCESS: step after the call succeeded
        ON_TIMEOUT: step when nothing came in time
        ON_CANCEL: step when the caller gave up
        ON_FAIL: step after too many attempts, or when the call failed
    """),
    "secure_field": texts("""
        name: name of the value, read as {{secure.name}}
        PROMPT: what is spoken: text by locale, or a template
        COLLECT: how the digits are taken
        VALIDATE: rules for the value, such as luhn or {length: 13..19}
    """),
    "secure_prompt": texts("""
        template: entry of TEMPLATES to speak
    """),
    "secure_collect": texts("""
        digits: how many digits, such as 13..19
        finishOnKey: key that ends the entry
        interDigitTimeoutMs: longest pause between two digits, in ms
        asrTimeoutMs: longest wait for speech, in ms
    """),
    "secure_cancel": texts("""
        dtmf_key: key that gives up
        keywords: spoken words that give up
    """),
    "resolve_sip": texts("""
        FROM_WORKFLOW: tool that tells the destination
        FROM_MEMORY: variable that holds the destination
        TIMEOUT_MS: longest wait, in ms
    """),
}
