"""EXECUTION: models, limits, history, pipeline (docs/spec 09 §2, §4)."""

from __future__ import annotations

from typing import Final

from abl.language.model import Place, key, place
from abl.language.types import (
    ANY,
    AT_LEAST_ONE,
    COUNT,
    FLAG,
    NUMBER,
    SHARE,
    TEXTS,
    WHOLE,
    below,
    one_of,
)

_EXECUTION: Final = place(
    "execution",
    key("model", ANY, "model that acts", default="that of the platform"),
    key("fallback_model", ANY, "model when the first fails"),
    key("temperature", SHARE, "how freely the model words its replies, 0 to 1"),
    key("top_p", SHARE, "share of likely words that is sampled from"),
    key("top_k", WHOLE, "number of likely words that is sampled from"),
    key("frequency_penalty", NUMBER, "against words that occurred often"),
    key("presence_penalty", NUMBER, "against words that occurred at all"),
    key("seed", WHOLE, "makes sampling repeatable; integer"),
    key("stop_sequences", TEXTS, "texts at which the model stops"),
    key("max_tokens", AT_LEAST_ONE, "longest reply of the model, in tokens"),
    key("thinking_budget", WHOLE, "tokens for thinking"),
    key("token_budget", WHOLE, "tokens for one turn", runs="platform"),
    key("tool_timeout", AT_LEAST_ONE, "longest tool call, in ms", default="30000", runs="executed"),
    key("llm_timeout", AT_LEAST_ONE, "longest model call, in ms", default="30000"),
    key(
        "session_idle_timeout",
        AT_LEAST_ONE,
        "silence after which the session ends, in ms",
        default="1800000",
        runs="platform",
    ),
    key(
        "max_reasoning_iterations",
        AT_LEAST_ONE,
        "rounds of tools in one turn of the model",
        default="10",
        runs="executed",
    ),
    key("max_flow_iterations", AT_LEAST_ONE, "steps in one turn", default="100", runs="executed"),
    key("max_queue_depth", COUNT, "messages that may wait", default="10", runs="platform"),
    key("max_concurrent_messages", AT_LEAST_ONE, "messages that are worked on at once", runs="platform"),
    key(
        "conversation_history_window",
        WHOLE,
        "messages of the history that the model sees",
        runs="executed",
    ),
    key(
        "compaction_threshold",
        SHARE,
        "fill of the context at which the history is shortened, 0 to 1",
        runs="platform",
    ),
    key("voice_latency_target", ANY, "longest silence in a call, in ms", runs="platform"),
    key("models", below("models"), "models by task"),
    key("reasoning_effort", one_of("none minimal low medium high xhigh max"), "how hard the model thinks"),
    key("verbosity", one_of("low medium high"), "how long its replies are"),
    key("enable_thinking", FLAG, "let the model think before it answers", default="false"),
    key(
        "inline_gather",
        FLAG,
        "the model asks for fields within the conversation",
        default="false",
        runs="executed",
    ),
    key(
        "concurrency",
        one_of(
            serial="they wait",
            preemptive="the new message stops the work on the old one",
            parallel="they are worked on side by side",
        ),
        "what happens to messages that come while one is worked on",
        default="serial",
        runs="platform",
    ),
    key("compaction", below("compaction"), "how the history is shortened", runs="platform"),
    key("voice", below("execution_voice"), "settings of calls", runs="platform"),
    key("max_iterations", AT_LEAST_ONE, offered=False, runs="executed"),
    key("pipeline", below("pipeline"), "quick routing before the model", default="off", runs="executed", spec="09 §4"),
    parsed=True,
    runs="simulated",
    spec="09 §2",
    code="ABL904",
)
_MODELS: Final = place(
    "models",
    key("extraction", ANY, "model that finds the values of fields"),
    key("validation", ANY, "model that judges values"),
    key("tool_selection", ANY, "model that chooses tools"),
    key("response_gen", ANY, "model that words replies"),
    key("summarization", ANY, "model that sums up"),
    key("reasoning", ANY, "model that acts"),
    key("realtime_voice", ANY, "model that speaks in calls"),
    key("coordination", ANY, "model that routes"),
    key("embedding", ANY, "model that compares meanings"),
    key("title", ANY, "model that names conversations"),
    runs="simulated",
    spec="09 §2",
)
_COMPACTION: Final = place(
    "compaction",
    key("tool_results", ANY, "how results of tools are shortened"),
    key("prior_turns", ANY, "how earlier turns are shortened"),
    key("prompt_context", ANY, "how the rest of the prompt is shortened"),
    runs="platform",
    spec="09 §2",
)
_EXECUTION_VOICE: Final = place(
    "execution_voice",
    key("coordinator_policy", ANY, "who speaks when several agents could"),
    runs="platform",
    spec="09 §2",
)
_PIPELINE: Final = place(
    "pipeline",
    key("enabled", FLAG, "whether the pipeline runs", default="false"),
    key(
        "mode",
        one_of(parallel="side by side", sequential="in order"),
        "whether its parts run side by side or in order",
        default="parallel",
        runs="platform",
    ),
    key("shortCircuit", below("short_circuit"), "route without the model when one intent is sure"),
    key("toolFilter", below("tool_filter"), "show the model only the tools that fit"),
    key("keywordVeto", below("keyword_veto"), "words that leave the decision to the model"),
    key("intentBridge", below("intent_bridge"), "how sure an intent must be"),
    key("model", offered=False),
    parsed=True,
    spec="09 §4",
    code="ABL904",
)
_SHORT_CIRCUIT: Final = place(
    "short_circuit",
    key("enabled", FLAG, "whether it counts", default="true"),
    key("confidenceThreshold", SHARE, "least confidence, 0 to 1", default="0.85"),
    spec="09 §4",
    code="ABL904",
)
_TOOL_FILTER: Final = place(
    "tool_filter",
    key("enabled", FLAG, "whether it counts", default="true"),
    key("maxTools", AT_LEAST_ONE, "most tools that the model is shown", default="6"),
    spec="09 §4",
    code="ABL904",
)
_KEYWORD_VETO: Final = place(
    "keyword_veto",
    key("enabled", FLAG, "whether it counts", default="true"),
    key("keywords", TEXTS, "the words", default="none"),
    spec="09 §4",
    code="ABL904",
)
_INTENT_BRIDGE: Final = place(
    "intent_bridge",
    key("enabled", FLAG, "whether it counts", default="true"),
    key("programmaticThreshold", SHARE, "confidence to route at once, 0 to 1", default="0.85"),
    key("guidedThreshold", SHARE, "confidence to hint at a route, 0 to 1", default="0.5"),
    key("outOfScopeDecline", FLAG, "tell the model to decline what no intent fits", default="true"),
    key("multiIntentSignal", FLAG, "tell the model of several intents", default="true"),
    spec="09 §4",
    code="ABL904",
)

PLACES: Final[tuple[Place, ...]] = (
    _EXECUTION,
    _MODELS,
    _COMPACTION,
    _EXECUTION_VOICE,
    _PIPELINE,
    _SHORT_CIRCUIT,
    _TOOL_FILTER,
    _KEYWORD_VETO,
    _INTENT_BRIDGE,
)
