"""Between agents: identity, handoffs, delegation (docs/spec 09 §2, §5, §6)."""

from __future__ import annotations

from typing import Final

from abl.language.model import Place, key, place
from abl.language.shared import ELSEWHERE, EXPERIENCE_MODE, HISTORY, LOCATION, PROTOCOL
from abl.language.types import (
    ANY,
    AT_LEAST_ONE,
    CONDITION,
    COUNT,
    FLAG,
    NAMES,
    SENTENCES,
    TEMPLATE,
    TEXT,
    TEXTS,
    TIME,
    below,
    list_of,
    one_of,
    prose,
    ref,
    with_words,
)

_IDENTITY: Final = place(
    "identity",
    key(
        "role",
        prose(
            with_words(
                router="never answers itself; needs a HANDOFF",
                orchestrator="answers itself and may delegate",
                assistant="a leaf that answers; not for a supervisor",
            )
        ),
        "what the agent is for; the GOAL",
    ),
    key("persona", TEXT, "tone and style; the PERSONA"),
    key("expertise", prose(TEXTS), "what the agent knows; added to the PERSONA"),
    key("limitations", SENTENCES, "what the agent must not do, as sentences for the model"),
    title="IDENTITY",
    lower=True,
    spec="09 §2",
)
_HANDOFF: Final = place(
    "handoff",
    key("ASYNC", FLAG, "true: do not wait for the agent", default="false", runs="platform"),
    key("ASYNC_TIMEOUT", TIME, "how long an asynchronous agent may take, in seconds", runs="platform"),
    *ELSEWHERE,
    key("CONTEXT", below("context"), "what goes along: pass, summary, history, set"),
    key("EXPECT_RETURN", FLAG, "true: the agent gives control back when it is done", default="false"),
    key("EXPERIENCE_MODE", EXPERIENCE_MODE, "how the user notices the transfer", runs="platform"),
    key("GRANT_MEMORY", ANY, "removed; write MEMORY_GRANTS", offered=False, runs="platform"),
    key(
        "HISTORY",
        below("history") | HISTORY,
        "how much of the conversation the agent receives",
        default="full",
        code="ABL945",
    ),
    key(
        "ON_FAILURE",
        below("handoff_failure")
        | one_of(CONTINUE="stay and go on", ESCALATE="a human takes over", RESPOND="send a message and stay"),
        "when the agent cannot take over",
        default="message invalid_handoff, and stay",
    ),
    key(
        "ON_RETURN",
        below("on_return") | ref("returns"),
        "what happens when the agent gives control back",
        default="continue",
    ),
    key("PASS", NAMES, "variables that the agent receives, by name"),
    key("PRIORITY", COUNT, "order of the handoffs, lower first", default="their position", code="ABL945"),
    key("SET", below("set") | list_of("set") | ref("assignment"), "assign variables before the transfer"),
    key("SUMMARY", TEXT, "text that the agent receives; {{...}} is filled in"),
    key("TIMEOUT", TIME, "how long the agent may take, in seconds", runs="platform"),
    key("TO", ref("agents"), "agent that takes over", required=True),
    key("WHEN", CONDITION, "condition, or a quoted sentence for the model; true: always", required=True),
    parsed=True,
    spec="09 §5",
)
_ON_FAIL: Final = below("delegate_failure") | one_of(
    "respond: send FAILURE_MESSAGE",
    "continue: go on without a result",
    "escalate: a human takes over",
    "retry: call the agent again",
)
_DELEGATE: Final = place(
    "delegate",
    key("AGENT", ref("agents"), "agent that is called", required=True, runs="executed"),
    *ELSEWHERE,
    key("EXPERIENCE_MODE", EXPERIENCE_MODE, "how the user notices the call"),
    key("FAILURE_MESSAGE", ANY, "message for ON_FAIL: respond", runs="executed"),
    key(
        "INPUT",
        below("input"),
        "what the agent receives: its name and an expression of ours",
        required=True,
        runs="executed",
    ),
    key(
        "ON_FAIL",
        _ON_FAIL,
        "what happens when the call fails",
        runs="executed",
    ),
    key("ON_RETURN", below("on_return") | ref("returns"), "what happens with the result", runs="executed"),
    key("PURPOSE", ANY, "why it is called, for the trace", required=True, runs="executed"),
    key(
        "RETURNS",
        below("returned"),
        "fields of its result and the variables that receive them",
        required=True,
        runs="executed",
    ),
    key("TIMEOUT", ANY, 'how long it may take, such as "15s"'),
    key("USE_RESULT", ANY, "what the model is to do with the result", required=True, runs="executed"),
    key("WHEN", CONDITION, "condition, or a quoted sentence for the model", required=True, runs="executed"),
    key("GRANT_MEMORY", offered=False),
    key("TO", offered=False, runs="executed"),
    key("SUMMARY", offered=False, runs="executed"),
    key("PASS", offered=False, runs="executed"),
    key("ON_FAILURE", offered=False, runs="executed"),
    key("HISTORY", offered=False),
    title="a delegation",
    runs="platform",
    spec="09 §6",
)
_HANDOFF_FAILURE: Final = place(
    "handoff_failure",
    key("CONTINUE", ANY, "stay and go on"),
    key("ESCALATE", ANY, "a human takes over, with this reason"),
    key("RESPOND", TEXT, "send this message and stay"),
    title="ON_FAILURE",
    spec="09 §5",
)
_DELEGATE_FAILURE: Final = place(
    "delegate_failure",
    key("type", one_of(retry="call the agent again"), "what to do: retry", runs="executed"),
    key("count", AT_LEAST_ONE, "how often; integer", runs="executed"),
    runs="platform",
    spec="09 §6",
)
_REMOTE: Final = place(
    "remote",
    key("location", LOCATION, "where the agent runs", default="local"),
    key("endpoint", ANY, "URL of the agent; makes it remote"),
    key("protocol", PROTOCOL, "how the remote agent is spoken to"),
    key("auth", below("remote_auth"), "how the call of the remote agent proves who asks"),
    key("timeout", TIME, "longest wait for the remote agent"),
    title="REMOTE",
    runs="platform",
    spec="09 §5",
)
_REMOTE_AUTH: Final = place(
    "remote_auth",
    key(
        "type",
        one_of(
            none="no credential",
            bearer="a token in the Authorization header",
            api_key="a key in a header",
            oauth2_client="a token of the application",
            oauth2_user="a token of the user",
            custom="headers of one's own",
            open=True,
        ),
        "how the call proves who asks",
    ),
    key("header", ANY, "header that carries the credential"),
    runs="platform",
    spec="09 §5",
)
_CONTEXT: Final = place(
    "context",
    key(
        "history",
        below("history") | HISTORY,
        "how much of the conversation the agent receives",
        default="full",
        code="ABL945",
    ),
    key("memory_grants", list_of("grant"), "persistent paths that the agent may use, with access", runs="platform"),
    key("pass", NAMES, "variables that the agent receives, by name"),
    key("set", below("set") | list_of("set") | ref("assignment"), "assign variables before the transfer"),
    key("summary", TEXT, "text that the agent receives; {{...}} is filled in"),
    key("grant_memory", offered=False, runs="platform"),
    title="CONTEXT",
    lower=True,
    spec="09 §5",
)
_HISTORY: Final = place(
    "history",
    key("mode", one_of("last_n"), "last_n: the last messages only"),
    key("count", AT_LEAST_ONE, "how many messages; integer"),
    key("last_n", AT_LEAST_ONE, offered=False),
    spec="09 §5",
)
_GRANT: Final = place(
    "grant",
    key(
        "access",
        one_of(read="the agent may read it", readwrite="the agent may read and write it"),
        "read, or readwrite",
        default="read",
    ),
    key("path", ref("paths"), "persistent path that the agent may use", required=True),
    title="a memory grant",
    lower=True,
    runs="platform",
    spec="09 §5",
)
_ON_RETURN: Final = place(
    "on_return",
    key(
        "action",
        one_of("continue: go on, or wait for the user", "resume_intent: route again with what came back"),
        "continue: go on, or wait; resume_intent: route again with what came back",
    ),
    key("handler", ref("handlers"), "entry of RETURN_HANDLERS that runs"),
    key("map", below("returned"), "fields of the returned state and the variables that receive them"),
    key(
        "resume_with",
        one_of(
            original_handoff_utterance="the message that led to the transfer",
            latest_child_user_utterance="the last message the other agent got",
            latest_session_user_utterance="the last message of the session",
            forwarded_return_message="what the other agent passes back",
        ),
        "which text is routed again",
        default="original_handoff_utterance",
    ),
    key("set", below("set") | list_of("set") | ref("assignment"), "assign variables, after map"),
    title="ON_RETURN",
    lower=True,
    spec="09 §5",
)
_RETURN_HANDLER: Final = place(
    "return_handler",
    key("RESPOND", TEMPLATE, "message to the user"),
    key("CLEAR", NAMES, "variables to forget"),
    key("CONTINUE", FLAG, "true: go on, or wait; not with RESUME_INTENT"),
    key("RESUME_INTENT", FLAG, "true: route again with what came back; not with CONTINUE"),
    spec="09 §5",
)

PLACES: Final[tuple[Place, ...]] = (
    _IDENTITY,
    _HANDOFF,
    _DELEGATE,
    _DELEGATE_FAILURE,
    _REMOTE,
    _REMOTE_AUTH,
    _CONTEXT,
    _HANDOFF_FAILURE,
    _HISTORY,
    _GRANT,
    _ON_RETURN,
    _RETURN_HANDLER,
)
