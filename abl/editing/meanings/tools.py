"""TOOLS: signatures, bindings and what surrounds a call (docs/spec 08)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.editing.meanings.common import Texts, texts

_PARAMETER: Final = texts("""
    description: what the parameter is, for the model
    required: false: may be left out; default true, unless there is a default
    default: value when none is given
    source: where the value comes from; default model
    value: path or expression that gives the value
    key: what is looked up in the table
    table: table of LOOKUP_TABLES that gives the value
    hidden: true: the model does not see it, it is still sent; default false
    visibility: who sees the parameter
    properties: fields of an object parameter
    items: what the items of a list are
""")
_REQUEST: Final = texts("""
    endpoint: required; URL or path; {param} is filled with the parameter
    method: required; HTTP method
    headers: headers of the request; {{config.X}} and {{_secret.X}} are filled in
    query_params: what is sent behind the ?; a map, or a list of key and value
    body_type: form of the body; default json
    body_template: template of the body; {{input.x}} is filled with the parameter
    body: template of the body; another spelling of body_template
""")
_TRIES: Final = texts("""
    timeout: longest duration of one call, in ms; default EXECUTION tool_timeout, else 30000
    retry: how often a failed call is tried again; integer
    retry_delay: pause between two tries, in ms
    retry_policy: how failed calls are tried again; wins over retry
    rate_limit: calls per second
    circuit_breaker: when calls stop for a while after failures
    auth: how the request proves who asks; default none
    auth_config: settings of auth; secrets are named, never written
""")

TOOLS: Final[Mapping[str, Texts]] = {
    "tools": _TRIES
    | texts("""
        file: tools from a .tools.abl file: "path" [names]; without names all
        base_url: put before relative endpoints of the tools in this file
        headers: headers that every request of this file sends
    """),
    "tool": _TRIES
    | texts("""
        NAME: name of the tool; required
        DESCRIPTION: what the tool does, for the model; default message tool_fallback_desc
        TYPE: how the tool is bound; without it the project's tool of this name is used
        PARAMETERS: more about the parameters of the signature, by name
        RETURNS: what a call gives back
        HINTS: what is known of the call, for planning
        SIDE_EFFECTS: true: a call changes something; short for hints.side_effects
        CONFIRM: when the user is asked before a call; short for confirmation.require
        CONFIRMATION: consent of the user before a call
        EFFECT: what a call may do to state; default by side_effects, type and method
        PROVIDES: fields for which the tool is the authoritative source
        AUTH_PROFILE: credentials of the project, by name
        TLS_PROFILE: certificates of the project, by name
        AUTH_JIT: true: credentials are asked for when they are needed
        CONSENT: when the user agrees to the use of an account: before the conversation or when needed
        CONNECTION: whose account is used: each user's own or a shared one
        ON_RESULT: what to set or do after a call that succeeded, before the branches of the caller
        ON_ERROR: what to set or do after a call that failed, before the branches of the caller
        PROCESS: expressions and conditions before and after the call
        STORE_RESULT: keep the raw result in the session; default true
        CONTEXT_ACCESS: paths of the session or memory that the call is given and may write
        COMPACTION: how the result is shortened in the history
        MODEL_CONTEXT: what later model calls see of the result
        PII_ACCESS: how personal data reaches the tool
        SCRUB_SECRETS: mask credentials in the output; default true
        RESULT_SECRETS: parts of the result that go to the secret vault: path -> key
        SECRET_ACCESS: secrets that the request may use
    """),
    "binding": _REQUEST
    | texts("""
        BODY_MODE: auto: the remaining parameters form the body; none: no body; default auto
        BODY_SCHEMA: JSON Schema of the body
        USE_BODY_SCHEMA: build the body by its schema; default false
        REQUEST_VARIANTS: requests by condition; the first that holds, else the default one
        IDEMPOTENCY_HEADER: header that marks a repeated request
        PROTOCOL: rest or soap; default rest
        SOAP_VERSION: default 1.1
        SOAP_ACTION: SOAPAction of the request
        SOAP_HEADERS: headers of the envelope, as JSON
        ON_SOAP_FAULT: whether a fault is an error or data
        WSDL_ASSET: WSDL file of the project that describes the service
        WSDL_ASSET_ID: id of the WSDL file
        WSDL_VERSION: version of the WSDL file
        WSDL_VERSION_ID: id of that version
        WSDL_OPERATION: operation of the WSDL that is called
        WSDL_SERVICE: service of the WSDL
        WSDL_PORT: port of the WSDL
        WSDL_BINDING: binding of the WSDL
        WSDL_TARGET_NAMESPACE: namespace of the operation
        WSDL_ELEMENT: element that holds the request
        WSDL_RESPONSE_ARRAYS: elements of the answer that are lists even with one item
        SERVER: required; name of the MCP server
        SERVER_TOOL: name of the tool on the server; default that of the tool
        RUNTIME: language of the code; required for sandbox
        CODE: the code; parameters are variables, the result object is returned
        MEMORY_MB: memory the code may use, in MB
        FUNCTION: required; name of the function
        CALLBACK_URL_FIELD: field that carries the callback URL; default callbackUrl
        TIMEOUT_SECONDS: longest wait for the callback, in seconds; default 3600
        WORKFLOW_ID: required; the workflow that runs
        WORKFLOW_VERSION: read and ignored
        TRIGGER_ID: read and ignored
        MODE: sync: wait for the result; async: get a handle; default sync
        TIMEOUT_MS: longest wait for the workflow, in ms
        PARAM_MAPPING: keys of the workflow and the parameters that fill them
        INDEX_ID: required; the index that is searched
        KB_NAME: name of the knowledge base
        SEARCH_INSTRUCTIONS: guidance for the search
        RETRIEVAL_PROFILE: how results are found
        TABLE: required; name of the table
        TABLE_NAME: name of the table; another spelling of table
        SCOPE: whose rows the table holds
        OPERATIONS: what a call may do; default get, query, count
        TABLES: tables to join, 8 at most
        QUERY_TEMPLATE: template of the query
    """),
    "parameter": _PARAMETER,
    "parameter_entry": _PARAMETER
    | texts("""
        name: name of the parameter; required
        type: type of the parameter
        fields: fields of an object parameter
    """),
    "returned_type": texts("""
        type: type of the value
        fields: fields of an object
        items: what the items of a list are
    """),
    "visibility": texts("""
        model: the model sees the parameter
        trace: the trace shows the value
    """),
    "hints": texts("""
        cacheable: the same arguments in a session give the same result, which is kept
        latency: how long a call takes
        side_effects: true: a call changes something
        requires_auth: a call needs a user who signed in
        timeout: longest duration of one call, in ms; wins over EXECUTION tool_timeout
    """),
    "confirmation": texts("""
        require: when the user is asked before a call; default never
        immutable_params: parameters that must not change between question and call
        consent_required_in: where the user may agree
        consent_scope: what the agreement covers
        consent_action: what the user agrees to, in words
        consent_fallback: what happens where consent cannot be had that way
    """),
    "retry_policy": texts("""
        strategy: required; how the pause grows
        initial_delay_ms: first pause, in ms
        multiplier: how much longer each pause is
        max_delay_ms: longest pause, in ms
        max_retries: how often a failed call is tried again
        jitter: whether pauses vary at random
    """),
    "circuit_breaker": texts("""
        threshold: failures in a row after which calls fail at once
        resetMs: after how many ms a call is tried again
    """),
    "auth_config": texts("""
        token_url: URL that gives tokens
        client_id: id of the client, as {{config.X}}
        client_secret: secret of the client, as {{_secret.X}}
        scopes: what the token allows
        header_name: header that carries the key
        provider: who signs the user in
        custom_headers: headers of a custom scheme
    """),
    "tool_outcome": texts("""
        set: assign variables; result or error is in scope
        do: actions in order; IF, WHEN and ELSE make branches
    """),
    "process": texts("""
        before: what happens to the arguments
        after: what happens to the result
    """),
    "before_call": texts("""
        params: new values of parameters: name and expression, from top to bottom
        require: conditions that must hold, else on_fail
        on_fail: what happens when something fails; default block
        use: transform of the project, by name
    """),
    "after_call": texts("""
        result: fields of the new result: name and expression over result
        on_fail: what happens when something fails; default block
    """),
    "context_access": texts("""
        read: paths that the call is given; each must be there
        write: paths that the call may write
    """),
    "tool_compaction": texts("""
        essential_fields: fields of the result that stay
        max_description_length: longest text that stays, in characters
        summary_timeout_ms: longest time for a summary, in ms
        max_search_tokens: tokens of search results that stay
    """),
    "model_context": texts("""
        fields: paths of the result that later model calls see; at most 64
        template: text that later model calls see in place of the result
    """),
    "secret_access": texts("""
        READ: keys of the vault, used as {{_secret.key}}
    """),
    "pair": texts("""
        key: name of the query parameter; may occur twice
        value: value of the query parameter
    """),
    "variant": _REQUEST
    | texts("""
        name: name of the variant, for the trace
        when: condition; the first variant that holds is sent
        default: true: sent when no condition holds
        endpoint: URL or path in place of that of the tool
        method: HTTP method in place of that of the tool
    """),
}
