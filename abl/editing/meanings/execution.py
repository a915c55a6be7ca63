"""EXECUTION, GUARDRAILS and CONVERSATION (docs/spec 09 §2, §4, §11, §13)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.editing.meanings.common import Texts, texts

_SEVERE: Final = texts("""
    low: action for slight findings
    medium: action for moderate findings
    high: action for serious findings
    critical: action for the worst findings
""")

EXECUTION: Final[Mapping[str, Texts]] = {
    "execution": texts("""
        model: model that acts; default that of the platform
        fallback_model: model when the first fails
        models: models by task
        temperature: how freely the model words its replies, 0 to 1
        top_p: share of likely words that is sampled from
        top_k: number of likely words that is sampled from
        frequency_penalty: against words that occurred often
        presence_penalty: against words that occurred at all
        seed: makes sampling repeatable; integer
        stop_sequences: texts at which the model stops
        max_tokens: longest reply of the model, in tokens
        reasoning_effort: how hard the model thinks
        verbosity: how long its replies are
        enable_thinking: let the model think before it answers; default false
        thinking_budget: tokens for thinking
        token_budget: tokens for one turn
        tool_timeout: longest tool call, in ms; default 30000
        llm_timeout: longest model call, in ms; default 30000
        session_idle_timeout: silence after which the session ends, in ms; default 1800000
        max_reasoning_iterations: rounds of tools in one turn of the model; default 10
        max_flow_iterations: steps in one turn; default 100
        inline_gather: the model asks for fields within the conversation; default false
        concurrency: what happens to messages that come while one is worked on; default serial
        max_queue_depth: messages that may wait; default 10
        max_concurrent_messages: messages that are worked on at once
        conversation_history_window: messages of the history that the model sees
        compaction_threshold: fill of the context at which the history is shortened, 0 to 1
        compaction: how the history is shortened
        voice: settings of calls
        voice_latency_target: longest silence in a call, in ms
        pipeline: quick routing before the model; default off
    """),
    "models": texts("""
        extraction: model that finds the values of fields
        validation: model that judges values
        tool_selection: model that chooses tools
        response_gen: model that words replies
        summarization: model that sums up
        reasoning: model that acts
        realtime_voice: model that speaks in calls
        coordination: model that routes
        embedding: model that compares meanings
        title: model that names conversations
    """),
    "compaction": texts("""
        tool_results: how results of tools are shortened
        prior_turns: how earlier turns are shortened
        prompt_context: how the rest of the prompt is shortened
    """),
    "execution_voice": texts("""
        coordinator_policy: who speaks when several agents could
    """),
    "pipeline": texts("""
        enabled: default false
        mode: whether its parts run side by side or in order
        shortCircuit: route without the model when one intent is sure
        toolFilter: show the model only the tools that fit
        keywordVeto: words that leave the decision to the model
        intentBridge: how sure an intent must be
    """),
    "short_circuit": texts("""
        enabled: default true
        confidenceThreshold: least confidence, 0 to 1; default 0.85
    """),
    "tool_filter": texts("""
        enabled: default true
        maxTools: tools that the model is shown; default 6
    """),
    "keyword_veto": texts("""
        enabled: default true
        keywords: the words; default none
    """),
    "intent_bridge": texts("""
        enabled: default true
        programmaticThreshold: confidence to route at once, 0 to 1; default 0.85
        guidedThreshold: confidence to hint at a route, 0 to 1; default 0.5
        outOfScopeDecline: decline what no agent fits; default true
        multiIntentSignal: tell the model of several intents; default true
    """),
    "guardrail": texts("""
        kind: required; what is looked at
        check: expression over input, response or content that tells what is wrong
        provider: service that judges the text
        category: what the service looks for
        threshold: score at which the service's verdict counts, 0 to 1
        llm_check: question to a model that judges the text
        action: required; what happens when the guardrail fires
        message: what the user is told when it blocks
        priority: order of the guardrails, lower first; default 100
        severity_actions: actions by how serious the finding is
        fix_strategy: how the text is mended
        fix_expression: expression that gives the mended text, for custom
        max_reasks: how often the model is asked again; default 2
        filter_min_length: a text shorter than this after filtering is blocked
        streaming: judge the reply while it is made; default false
        streaming_interval: how often the reply is judged
    """),
    "severity_actions": _SEVERE,
    "conversation": texts("""
        speaking: how the agent speaks
        listening: how the agent listens
        interaction: how the agent leads the conversation
    """),
    "listening": texts("""
        on_no_input: what to do when the caller is silent
        on_caller_backchannel: what to do when the caller only says "mhm"
        on_hold: what to do when the caller is put on hold
        barge_in_continuation: how an interruption is put together
    """),
    "barge_in_continuation": texts("""
        window_ms: pause after which the caller is done, in ms, 300 to 2000
        max_hold_ms: longest wait for more, in ms, 500 to 8000
        max_merges: parts that are put together, 1 to 20
        max_chars: longest text that is put together, 1 to 20000
    """),
}
