"""Closed words behind a key: ``place.KEY.word`` where a key means different things, else ``KEY.word``."""

from __future__ import annotations

from typing import Final


def _words(block: str) -> dict[str, str]:
    """Lines ``KEY.word: meaning``."""
    pairs = (line.strip().split(": ", 1) for line in block.splitlines() if line.strip())
    return dict(pairs)


_STATE: Final = _words("""
    RESET.per_session: set at session start, dropped at its end
    RESET.per_step: set back on entering each step
    RESET.per_activation: set back each time the agent is activated
    RESET.never: kept while the runtime runs, across sessions
    persistent.SCOPE.user: one value per authenticated user
    persistent.SCOPE.project: one value for all users
    persistent.SCOPE.execution_tree: one value per handoff tree; ends with it
    persistent.ACCESS.read: expressions may read it, nothing may write it
    persistent.ACCESS.write: remember and SET may write it, nothing may read it
    persistent.ACCESS.readwrite: may be read and written
    grant.ACCESS.read: the agent may read it
    grant.ACCESS.readwrite: the agent may read and write it
    recall.ACTION.inject_context: load PATHS as variables
    recall.ACTION.load_memory: load every fact of DOMAIN
    recall.ACTION.prompt_llm: give INSTRUCTION to the model
    ON.session:start: when the session starts
    ON.session:end: when the session ends
    ON.agent: agent:NAME:before or :after: when the agent is activated, or is done; * for any
    ON.step: step:enter:NAME or step:exit:NAME: when the step begins, or is left; * for any
    ON.tool: tool:NAME:after: when the tool was called; * for any
    ON.entity: entity:NAME:extracted: when the field has got a value
    ON.search:before: before a search tool runs
    OPERATION.overwrite: replace the value that is there
    OPERATION.set: replace the value that is there
    OPERATION.append: add the value to the list that is there
    SEVERITY.error: a failure stops and runs ON_FAIL
    SEVERITY.warning: a failure is noted and the work goes on
    ON_FAIL.HANDOFF: transfer to an agent
    ON_FAIL.ESCALATE: transfer to a human
    ON_FAIL.BLOCK: stop; without a message unless a text follows
    ON_FAIL.REDACT: acts as BLOCK; write that
    ON_FAIL.RESPOND: send a message
    ON_FAIL.GOTO: jump to a step
    ON_FAIL.THEN: where to go next
    on_fail.THEN.continue: go on without this rule in this pass
    on_fail.THEN.retry: judge the rule again
    SENSITIVE_DISPLAY.redact: shown as [REDACTED]
    SENSITIVE_DISPLAY.mask: shown with some characters hidden
    SENSITIVE_DISPLAY.replace: shown as the kind of data, such as [EMAIL]
    rule.BEFORE.calling: judged before the named tool is called
    rule.BEFORE.returning: judged before the reply is sent
    rule.BEFORE.results: judged before the reply is sent
""")

_TYPES: Final = _words("""
    TYPE.string: text
    TYPE.number: a number; there is no type of its own for whole numbers
    TYPE.boolean: true or false
    TYPE.date: calendar date, YYYY-MM-DD
    TYPE.datetime: date and time, ISO 8601
    TYPE.array: ordered list
    TYPE.object: record of names and values
    field.TYPE.string: the whole reply, as text
    field.TYPE.number: a number, grouped by the locale, or a number word
    field.TYPE.boolean: yes or no, in the words of the language
    field.TYPE.date: a date in figures or words, kept as YYYY-MM-DD
    field.TYPE.datetime: a date with a time, kept as ISO 8601
    TYPE.text: the whole reply, as text
    TYPE.free_text: the whole reply, as text
    TYPE.integer: a number without a fraction
    TYPE.float: a number
    TYPE.currency: an amount with symbol or code; the code goes to <field>_currency
    TYPE.email: an email address
    TYPE.phone: a phone number of 7 to 15 digits
    TYPE.enum: one of the allowed values, in any case
    TYPE.pattern: text that a regex finds
    TYPE.location: a place, looked up when a table is given
    validation.TYPE.pattern: rule is a regex
    validation.TYPE.range: rule is a range such as "1-10"
    validation.TYPE.enum: rule is a list of values
    validation.TYPE.custom: rule is an expression
    validation.TYPE.llm: rule is a sentence for a model
    tool.TYPE.http: an HTTP request
    tool.TYPE.mcp: a tool of an MCP server
    tool.TYPE.sandbox: code that runs in a sandbox
    tool.TYPE.lambda: a cloud function
    tool.TYPE.async_webhook: a request whose answer comes later
    tool.TYPE.workflow: a workflow of the platform
    tool.TYPE.searchai: a search in an index
    tool.TYPE.table: rows of a table
    element.TYPE.button: a button; a click is an event
    element.TYPE.select: a choice of options
    element.TYPE.input: a line to type in
    chart.TYPE.bar: bars side by side
    chart.TYPE.line: values along a line
    chart.TYPE.pie: shares of a whole
    feedback.TYPE.thumbs: thumb up or down
    feedback.TYPE.star: stars
    feedback.TYPE.scale: numbers up to max
    delegate_failure.TYPE.retry: call the agent again
    TYPE.default: any error that no other handler takes
    TYPE.llm_error: the model failed
    TYPE.tool_error: a tool failed
    TYPE.routing_error: a handoff or delegation failed
    TYPE.validation_error: a value did not fit
    TYPE.timeout_error: something took too long
    TYPE.unknown_error: an error of no other type
    AUTH.none: no credential
    AUTH.bearer: a token in the Authorization header
    AUTH.api_key: a key in a header
    AUTH.oauth2_client: a token of the application
    AUTH.oauth2_user: a token of the user
    AUTH.custom: headers of one's own
    remote_auth.TYPE.none: no credential
    remote_auth.TYPE.bearer: a token in the Authorization header
    remote_auth.TYPE.api_key: a key in a header
    remote_auth.TYPE.oauth2_client: a token of the application
    remote_auth.TYPE.oauth2_user: a token of the user
    remote_auth.TYPE.custom: headers of one's own
""")

_FLOW: Final = _words("""
    THEN.COMPLETE: the flow ends and the agent's work is complete
    THEN.ESCALATE: a human takes over; `with REASON: "..."` says why
    THEN.HANDOFF: the flow ends and the named agent takes over
    error_handler.THEN.CONTINUE: go on behind what failed
    error_handler.THEN.COMPLETE: the agent's work is complete
    error_handler.THEN.RETRY_STEP: run the step again from its top
    error_handler.THEN.BACKTRACK: go to the step of BACKTRACK_TO
    human_done.THEN.CONTINUE: the agent goes on
    human_done.THEN.RESPOND: send a message
    ON_FAILURE.CONTINUE: stay and go on
    ON_FAILURE.ESCALATE: a human takes over
    ON_FAILURE.RESPOND: send a message and stay
    delegate.ON_FAIL.respond: send FAILURE_MESSAGE
    delegate.ON_FAIL.continue: go on without a result
    delegate.ON_FAIL.escalate: a human takes over
    delegate.ON_FAIL.retry: call the agent again
    LEVEL.debug: for the author only
    LEVEL.info: worth knowing
    LEVEL.warn: looks wrong
    LEVEL.error: is wrong
    BARGE_IN.allow: the caller may speak while it plays
    BARGE_IN.disallow: it plays to its end
    STRATEGY.auto: the runtime picks
    STRATEGY.pattern: regexes and recognisers, no model
    STRATEGY.ml: an entity model
    STRATEGY.llm: the model
    STRATEGY.hybrid: patterns first, the model for the rest
    SATISFIED_BY.user_input: what the user says
    SATISFIED_BY.authoritative_tool: a tool whose provides names the field
    SATISFIED_BY.system: SET and other assignments
    PROMPT_MODE.ask: the question is asked
    PROMPT_MODE.extract_only: the question is never shown
    ACTIVATION.required: takes part from the start
    ACTIVATION.optional: never asked for, blocks nothing
    ACTIVATION.progressive: joins when the fields of depends_on have values
    field.required: must have a value before collecting is complete
    field.optional: never asked for; filled when the user mentions it
    TEMPORAL.future: from today on
    TEMPORAL.past: up to today
    TEMPORAL.any: any date
    VALIDATION_PROCESS.REGEX: the rule is a regex
    VALIDATION_PROCESS.CODE: the rule is an expression
    VALIDATION_PROCESS.LLM: the rule is a sentence for a model
    field.VALIDATE.min: the least value
    field.VALIDATE.max: the greatest value
    field.VALIDATE.enum: one of these values
    field.VALIDATE.email: an email address
    field.VALIDATE.pattern: a regex that the answer must fit
    SORT_BY.asc: smallest first
    SORT_BY.desc: greatest first
    secure_input.MODE.dtmf: keys of the phone
    secure_input.MODE.speech: spoken digits
    lookup.SOURCE.inline: values that stand here
    lookup.SOURCE.collection: a collection of the platform
    lookup.SOURCE.api: an endpoint that is asked
    SUBTYPE.rate_limit: too many calls
    SUBTYPE.auth_failure: the credentials were not accepted
    SUBTYPE.network_error: the service could not be reached
    SUBTYPE.tool_timeout: the call took too long
""")

_TOOLS: Final = _words("""
    SOURCE.model: an argument of the call, or the model; the default
    SOURCE.system: the path in value
    SOURCE.runtime: the path in value
    SOURCE.config: a variable of the project's configuration
    SOURCE.auth: the credential store
    SOURCE.expr: the expression in value
    SOURCE.lookup: the table, by key
    state_variable.SOURCE.system: the runtime
    state_variable.SOURCE.user: the user
    state_variable.SOURCE.agent: an agent
    state_variable.SOURCE.computed: an expression
    EFFECT.read_only: changes nothing
    EFFECT.state_write: changes the session only
    EFFECT.side_effect: changes something outside
    confirmation.REQUIRE.always: ask before every call
    confirmation.REQUIRE.never: never ask
    confirmation.REQUIRE.when_side_effects: ask when the tool changes something
    CONFIRM.always: ask before every call
    CONFIRM.never: never ask
    CONFIRM.when_side_effects: ask when the tool changes something
    CONSENT_REQUIRED_IN.conversation: a yes in the conversation is enough
    CONSENT_REQUIRED_IN.explicit_prompt: the user must answer a question of its own
    CONSENT_FALLBACK.explicit_prompt: ask in a question of its own
    CONSENT_FALLBACK.block: do not make the call
    BODY_MODE.auto: the remaining parameters form the body
    BODY_MODE.none: no body
    PROTOCOL.rest: plain HTTP requests
    PROTOCOL.soap: SOAP envelopes
    PROTOCOL.a2a: the agent-to-agent protocol
    LOCATION.local: in this project
    LOCATION.remote: at an endpoint of another system
    retry_policy.STRATEGY.fixed: all pauses are the same
    retry_policy.STRATEGY.exponential: each pause is a multiple of the one before
    RETRY_BACKOFF.fixed: all pauses are the same
    RETRY_BACKOFF.linear: pause n is n times the first
    RETRY_BACKOFF.exponential: each pause is twice the one before
    JITTER.none: pauses are exact
    JITTER.full: pauses vary at random
    binding.SCOPE.project: one set of rows for all
    binding.SCOPE.end_user: rows of the user
    binding.SCOPE.session: rows of the session
    binding.MODE.sync: wait for the result
    binding.MODE.async: get a handle; the result comes later
    process.ON_FAIL.block: the call fails with this message
    process.ON_FAIL.reask: the call fails and the model is asked again
    process.ON_FAIL.warn: go on with what could be computed
    process.ON_FAIL.use_original: go on with what there was before
    process.ON_FAIL.fallback: this message is the result
    ON_SOAP_FAULT.error: a fault is a failed call
    ON_SOAP_FAULT.data: a fault is a result
    CONNECTION.per_user: each user's own account
    CONNECTION.shared: one account for all
    CONSENT.preflight: before the conversation starts
    CONSENT.inline: when the tool is needed
""")

_AGENTS: Final = _words("""
    HISTORY.full: the whole conversation
    HISTORY.auto: a summary, else the last 5 messages
    HISTORY.none: nothing
    HISTORY.summary_only: a summary
    on_return.ACTION.continue: go on, or wait for the user
    on_return.ACTION.resume_intent: route again with what came back
    RESUME_WITH.original_handoff_utterance: the message that led to the transfer
    RESUME_WITH.latest_child_user_utterance: the last message the other agent got
    RESUME_WITH.latest_session_user_utterance: the last message of the session
    RESUME_WITH.forwarded_return_message: what the other agent passes back
    EXPERIENCE_MODE.shared_voice_handoff: the agents share one voice
    EXPERIENCE_MODE.visible_handoff: the user is told
    EXPERIENCE_MODE.silent_delegate: the user does not notice
    EXPERIENCE_MODE.human_escalation: a human takes over
    ROLE.router: never answers itself; needs a HANDOFF
    ROLE.orchestrator: answers itself and may delegate
    ROLE.assistant: a leaf that answers; not for a supervisor
    guardrail.KIND.input: the user's message
    guardrail.KIND.output: the agent's reply
    guardrail.KIND.both: the user's message and the agent's reply
    guardrail.KIND.tool_input: arguments of a tool call
    guardrail.KIND.tool_output: result of a tool call
    guardrail.KIND.handoff: what is passed to another agent
    ACTION.block: stop it; the user gets `message`
    ACTION.warn: note it and go on
    ACTION.redact: mask what was found
    ACTION.escalate: a human takes over
    ACTION.fix: mend the text by fix_strategy
    ACTION.reask: ask the model again, max_reasks times
    ACTION.filter: remove what was found
    FIX_STRATEGY.truncate: cut the text
    FIX_STRATEGY.strip_html: remove HTML
    FIX_STRATEGY.redact_pii: mask personal data
    FIX_STRATEGY.normalize: even out blanks and spelling of characters
    FIX_STRATEGY.custom: the value of fix_expression
    CONCURRENCY.serial: they wait
    CONCURRENCY.preemptive: the new message stops the work on the old one
    CONCURRENCY.parallel: they are worked on side by side
    multi_intent.STRATEGY.primary_queue: the first now, the others after its reply
    multi_intent.STRATEGY.sequential: one after the other
    multi_intent.STRATEGY.parallel: side by side
    multi_intent.STRATEGY.disambiguate: ask the user which one
    multi_intent.STRATEGY.auto: by how the intents relate
    UNKNOWN_RELATIONSHIP_STRATEGY.sequential: one after the other
    UNKNOWN_RELATIONSHIP_STRATEGY.parallel: side by side
    UNKNOWN_RELATIONSHIP_STRATEGY.disambiguate: ask the user which one
    LEXICAL_FALLBACK.never: intents are found by the model only
    LEXICAL_FALLBACK.when_unavailable: by words when the model cannot be asked
    LEXICAL_FALLBACK.always: by words too
    POST_AGENT.return: back to the agent
    POST_AGENT.end: the conversation ends
    TRANSFER_METHOD.invite: by a new call
    TRANSFER_METHOD.refer: by handing the call over
    TRANSFER_METHOD.bye: by ending the call
    VALIDATION_STYLE.lenient: take what can be understood
    VALIDATION_STYLE.strict: take only what fits exactly
    CONFIRMATION.always: each value
    CONFIRMATION.never: none
    CONFIRMATION.on_change: values that replace others
    pipeline.MODE.parallel: side by side
    pipeline.MODE.sequential: in order
    TREND.up: it rises
    TREND.down: it falls
    TREND.flat: it stays
""")

WORDS: Final = {**_STATE, **_TYPES, **_FLOW, **_TOOLS, **_AGENTS}
