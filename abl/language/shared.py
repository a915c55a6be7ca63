"""Types of values and groups of keys that several places share."""

from __future__ import annotations

from typing import Final

from abl.language.model import key, on_platform
from abl.language.types import (
    ANY,
    CONDITION,
    EXPRESSION,
    FLAG,
    NAMES,
    TEMPLATE,
    TEXT,
    TEXTS,
    below,
    by_name,
    list_of,
    one_of,
    prose,
    ref,
    with_words,
)

ON_FAIL: Final = ref(
    "on_fail",
    HANDOFF="transfer to an agent",
    ESCALATE="transfer to a human",
    BLOCK="stop; without a message unless a text follows",
    REDACT="acts as BLOCK; write that",
    RESPOND="send a message",
    GOTO="jump to a step",
    THEN="where to go next",
)
STRATEGY: Final = one_of(
    auto="the runtime picks",
    pattern="regexes and recognisers, no model",
    ml="an entity model",
    llm="the model",
    hybrid="patterns first, the model for the rest",
)
SENSITIVE_DISPLAY: Final = one_of(
    redact="shown as [REDACTED]",
    mask="shown with some characters hidden",
    replace="shown as the kind of data, such as [EMAIL]",
    slips={"hidden": "redact", "hide": "redact", "masked": "mask"},
)
TYPE: Final = one_of(
    string="the whole reply, as text",
    number="a number, grouped by the locale, or a number word",
    boolean="yes or no, in the words of the language",
    date="a date in figures or words, kept as YYYY-MM-DD",
    datetime="a date with a time, kept as ISO 8601",
    text="the whole reply, as text",
    free_text="the whole reply, as text",
    integer="a number without a fraction",
    float="a number",
    currency="an amount with symbol or code; the code goes to <field>_currency",
    email="an email address",
    phone="a phone number of 7 to 15 digits",
    enum="one of the allowed values, in any case",
    pattern="text that a regex finds",
    location="a place, looked up when a table is given",
)
AUTH: Final = one_of(
    none="no credential",
    bearer="a token in the Authorization header",
    api_key="a key in a header",
    oauth2_client="a token of the application",
    oauth2_user="a token of the user",
    custom="headers of one's own",
    also=("saml",),
)
PARAMETER_ENTRY_TYPE: Final = ref(
    "type",
    string="text",
    number="a number; there is no type of its own for whole numbers",
    boolean="true or false",
    date="calendar date, YYYY-MM-DD",
    datetime="date and time, ISO 8601",
    array="ordered list",
    object="record of names and values",
    text="the whole reply, as text",
    free_text="the whole reply, as text",
    integer="a number without a fraction",
    float="a number",
    currency="an amount with symbol or code; the code goes to <field>_currency",
    email="an email address",
    phone="a phone number of 7 to 15 digits",
    enum="one of the allowed values, in any case",
    pattern="text that a regex finds",
    location="a place, looked up when a table is given",
    default="any error that no other handler takes",
    llm_error="the model failed",
    tool_error="a tool failed",
    routing_error="a handoff or delegation failed",
    validation_error="a value did not fit",
    timeout_error="something took too long",
    unknown_error="an error of no other type",
)
CONFIRM: Final = one_of(
    always="ask before every call", never="never ask", when_side_effects="ask when the tool changes something"
)
METHOD: Final = one_of("GET HEAD OPTIONS POST PUT PATCH DELETE")
BODY_TYPE: Final = one_of("json form xml text")
EXPERIENCE_MODE: Final = one_of(
    shared_voice_handoff="the agents share one voice",
    visible_handoff="the user is told",
    silent_delegate="the user does not notice",
    human_escalation="a human takes over",
)
HISTORY: Final = one_of(
    full="the whole conversation", auto="a summary, else the last 5 messages", none="nothing", summary_only="a summary"
)
LOCATION: Final = one_of(local="in this project", remote="at an endpoint of another system", open=True)
PROTOCOL: Final = one_of(a2a="the agent-to-agent protocol", rest="plain HTTP requests")
SUBTYPE: Final = one_of(
    rate_limit="too many calls",
    auth_failure="the credentials were not accepted",
    network_error="the service could not be reached",
    tool_timeout="the call took too long",
    many=True,
)
ACTION: Final = one_of(
    block="stop it; the user gets `message`",
    warn="note it and go on",
    redact="mask what was found",
    escalate="a human takes over",
    fix="mend the text by fix_strategy",
    reask="ask the model again, max_reasks times",
    filter="remove what was found",
)

MESSAGE_KEY: Final = key("MESSAGE_KEY", ANY, "key of the message in the locale catalogue", runs="platform")
SHOWN_WHEN: Final = key("when", CONDITION, "condition; shown only while it holds")
ADAPTIVE: Final = key("adaptive", FLAG, "fit the layout to the device")
ICON: Final = key("iconUrl", ANY, "URL of a small picture")
FROM: Final = key("from", NAMES, "path of a list; one entry is made for each item")
VARIABLE_TYPE: Final = key(
    "TYPE",
    one_of(
        string="text",
        number="a number; there is no type of its own for whole numbers",
        boolean="true or false",
        date="calendar date, YYYY-MM-DD",
        datetime="date and time, ISO 8601",
        array="ordered list",
        object="record of names and values",
    ),
    "type of the value; values are not converted",
    code="ABL233",
)
PROCESS_ON_FAIL: Final = key(
    "on_fail",
    one_of(
        "block(: the call fails with this message",
        "reask(: the call fails and the model is asked again",
        "warn(: go on with what could be computed",
        "use_original: go on with what there was before",
        "fallback(: this message is the result",
    ),
    "what happens when something fails",
    default="block",
)
SENSITIVE: Final = key("SENSITIVE", FLAG, "personal data: masked wherever it is shown", default="false")
RESPOND: Final = key("RESPOND", below("respond") | TEMPLATE, "send a message; {{...}} is filled in")
SAY: Final = key("SAY", below("respond") | TEMPLATE, "send a message; another spelling of RESPOND")
ON_RETURN: Final = key(
    "ON_RETURN", below("on_return") | ref("returns"), "with DELEGATE: what happens with the result, behind RETURNS"
)
INTENT: Final = key(
    "INTENT", prose(ref("intents")), "the intent that the message must have, by its name", required=True
)
COMPLETE: Final = key("COMPLETE", FLAG, "true: the agent's work ends", alone=True)
MASK_CONFIG: Final = key("MASK_CONFIG", below("mask_config"), "what a mask leaves visible")
BARGE_IN: Final = key(
    "BARGE_IN",
    one_of(allow="the caller may speak while it plays", disallow="it plays to its end"),
    "whether the caller may speak while the message plays",
    code="ABL1073",
)
STREAMING: Final = key("STREAMING", FLAG, "send the speech while it is made", default="true")
"""Keys that several places have alike."""

VARIANTS: Final = (
    key("MARKDOWN", ANY, "the message as Markdown, for the web and Slack"),
    key("ADAPTIVE_CARD", ANY, "the message as Adaptive Card JSON, for mobile"),
    key("HTML", ANY, "the message as HTML, for the web"),
    key("SLACK", ANY, "the message as Slack blocks, JSON"),
    key("AG_UI", ANY, "the message as AG-UI JSON, for the web"),
    key("WHATSAPP", ANY, "the message as WhatsApp JSON"),
    key("CAROUSEL", below("carousel") | list_of("card"), "cards side by side"),
    key("QUICK_REPLIES", below("listed") | list_of("quick_reply"), "answers to tap"),
    key("LIST", below("shown_list"), "list of items"),
    key("IMAGE", below("media"), "an image"),
    key("VIDEO", below("media"), "a video"),
    key("AUDIO", below("media"), "a recording"),
    key("FILE", below("file"), "a file to download"),
    key("KPI", below("kpi"), "one figure"),
    key("TABLE", below("table"), "a table"),
    key("CHART", below("chart"), "a bar, line or pie chart"),
    key("FORM", below("form"), "a form to fill in"),
    key("PROGRESS", below("progress"), "how far something is"),
    key("FEEDBACK", below("feedback"), "question how good it was"),
)
"""Other forms of a message, by channel (09 §14)."""
PRESENTED: Final = (
    key("FORMATS", below("formats"), "other forms of the message, by channel; the plain text is always kept"),
    key("RICH_CONTENT", below("formats"), "other forms of the message, by channel; the same as FORMATS"),
    key("CAROUSEL", below("carousel") | list_of("card"), "cards shown side by side with the message"),
    key("VOICE", below("voice"), "how the message is spoken"),
    *on_platform(
        key("VOICE INSTRUCTIONS", TEXT, "tone and manner of the spoken message, for the speech model"),
        BARGE_IN,
        STREAMING,
    ),
    key("ACTIONS", below("actions") | list_of("element"), "buttons, selections and inputs below the message"),
)
"""How a message is shown and spoken."""
KEYED: Final = (
    *on_platform(key("MESSAGE_KEY", ANY, "key of the message in the locale catalogue")),
    key("MODEL_CONTEXT", TEXT, "text that later model calls see in place of the message; empty: nothing"),
)
"""What a message is beside its text."""
CALLS: Final = (
    key("CALL", below("call") | ref("tools"), "call a tool; failures go to ON_FAILURE or ON_ERROR"),
    key("WITH", below("with"), "arguments of the call: parameter and expression"),
    key("CALL_WITH", below("with"), "arguments of the call: parameter and expression", offered=False),
    key("AS", ref("result"), "variable that receives the result of the call"),
)
"""A call of a tool."""
CHANGES: Final = (
    key(
        "SET",
        below("set") | list_of("set") | ref("assignment"),
        "assign variables: name = expression, from top to bottom",
    ),
    key("CLEAR", NAMES, "remove variables from the session; afterwards they are not set"),
    key("LOG", prose(below("log")), "text for the trace; the user never sees it"),
    key("SET_INTERACTION_LANGUAGE", ANY, "language of the conversation from now on: a tag, a path or {{...}}"),
    key("CLEAR_INTERACTION_LANGUAGE", FLAG, "back to the agent's language; stands alone, or with true", alone=True),
)
"""What changes variables or the language of the conversation, or notes something."""
SAYS: Final = (
    RESPOND,
    SAY,
)
"""Messages."""
GOES: Final = (
    key(
        "THEN",
        with_words(
            COMPLETE="the flow ends and the agent's work is complete",
            ESCALATE='a human takes over; `with REASON: "..."` says why',
            HANDOFF="the flow ends and the named agent takes over",
        ),
        "where to go next: a step, COMPLETE, ESCALATE or HANDOFF",
    ),
    key("GOTO", ANY, "jump to a step; the same as THEN"),
)
"""Where to go next."""
MORE_GOES: Final = (
    key("TRANSFORM", below("transform"), "filter, map, sort and cut a list into a new one"),
    key("TRANSITION", ANY, "where to go next; another spelling of THEN"),
)
MOVES: Final = (
    key("HANDOFF", ref("agents"), "transfer the conversation to an agent"),
    key("DELEGATE", ref("agents"), "call another agent and go on with its result"),
    key(
        "RETURN",
        FLAG,
        "with DELEGATE: the agent gives control back afterwards, as it does anyway",
        runs="metadata",
        alone=True,
    ),
)
"""Other agents."""
RESULTS: Final = (
    key(
        "ON_SUCCESS",
        below("branch") | list_of("branch") | ref("steps"),
        "after the call succeeded, or the GATHER is complete: a step, one block or branches",
    ),
    key(
        "ON_FAILURE",
        below("branch")
        | list_of("branch")
        | ref("steps", CONTINUE="stay and go on", ESCALATE="a human takes over", RESPOND="send a message and stay"),
        "after the call failed, or a field failed too often: a step, one block or branches",
    ),
    key(
        "ON_RESULT",
        below("branch") | list_of("branch") | ref("steps"),
        "branches over the result; the first that holds runs",
    ),
)
"""Branches behind a call."""
PARAMETER: Final = (
    key("description", TEXT, "what the parameter is, for the model"),
    key("required", FLAG, "false: may be left out", default="true, unless there is a default"),
    key("default", ANY, "value when none is given"),
    key(
        "source",
        one_of(
            model="an argument of the call, or the model; the default",
            system="the path in value",
            runtime="the path in value",
            config="a variable of the project's configuration",
            auth="the credential store",
            expr="the expression in value",
            lookup="the table, by key",
        ),
        "where the value comes from",
        default="model",
        code="ABL838",
    ),
    key("value", EXPRESSION, "path or expression that gives the value"),
    key("key", EXPRESSION, "expression; its value is looked up in the table"),
    key("table", ref("lookups"), "table of LOOKUP_TABLES that gives the value"),
    key("hidden", FLAG, "true: the model does not see it, it is still sent", default="false"),
    key("visibility", below("visibility"), "who sees the parameter"),
    key("properties", by_name("parameter"), "fields of an object parameter", runs="metadata"),
)
"""A parameter of a tool (08 §4)."""
ELSEWHERE: Final = on_platform(
    key("REMOTE", below("remote"), "agent of another system: location, endpoint, protocol, auth"),
    key("LOCATION", LOCATION, "where the agent runs", default="local"),
    key("ENDPOINT", ANY, "URL of the agent; makes it remote"),
    key("PROTOCOL", PROTOCOL, "how the remote agent is spoken to"),
    key("AUTH", below("remote_auth"), "how the call of the remote agent proves who asks"),
    key("MEMORY_GRANTS", list_of("grant"), "persistent paths that the agent may use, with access"),
)
"""Agents of other systems (09 §5)."""
ROUTES: Final = (
    key("ROUTE_TO", ref("agents"), "agent that takes over", runs="executed"),
    key("ROUTE_TO_USER", ANY, "message to the user", runs="executed"),
    key("ROUTE_TO_VARIABLE", ref("names"), "variable that names the agent", runs="executed"),
    key("INTENT_MATCH", list_of("intent_match") | below("intent_match"), "agents by intent", runs="executed"),
    key("END_CONVERSATION", ANY, "the conversation ends", runs="executed"),
    key("SYSTEM_ACTION", ANY, "action of the platform"),
)
"""What a route of a supervisor does (09 §4)."""
RECOGNISED: Final = (
    key("VALUES", TEXTS, "allowed values"),
    key("SYNONYMS", ANY, "other words for the values"),
    key("PATTERN", ANY, "regex that finds the value"),
    key(
        "VALIDATION",
        with_words(
            min="the least value",
            max="the greatest value",
            enum="one of these values",
            email="an email address",
            pattern="a regex that the answer must fit",
        ),
        "rule that a value must fit",
    ),
    SENSITIVE,
)
"""How an entity is found (09 §10)."""
CARD: Final = (
    key("title", ANY, "first line", required=True),
    key("subtitle", ANY, "second line"),
    key("imageUrl", ANY, "URL of the picture"),
    key("defaultActionUrl", ANY, "URL that a tap opens"),
)
"""A card."""
SPEECH: Final = (
    key("provider", ANY, "who makes the speech"),
    key("voice_id", ANY, "the voice"),
    key("speed", ANY, "how fast it speaks"),
    key("pace", ANY, "how it pauses"),
    key("temperature", ANY, "how lively it speaks"),
    key("auto_tts_language_switch", FLAG, "speak each language in its own voice"),
)
"""How a voice speaks (docs/spec 09 §13)."""
