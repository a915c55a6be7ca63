"""NLU, guardrails, attachments and CONVERSATION (docs/spec 09 §10-§13, §15)."""

from __future__ import annotations

from typing import Final

from abl.language.model import Place, key, place
from abl.language.shared import ACTION, RECOGNISED, SPEECH
from abl.language.types import (
    AMOUNT,
    ANY,
    COUNT,
    EXPRESSION,
    FLAG,
    SHARE,
    TEXT,
    TEXTS,
    WHOLE,
    Number,
    below,
    list_of,
    one_of,
    ref,
    refs,
)

_GUARDRAIL: Final = place(
    "guardrail",
    key(
        "kind",
        one_of(
            input="the user's message",
            output="the agent's reply",
            both="the user's message and the agent's reply",
            tool_input="arguments of a tool call",
            tool_output="result of a tool call",
            handoff="what is passed to another agent",
        ),
        "what is looked at",
        required=True,
        code="ABL1001",
        runs="executed",
    ),
    key(
        "check",
        ref("check"),
        "expression over input, response or content that tells what is wrong",
        required=True,
        runs="executed",
    ),
    key(
        "template",
        one_of(
            detect_instruction_override="the message asks to set the instructions aside",
            detect_role_manipulation="the message gives the agent another role",
            detect_system_prompt_extraction="the message asks for the instructions",
            detect_encoding_tricks="the message hides its words in codes",
            detect_credential_leak="the reply holds a key or password",
        ),
        "built-in guardrail; what is written beside it replaces what it has",
        runs="executed",
    ),
    key("provider", ANY, "service that judges the text"),
    key("category", ANY, "what the service looks for"),
    key("threshold", ANY, "score at which the service's verdict counts, 0 to 1"),
    key("llm_check", ANY, "question to a model that judges the text"),
    key("action", ACTION, "what happens when the guardrail fires", required=True, code="ABL1001", runs="executed"),
    key("message", TEXT, "what the user is told when it blocks", runs="executed"),
    key("priority", WHOLE, "order of the guardrails, lower first", default="100", runs="executed"),
    key("severity_actions", below("severity_actions"), "actions by how serious the finding is"),
    key(
        "fix_strategy",
        one_of(
            truncate="cut the text",
            strip_html="remove HTML",
            redact_pii="mask personal data",
            normalize="even out blanks and spelling of characters",
            custom="the value of fix_expression",
        ),
        "how the text is mended",
        code="ABL1004",
        runs="executed",
    ),
    key("fix_expression", EXPRESSION, "expression that gives the mended text, for custom", runs="executed"),
    key("max_reasks", COUNT, "how often the model is asked again", default="2", runs="executed"),
    key("filter_min_length", COUNT, "a text shorter than this after filtering is blocked", runs="executed"),
    key("streaming", FLAG, "judge the reply while it is made", default="false"),
    key("streaming_interval", one_of("token sentence chunk_size"), "how often the reply is judged"),
    key("msg", offered=False),
    misses=True,
    runs="platform",
    spec="09 §11",
)
_SEVERITY_ACTIONS: Final = place(
    "severity_actions",
    key("low", ACTION, "action for slight findings", code="ABL1001"),
    key("medium", ACTION, "action for moderate findings", code="ABL1001"),
    key("high", ACTION, "action for serious findings", code="ABL1001"),
    key("critical", ACTION, "action for the worst findings", code="ABL1001"),
    runs="platform",
    spec="09 §11",
)
_NLU: Final = place(
    "nlu",
    key("intents", list_of("nlu_intent"), "intents with patterns and examples", runs="executed"),
    key("categories", list_of("category"), "categories with patterns", runs="executed"),
    key("entities", list_of("nlu_entity"), "kinds of values that are found in messages", runs="executed"),
    key("glossary", TEXTS, 'terms of the trade: "term -- meaning"', runs="executed"),
    key("embeddings", below("embeddings"), "comparing meanings by vectors"),
    key("languages", TEXTS, "languages of the messages"),
    key("default_language", ANY, "language when none is found out"),
    key("allow_code_switching", FLAG, "one message may mix languages", default="false"),
    key("language_models", ANY, "models by language"),
    key("models", below("nlu_models"), "models by speed"),
    key("evaluation", below("evaluation"), "how well intents are found", runs="executed"),
    key("config_file", ANY, "file with these settings; what stands here wins"),
    title="NLU",
    runs="platform",
    spec="09 §10",
)
_NLU_INTENT: Final = place(
    "nlu_intent",
    key("NAME", ANY, "name of the intent", required=True),
    key("PATTERNS", TEXTS, "words that a message of the intent contains", required=True, code="ABL1022"),
    key("EXAMPLES", TEXTS, "messages of the intent", runs="executed"),
    key("EXAMPLES_FILE", ANY, "file with messages of the intent", runs="platform"),
    key("ENTITIES", refs("entities"), "entities that come with the intent", runs="platform"),
    title="an intent",
    spec="09 §10",
)
_CATEGORY: Final = place(
    "category",
    key("NAME", ANY, "name of the category", required=True, runs="executed"),
    key("PATTERNS", TEXTS, "words that a message of the category contains", runs="executed"),
    runs="platform",
    spec="09 §10",
)
_NLU_ENTITY: Final = place(
    "nlu_entity",
    key("NAME", ANY, "name of the entity", required=True),
    key(
        "TYPE",
        one_of(
            enum="one of the allowed values, in any case",
            pattern="text that a regex finds",
            location="a place, looked up when a table is given",
            date="a date in figures or words, kept as YYYY-MM-DD",
            number="a number, grouped by the locale, or a number word",
            free_text="the whole reply, as text",
        ),
        "kind of the value",
        default="enum",
        code="ABL1024",
    ),
    *RECOGNISED,
    title="an entity",
    spec="09 §10",
)
_NLU_MODELS: Final = place(
    "nlu_models",
    key("fast", ANY, "model for quick decisions"),
    key("balanced", ANY, "model for the others"),
    runs="platform",
    spec="09 §10",
)
_EMBEDDINGS: Final = place(
    "embeddings",
    key("enabled", FLAG, "compare meanings by vectors"),
    key("provider", ANY, "who computes the vectors"),
    key("model", ANY, "model that computes the vectors"),
    key("base_url", ANY, "URL of the provider"),
    key("threshold", SHARE, "least similarity, 0 to 1"),
    key("cache_ttl", ANY, "how long vectors are kept"),
    runs="platform",
    spec="09 §10",
)
_EVALUATION: Final = place(
    "evaluation",
    key("log_predictions", FLAG, "note each decision"),
    key("ab_test", FLAG, "compare two settings"),
    key("confidence_threshold", SHARE, "least confidence of an intent, 0 to 1", runs="executed"),
    title="evaluation",
    runs="platform",
    spec="09 §10",
)
_MULTI_INTENT: Final = place(
    "multi_intent",
    key("enabled", FLAG, "default true", runs="executed"),
    key(
        "strategy",
        one_of(
            primary_queue="the first now, the others after its reply",
            sequential="one after the other",
            parallel="side by side",
            disambiguate="ask the user which one",
            auto="by how the intents relate",
        ),
        "which intent comes first, and what happens to the others",
        default="primary_queue",
        runs="executed",
    ),
    key(
        "unknown_relationship_strategy",
        one_of(parallel="side by side", sequential="one after the other", disambiguate="ask the user which one"),
        "strategy when it is unclear how the intents relate",
        default="parallel",
    ),
    key("max_intents", Number(low=1, high=10), "intents taken from one message, 1 to 10", default="3", runs="executed"),
    key("confidence_threshold", SHARE, "least confidence of an intent, 0 to 1", default="0.6", runs="executed"),
    key(
        "queue_max_age_ms",
        Number(low=0, high=3_600_000),
        "how long an intent waits, in ms",
        default="600000",
        runs="executed",
    ),
    key(
        "advance_on_primary_response",
        FLAG,
        "the next intent follows the reply to the first",
        default="true",
        runs="executed",
    ),
    title="MULTI_INTENT",
    runs="platform",
    spec="09 §10",
    code="ABL944",
)
_INTENTS: Final = place(
    "intents",
    key(
        "LEXICAL_FALLBACK",
        one_of(
            never="intents are found by the model only",
            when_unavailable="by words when the model cannot be asked",
            always="by words too",
        ),
        "when intents are found by words instead of a model",
        runs="executed",
    ),
    others=ANY,
    title="INTENTS",
    free=True,
    runs="platform",
    spec="09 §10",
)
_ATTACHMENT: Final = place(
    "attachment",
    key("prompt", TEXT, "message that asks for the upload", required=True),
    key("category", one_of("document image audio video"), "kind of file", default="document", code="ABL1075"),
    key("required", FLAG, "the file must come", default="true"),
    key("max_file_size_mb", AMOUNT, "largest file, in MB"),
    key(
        "allowed_types",
        one_of("application audio font image message model multipart text video", many=True, open=True, head=True),
        "MIME types that are taken",
    ),
    key("ocr_enabled", FLAG, "read the text of images; name.extracted_text holds it"),
    key("transcription_enabled", FLAG, "write down what is said; name.transcript holds it"),
    key("key_frame_extraction", FLAG, "take pictures out of a video; name.keyframes holds them"),
    key("allowed_mime_types", offered=False),
    key("max_size_mb", offered=False),
    key("transcription", offered=False),
    runs="platform",
    spec="09 §15",
)
_CONVERSATION: Final = place(
    "conversation",
    key("speaking", below("speaking"), "how the agent speaks"),
    key("listening", below("listening"), "how the agent listens"),
    key("interaction", ANY, "how the agent leads the conversation"),
    title="CONVERSATION",
    runs="platform",
    spec="09 §13",
)
_SPEAKING: Final = place(
    "speaking",
    key("style", TEXT, "manner of speaking"),
    *SPEECH,
    runs="platform",
    spec="09 §13",
)
_LISTENING: Final = place(
    "listening",
    key("on_no_input", ANY, "what to do when the caller is silent"),
    key("on_caller_backchannel", ANY, 'what to do when the caller only says "mhm"'),
    key("on_hold", ANY, "what to do when the caller is put on hold"),
    key("barge_in_continuation", below("barge_in_continuation"), "how an interruption is put together"),
    runs="platform",
    spec="09 §13",
)
_BARGE_IN_CONTINUATION: Final = place(
    "barge_in_continuation",
    key(
        "window_ms",
        Number(low=300, high=2000, whole=False, unit="milliseconds"),
        "pause after which the caller is done, in ms, 300 to 2000",
        code="ABL1073",
    ),
    key(
        "max_hold_ms",
        Number(low=500, high=8000, whole=False, unit="milliseconds"),
        "longest wait for more, in ms, 500 to 8000",
        code="ABL1073",
    ),
    key("max_merges", Number(low=1, high=20, whole=False), "parts that are put together, 1 to 20", code="ABL1073"),
    key(
        "max_chars",
        Number(low=1, high=20000, whole=False),
        "longest text that is put together, 1 to 20000",
        code="ABL1073",
    ),
    runs="platform",
    spec="09 §13",
)

PLACES: Final[tuple[Place, ...]] = (
    _GUARDRAIL,
    _SEVERITY_ACTIONS,
    _NLU,
    _NLU_INTENT,
    _CATEGORY,
    _NLU_ENTITY,
    _NLU_MODELS,
    _EMBEDDINGS,
    _EVALUATION,
    _MULTI_INTENT,
    _INTENTS,
    _ATTACHMENT,
    _CONVERSATION,
    _SPEAKING,
    _LISTENING,
    _BARGE_IN_CONTINUATION,
)
