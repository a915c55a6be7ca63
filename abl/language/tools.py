"""TOOLS (docs/spec 08)."""

from __future__ import annotations

from typing import Final

from abl.language.model import Place, key, place
from abl.language.shared import AUTH, CONFIRM, PARAMETER, PARAMETER_ENTRY_TYPE, PROCESS_ON_FAIL
from abl.language.types import (
    AMOUNT,
    ANY,
    AT_LEAST_ONE,
    CONDITION,
    COUNT,
    FLAG,
    LIMIT_MS,
    MS,
    NAMES,
    SENTENCES,
    TEXT,
    TEXTS,
    below,
    by_name,
    list_of,
    one_of,
    prose,
    ref,
    refs,
)

_TOOLS: Final = place(
    "tools",
    key("file", ANY, 'tools from a .tools.abl file: "path" [names]; without names all', runs="simulated"),
    key("auth", AUTH, "how the request proves who asks", default="none", runs="simulated"),
    key("auth_config", below("auth_config"), "settings of auth; secrets are named, never written", runs="simulated"),
    key("base_url", ANY, "put before relative endpoints of the tools in this file", runs="simulated"),
    key(
        "circuit_breaker",
        below("circuit_breaker"),
        "when calls stop for a while after failures",
        runs="executed",
    ),
    key("headers", ANY, "headers that every request of this file sends", runs="simulated"),
    key("rate_limit", AMOUNT, "calls per second"),
    key("retry", COUNT, "how often a failed call is tried again; integer", runs="executed"),
    key("retry_delay", MS, "pause between two tries, in ms", runs="executed"),
    key("retry_policy", below("retry_policy"), "how failed calls are tried again; wins over retry", runs="executed"),
    key(
        "timeout",
        LIMIT_MS,
        "longest duration of one call, in ms",
        default="EXECUTION tool_timeout, else 30000",
        runs="executed",
    ),
    key("from", offered=False, runs="executed"),
    key("import", offered=False, runs="executed"),
    key("imports", offered=False, runs="executed"),
    key("use", offered=False, runs="executed"),
    key("name", offered=False, runs="executed"),
    others=below("tool"),
    title="TOOLS",
    runs="platform",
    spec="08 §9",
)
_PARAMETER_ENTRY: Final = place(
    "parameter_entry",
    key("name", ANY, "name of the parameter; required"),
    key("type", PARAMETER_ENTRY_TYPE, "type of the parameter"),
    *PARAMETER,
    key(
        "fields",
        list_of("parameter_entry") | by_name("parameter_entry"),
        "fields of an object parameter",
        runs="metadata",
    ),
    key("items", below("returned_type") | ref("type"), "what the items of a list are", runs="metadata"),
    spec="08 §4",
)
_RETURNED_TYPE: Final = place(
    "returned_type",
    key("type", PARAMETER_ENTRY_TYPE, "type of the value"),
    key("fields", list_of("parameter_entry") | by_name("parameter_entry"), "fields of an object"),
    key("items", below("returned_type") | ref("type"), "what the items of a list are"),
    free=True,
    spec="08 §1",
)
_TOOL: Final = place(
    "tool",
    key("AUTH", AUTH, "how the request proves who asks", default="none", runs="simulated"),
    key("AUTH_CONFIG", below("auth_config"), "settings of auth; secrets are named, never written", runs="simulated"),
    key("AUTH_JIT", FLAG, "true: credentials are asked for when they are needed", runs="platform"),
    key("AUTH_PROFILE", ANY, "credentials of the project, by name", runs="simulated"),
    key("CIRCUIT_BREAKER", below("circuit_breaker"), "when calls stop for a while after failures"),
    key("COMPACTION", below("tool_compaction"), "how the result is shortened in the history", runs="platform"),
    key("CONFIRM", CONFIRM, "when the user is asked before a call; short for confirmation.require"),
    key("CONFIRMATION", below("confirmation"), "consent of the user before a call"),
    key(
        "CONNECTION",
        one_of(per_user="each user's own account", shared="one account for all"),
        "whose account is used: each user's own or a shared one",
        runs="platform",
    ),
    key(
        "CONSENT",
        one_of(preflight="before the conversation starts", inline="when the tool is needed"),
        "when the user agrees to the use of an account: before the conversation or when needed",
        runs="platform",
    ),
    key(
        "CONTEXT_ACCESS",
        below("context_access"),
        "paths of the session or memory that the call is given and may write",
        runs="platform",
    ),
    key("DESCRIPTION", TEXT, "what the tool does, for the model", default="message tool_fallback_desc"),
    key(
        "EFFECT",
        one_of(
            read_only="changes nothing", state_write="changes the session only", side_effect="changes something outside"
        ),
        "what a call may do to state",
        default="by side_effects, type and method",
    ),
    key("HINTS", below("hints"), "what is known of the call, for planning"),
    key("MODEL_CONTEXT", prose(below("model_context")), "what later model calls see of the result", runs="platform"),
    key("NAME", ANY, "name of the tool; required"),
    key(
        "ON_ERROR",
        below("tool_outcome"),
        "what to set or do after a call that failed, before the branches of the caller",
    ),
    key(
        "ON_RESULT",
        below("tool_outcome"),
        "what to set or do after a call that succeeded, before the branches of the caller",
    ),
    key(
        "PARAMETERS",
        list_of("parameter_entry") | by_name("parameter"),
        "more about the parameters of the signature, by name",
    ),
    key("PII_ACCESS", one_of("original tools user logs llm"), "how personal data reaches the tool", runs="platform"),
    key("PROCESS", below("process"), "expressions and conditions before and after the call"),
    key("PROVIDES", refs("fields"), "fields for which the tool is the authoritative source"),
    key("RATE_LIMIT", AMOUNT, "calls per second", runs="platform"),
    key("RESULT_SECRETS", ANY, "parts of the result that go to the secret vault: path -> key", runs="platform"),
    key("RETRY", COUNT, "how often a failed call is tried again; integer"),
    key("RETRY_DELAY", MS, "pause between two tries, in ms"),
    key("RETRY_POLICY", below("retry_policy"), "how failed calls are tried again; wins over retry"),
    key("RETURNS", below("returned_type") | ref("type"), "what a call gives back"),
    key("SCRUB_SECRETS", FLAG, "mask credentials in the output", default="true", runs="platform"),
    key("SECRET_ACCESS", below("secret_access"), "secrets that the request may use", runs="platform"),
    key("SIDE_EFFECTS", FLAG, "true: a call changes something; short for hints.side_effects"),
    key("STORE_RESULT", FLAG, "keep the raw result in the session", default="true"),
    key("TIMEOUT", LIMIT_MS, "longest duration of one call, in ms", default="EXECUTION tool_timeout, else 30000"),
    key("TLS_PROFILE", ANY, "certificates of the project, by name", runs="simulated"),
    key(
        "TYPE",
        one_of(
            "http: an HTTP request",
            "mcp: a tool of an MCP server",
            "sandbox: code that runs in a sandbox",
            "lambda: a cloud function",
            "async_webhook: a request whose answer comes later",
            "workflow: a workflow of the platform",
            "searchai: a search in an index",
            "table: rows of a table",
        ),
        "how the tool is bound; without it the project's tool of this name is used",
        code="ABL810",
    ),
    title="a tool",
    lower=True,
    parsed=True,
    spec="08 §2",
)
_PARAMETER: Final = place(
    "parameter",
    *PARAMETER,
    key("items", below("parameter"), "what the items of a list are", runs="metadata"),
    title="a parameter",
    spec="08 §4",
)
_VISIBILITY: Final = place(
    "visibility",
    key("model", FLAG, "false: the model does not see the parameter, it is still sent", runs="executed"),
    key("trace", FLAG, "the trace shows the value"),
    runs="platform",
    spec="08 §4",
)
_HINTS: Final = place(
    "hints",
    key("cacheable", FLAG, "the same arguments in a session give the same result, which is kept"),
    key("latency", one_of("fast medium slow"), "how long a call takes", runs="metadata"),
    key("side_effects", FLAG, "true: a call changes something"),
    key("requires_auth", FLAG, "a call needs a user who signed in", runs="platform"),
    key("timeout", LIMIT_MS, "longest duration of one call, in ms; wins over EXECUTION tool_timeout"),
    title="hints",
    spec="08 §2",
)
_CONFIRMATION: Final = place(
    "confirmation",
    key("require", CONFIRM, "when the user is asked before a call", default="never"),
    key("immutable_params", refs("parameters"), "parameters that must not change between question and call"),
    key(
        "consent_required_in",
        one_of(
            conversation="a yes in the conversation is enough",
            explicit_prompt="the user must answer a question of its own",
        ),
        "where the user may agree",
        runs="platform",
    ),
    key("consent_scope", ANY, "what the agreement covers", runs="platform"),
    key("consent_action", ANY, "what the user agrees to, in words", runs="platform"),
    key(
        "consent_fallback",
        one_of(explicit_prompt="ask in a question of its own", block="do not make the call"),
        "what happens where consent cannot be had that way",
        runs="platform",
    ),
    spec="08 §6",
)
_RETRY_POLICY: Final = place(
    "retry_policy",
    key(
        "strategy",
        one_of(fixed="all pauses are the same", exponential="each pause is a multiple of the one before"),
        "how the pause grows",
        required=True,
    ),
    key("initial_delay_ms", MS, "first pause, in ms"),
    key("multiplier", AMOUNT, "how much longer each pause is", default="2"),
    key("max_delay_ms", MS, "longest pause, in ms"),
    key("max_retries", COUNT, "how often a failed call is tried again", default="retry, else 3"),
    key("jitter", one_of(none="pauses are exact", full="pauses vary at random"), "whether pauses vary at random"),
    spec="08 §2",
)
_CIRCUIT_BREAKER: Final = place(
    "circuit_breaker",
    key("threshold", AT_LEAST_ONE, "failures in a row after which calls fail at once", default="5"),
    key("resetMs", MS, "after how many ms a call is tried again", default="30000"),
    spec="08 §2",
)
_TOOL_OUTCOME: Final = place(
    "tool_outcome",
    key("set", below("set") | list_of("set") | ref("assignment"), "assign variables; result or error is in scope"),
    key("do", list_of("tool_action"), "actions in order; IF, WHEN and ELSE make branches"),
    title="the outcome of a tool",
    spec="08 §7",
)
_PROCESS: Final = place(
    "process",
    key("before", below("before_call"), "what happens to the arguments"),
    key("after", below("after_call"), "what happens to the result"),
    spec="08 §5",
)
_BEFORE_CALL: Final = place(
    "before_call",
    key("params", below("set"), "new values of parameters: name and expression, from top to bottom"),
    key("require", CONDITION | SENTENCES, "conditions that must hold, else on_fail"),
    PROCESS_ON_FAIL,
    key("use", ANY, "transform of the project, by name", runs="platform"),
    spec="08 §5",
)
_AFTER_CALL: Final = place(
    "after_call",
    key("result", below("set"), "fields of the new result: name and expression over result"),
    PROCESS_ON_FAIL,
    spec="08 §5",
)
_CONTEXT_ACCESS: Final = place(
    "context_access",
    key("read", NAMES, "paths that the call is given; each must be there"),
    key("write", NAMES, "paths that the call may write"),
    runs="platform",
    spec="08 §2",
)
_TOOL_COMPACTION: Final = place(
    "tool_compaction",
    key("essential_fields", TEXTS, "fields of the result that stay"),
    key("max_description_length", COUNT, "longest text that stays, in characters"),
    key("summary_timeout_ms", MS, "longest time for a summary, in ms"),
    key("max_search_tokens", COUNT, "tokens of search results that stay"),
    runs="platform",
    spec="08 §2",
)
_MODEL_CONTEXT: Final = place(
    "model_context",
    key("fields", TEXTS, "paths of the result that later model calls see; at most 64"),
    key("template", ANY, "text that later model calls see in place of the result"),
    runs="platform",
    spec="08 §2",
)
_SECRET_ACCESS: Final = place(
    "secret_access", key("READ", TEXTS, "keys of the vault, used as {{_secret.key}}"), runs="platform", spec="08 §2"
)

BINDING_NEEDS: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "http": (("ENDPOINT",), ("METHOD",)),
    "mcp": (("SERVER",),),
    "sandbox": (("RUNTIME",),),
    "lambda": (("FUNCTION",),),
    "async_webhook": (("ENDPOINT",), ("METHOD",)),
    "workflow": (("WORKFLOW_ID",),),
    "searchai": (("INDEX_ID",),),
    "table": (("TABLE", "TABLE_NAME"),),
}
"""What each binding requires, as the spellings of its keys (docs/spec 08 §3)."""
READ_ONLY_METHODS: Final = frozenset({"GET", "HEAD", "OPTIONS"})
READ_ONLY_OPERATIONS: Final = frozenset({"get", "query", "count"})
"""Methods of requests and operations on tables that change nothing (docs/spec 08 §6)."""

PLACES: Final[tuple[Place, ...]] = (
    _TOOLS,
    _PARAMETER_ENTRY,
    _RETURNED_TYPE,
    _TOOL,
    _PARAMETER,
    _VISIBILITY,
    _HINTS,
    _CONFIRMATION,
    _RETRY_POLICY,
    _CIRCUIT_BREAKER,
    _TOOL_OUTCOME,
    _PROCESS,
    _BEFORE_CALL,
    _AFTER_CALL,
    _CONTEXT_ACCESS,
    _TOOL_COMPACTION,
    _MODEL_CONTEXT,
    _SECRET_ACCESS,
)
