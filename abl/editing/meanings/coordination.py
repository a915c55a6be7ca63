"""HANDOFF, DELEGATE, ESCALATE, COMPLETE, ON_ERROR, ON_START and HOOKS (docs/spec 09 §5-9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.editing.meanings.common import ACTS, CALLS, CHANGES, PRESENTED, REPLY, RESPONSE, Texts, only, texts

_REMOTE: Final = texts("""
    LOCATION: where the agent runs; default local
    ENDPOINT: URL of the agent; makes it remote
    PROTOCOL: how the remote agent is spoken to
    AUTH: how the call of the remote agent proves who asks
""")
_GRANTS: Final = texts("""
    MEMORY_GRANTS: persistent paths that the agent may use, with access
""")
_CONTEXT: Final = texts("""
    pass: variables that the agent receives, by name
    summary: text that the agent receives; {{...}} is filled in
    history: how much of the conversation the agent receives; default full
    set: assign variables before the transfer
""")

COORDINATION: Final[Mapping[str, Texts]] = {
    "handoff": _REMOTE
    | _GRANTS
    | _CONTEXT
    | texts("""
        TO: required; agent that takes over
        WHEN: required; condition, or a quoted sentence for the model; true: always
        PRIORITY: order of the handoffs, lower first; default their position
        CONTEXT: what goes along: pass, summary, history, set
        EXPECT_RETURN: true: the agent gives control back when it is done; default false
        ON_RETURN: what happens when the agent gives control back; default continue
        ON_FAILURE: when the agent cannot take over; default message invalid_handoff, and stay
        EXPERIENCE_MODE: how the user notices the transfer
        REMOTE: agent of another system: location, endpoint, protocol, auth
        ASYNC: true: do not wait for the agent; default false
        ASYNC_TIMEOUT: how long an asynchronous agent may take, in seconds
        TIMEOUT: how long the agent may take, in seconds
        GRANT_MEMORY: removed; write MEMORY_GRANTS
    """),
    "delegate": _REMOTE
    | _GRANTS
    | texts("""
        AGENT: required; agent that is called
        WHEN: required; condition, or a quoted sentence for the model
        PURPOSE: required; why it is called, for the trace
        INPUT: required; what the agent receives: its name and an expression of ours
        RETURNS: required; fields of its result and the variables that receive them
        USE_RESULT: required; what the model is to do with the result
        TIMEOUT: how long it may take, such as "15s"
        EXPERIENCE_MODE: how the user notices the call
        ON_RETURN: what happens with the result
        ON_FAIL: what happens when the call fails
        FAILURE_MESSAGE: message for ON_FAIL: respond
        REMOTE: agent of another system: location, endpoint, protocol, auth
    """),
    "delegate_failure": texts("""
        type: what to do: retry
        count: how often; integer
    """),
    "remote": only(_REMOTE, "LOCATION ENDPOINT PROTOCOL AUTH")
    | texts("""
        timeout: longest wait for the remote agent
    """),
    "remote_auth": texts("""
        type: how the call proves who asks
        header: header that carries the credential
    """),
    "context": _CONTEXT | _GRANTS,
    "history": texts("""
        mode: last_n: the last messages only
        count: how many messages; integer
    """),
    "grant": texts("""
        path: persistent path that the agent may use
        access: read, or readwrite; default read
    """),
    "on_return": texts("""
        action: continue: go on, or wait; resume_intent: route again with what came back
        handler: entry of RETURN_HANDLERS that runs
        map: fields of the returned state and the variables that receive them
        resume_with: which text is routed again; default original_handoff_utterance
        set: assign variables, after map
    """),
    "return_handler": texts("""
        RESPOND: message to the user
        CLEAR: variables to forget
        CONTINUE: true: go on, or wait; not with RESUME_INTENT
        RESUME_INTENT: true: route again with what came back; not with CONTINUE
    """),
    "escalate": texts("""
        triggers: when a human takes over; the first that holds fires
        context_for_human: what the human sees: variables, or texts
        routing: who it goes to: one destination, or several with conditions
        on_human_complete: what happens when the human is done
        connector_action: action of the connector that hands over
    """),
    "trigger": texts("""
        WHEN: condition, or a quoted sentence for the model
        REASON: why, for the human; {{...}} is filled in
        PRIORITY: low, medium, high, critical, or an integer; default medium
        TAGS: labels for the human's desk
        SET: assign variables before the transfer
        GENESYS_SIP_HEADERS: SIP headers of a Genesys transfer
    """),
    "told": texts("""
        NAME: name of the entry
        TEMPLATE: text for the human; {{...}} is filled in
        INCLUDE: variables that are shown with it
    """),
    "destination": texts("""
        id: name of the destination, for the trace
        when: condition; the first entry that holds is taken, one without it is the default and stands last
        connection: connector that takes the transfer
        queue: queue of the connector
        skills: skills the human must have
        priority: priority in the queue
        named_agents: humans that are asked first
        named_agent_options: how those humans are tried
        agent_matching_conditions: what the human must match
        flow_policy_ref: entry of TRANSFER_FLOW_POLICIES
        flow_policy: policy of the transfer
        provider_config: settings of the connector
        metadata: values that go along
        genesys_sip_headers: SIP headers of a Genesys transfer
        post_agent: after the human: back to the agent, or the end
        sub_type: variant of the connector
        voice: how a call is transferred
    """),
    "transfer_voice": texts("""
        transfer_method: how the call is transferred
        call_transfer_type: where to: SIP, the phone network or custom tools
        sip_headers: SIP headers of the transfer
        sip_transfer_id: id of the transfer; only with sip
        custom_tools: 1 to 8 http tools that transfer; only with custom
    """),
    "human_done": texts("""
        IF: condition; human.* holds what the human left
        ELSE: for when no other entry holds; stands last
        SET: assign variables
        RESPOND: message to the user
        STORE: value -> path: what is stored, and where
        COMPLETE: the agent's work ends
        HANDOFF: transfer to an agent
        CONTINUE: the agent goes on
        THEN: what happens then
    """),
    "complete": only(CALLS | CHANGES, "AS CALL CLEAR LOG SET WITH")
    | RESPONSE
    | texts("""
        WHEN: condition that ends the agent's work; the first entry that holds is taken
        RESPOND: last message; {{...}} is filled in
        TERMINAL: false: say it and keep the session; default true
        STORE: collection, or value -> path: what is kept
    """),
    "on_error": texts("""
        default: any error that no other handler takes
        llm_error: the model failed
        tool_error: a tool failed; SUBTYPE narrows it
        routing_error: a handoff or delegation failed
        validation_error: a value did not fit too often, or had the wrong type
        timeout_error: something took too long
        unknown_error: an error of no other type
    """),
    "error_handler": only(PRESENTED | ACTS, "VOICE FORMATS ACTIONS RESPOND SET LOG")
    | texts("""
        TYPE: type of error that the handler takes
        SUBTYPE: narrows the type, such as tool_timeout
        SUBTYPES: several subtypes
        RETRY: how often it is tried again; integer
        RETRY_DELAY: pause before a retry, in ms; default 0
        RETRY_BACKOFF: how the pause grows; default fixed
        RETRY_MAX_DELAY: longest pause, in ms
        THEN: what happens then, no step name; default CONTINUE
        HANDOFF_TARGET: agent for THEN: HANDOFF
        BACKTRACK_TO: step for THEN: BACKTRACK
    """),
    "on_start": REPLY
    | ACTS
    | texts("""
        RESPOND: first message, unless a branch takes the start
        DELEGATE: agent to call before the first message
        BRANCHES: greetings by condition; the first that holds is said in place of RESPOND
        WHEN: below CALL: the call is made only while it holds
    """),
    "greeting": REPLY
    | texts("""
        IF: condition of the branch; the first that holds is said
        CONDITION: condition of the branch; another spelling of IF
        ELSE: for when no other branch holds; stands last
        RESPOND: message of the branch
    """),
    "hook_branch": REPLY
    | texts("""
        RESPOND: message of the branch
    """),
    "hooks": texts("""
        before_agent: when the agent is activated
        after_agent: when the agent completes or loses control
        before_turn: before a message is worked on
        after_turn: after the replies were sent
    """),
    "hook": REPLY
    | ACTS
    | texts("""
        WHEN: branch: a message only while it holds; below CALL: the call is made only while it holds
        BRANCHES: messages by condition; the first that holds is said
        DELEGATE: agent to call
        CRITICAL: true: a failure stops the turn; default false
        SET_INTERACTION_LANGUAGE: language of the conversation from now on: a tag, a path or {{...}}
        CLEAR_INTERACTION_LANGUAGE: true: back to the agent's language
    """),
}
