"""Places of the sections between agents, of understanding, of what is shown, and of profiles (docs/spec 09)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.analysis.shape_words import AUTHS, ERROR_TYPES, GATHER_TYPES, KEYS, METHODS
from abl.analysis.shapes_common import ACTS, FLAG, PRESENTED, RESPONSE, Shape, any_of, place_of
from abl.syntax import vocabulary
from abl.syntax.vocabulary import words

_REMOTE: Final = {
    "REMOTE": "remote", "LOCATION": "local|remote", "ENDPOINT": "", "PROTOCOL": "a2a|rest", "AUTH": "remote_auth",
}  # fmt: skip
_GREETED: Final = {key: value for key, value in RESPONSE.items() if key != "MODEL_CONTEXT"}
_ROUTE_KEYS: Final = (
    "connection queue skills priority named_agents named_agent_options agent_matching_conditions flow_policy_ref"
    " flow_policy provider_config metadata genesys_sip_headers"
)

COORDINATION: Final[Mapping[str, Shape]] = {
    "identity": {"role": "", "persona": "", "expertise": "", "limitations": ""},
    "handoff": place_of(
        vocabulary.HANDOFF_KEYS,
        {
            **_REMOTE, "TO": "<agents>", "CONTEXT": "context", "PASS": "<names>", "SET": "set [set] <assignment>",
            "MEMORY_GRANTS": "[grant]", "ON_RETURN": "on_return <returns>", "ON_FAILURE": "CONTINUE|ESCALATE|RESPOND",
            "ASYNC": FLAG,
        },
    ),
    "delegate": place_of(
        KEYS["delegate"] | words("REMOTE LOCATION ENDPOINT PROTOCOL AUTH"),
        {
            **_REMOTE, "AGENT": "<agents>", "INPUT": "input", "PASS": "input", "RETURNS": "returned",
            "MEMORY_GRANTS": "[grant]", "ON_RETURN": "on_return <returns>", "ON_FAIL": "delegate_failure",
            "EXPERIENCE_MODE": "shared_voice_handoff|visible_handoff|silent_delegate|human_escalation",
        },
    ),
    "delegate_failure": {"type": "retry", "count": ""},
    "remote": {
        "location": "local|remote", "endpoint": "", "protocol": "a2a|rest", "auth": "remote_auth", "timeout": "",
    },
    "remote_auth": {"type": any_of(AUTHS), "header": ""},
    "context": {
        "history": "history", "memory_grants": "[grant]", "pass": "<names>", "set": "set [set] <assignment>",
        "summary": "",
    },
    "history": {"mode": "last_n", "count": ""},
    "grant": {"access": "read|readwrite", "path": "<paths>"},
    "on_return": {
        "action": "", "handler": "<handlers>", "map": "returned", "resume_with": "", "set": "set [set] <assignment>",
    },
    "return_handler": {"RESPOND": "<template>", "CLEAR": "<names>", "CONTINUE": FLAG, "RESUME_INTENT": FLAG},
    "escalate": {
        "triggers": "[trigger]", "context_for_human": "[told] <names>", "routing": "destination [destination]",
        "on_human_complete": "[human_done]", "connector_action": "",
    },
    "trigger": {
        "WHEN": "<condition>", "REASON": "", "PRIORITY": "low|medium|high|critical", "TAGS": "",
        "SET": "set [set] <assignment>", "GENESYS_SIP_HEADERS": "",
    },
    "told": {"NAME": "<names>", "TEMPLATE": "", "INCLUDE": "<names>"},
    "destination": {
        "id": "", "when": "<condition>", **dict.fromkeys(_ROUTE_KEYS.split(), ""), "post_agent": "return|end",
        "sub_type": "",
        "flow_policy_ref": "<policies>", "flow_policy": "<policies>", "voice": "transfer_voice",
    },
    "transfer_voice": {
        "transfer_method": "invite|refer|bye", "call_transfer_type": "sip|pstn|custom", "sip_headers": "",
        "sip_transfer_id": "", "custom_tools": "<tools>",
    },
    "human_done": {
        "IF": "<condition>", "ELSE": "", "SET": "set [set] <assignment>", "RESPOND": "<template>", "STORE": "<store>",
        "COMPLETE": "",
        "HANDOFF": "<agents>", "CONTINUE": "", "THEN": "COMPLETE|CONTINUE|HANDOFF|RESPOND",
    },
    "complete": place_of(
        vocabulary.COMPLETION_KEYS, {**PRESENTED, **ACTS, "TERMINAL": FLAG, "STORE": "<store>"}
    ),
    "on_error": {**dict.fromkeys(ERROR_TYPES, "error_handler <error_action>"), "*": "error_handler <error_action>"},
    "error_handler": place_of(
        KEYS["error_handler"],
        {
            **PRESENTED, "SET": "set [set] <assignment>", "LOG": "log", "RESPOND": "respond <template>",
            "HANDOFF_TARGET": "<agents>", "BACKTRACK_TO": "<steps>",
            "SUBTYPE": "rate_limit|auth_failure|network_error|tool_timeout",
            "SUBTYPES": "rate_limit|auth_failure|network_error|tool_timeout",
        },
    ),
    "on_start": place_of(
        vocabulary.ON_START_KEYS, {**PRESENTED, **ACTS, "DELEGATE": "<agents>", "BRANCHES": "[greeting]"}
    ),
    "greeting": {"IF": "", "CONDITION": "", "ELSE": "greeting", "RESPOND": "respond <template>", **_GREETED},
    "hook_branch": {"RESPOND": "respond <template>", **_GREETED},
    "hooks": dict.fromkeys(vocabulary.HOOKS, "hook"),
    "hook": place_of(
        vocabulary.HOOK_KEYS, {**PRESENTED, **ACTS, "WHEN": "hook_branch <condition>", "CRITICAL": FLAG,
        "CLEAR_INTERACTION_LANGUAGE": FLAG, "BRANCHES": "[greeting]"}
    ),
    "messages": dict.fromkeys(
        (
            *vocabulary.MESSAGE_KEYS, "multi_intent_disambiguate_header", "multi_intent_disambiguate_option",
            "multi_intent_queued_notice", "multi_intent_queued_follow_up", "handoff_message", "routing_message",
            "greeting",
            "out_of_scope",
        ),
        "",
    ),
    "behavior": {"role": "router|orchestrator|assistant"},
    "member": {
        "REF": "", "ALIAS": "", "CAPABILITIES": "", "CHANNELS": "", "REQUIRES_VALIDATION": FLAG,
    },
    "routing": {
        "NAME": "", "DESCRIPTION": "", "PRIORITY": "", "WHEN": "<condition>", "THEN": "routed <route>",
        "FLAGS": "set_active|silent|no_log|priority_boost", "CONSTRAINTS": "route_limits", "ROUTE_TO": "<agents>",
        "ROUTE_TO_USER": "", "ROUTE_TO_VARIABLE": "<names>", "INTENT_MATCH": "[intent_match]", "END_CONVERSATION": "",
        "SYSTEM_ACTION": "", "FALLBACK": "<route>",
    },
    "routed": {
        "ROUTE_TO": "<agents>", "ROUTE_TO_USER": "", "ROUTE_TO_VARIABLE": "<names>", "INTENT_MATCH": "[intent_match]",
        "END_CONVERSATION": "", "SYSTEM_ACTION": "",
    },
    "intent_match": {"INTENTS": "<intents>", "ACTION": "<route>", "FALLBACK": "<route>"},
    "route_limits": {"channels": "", "requiresState": "<names>", "ignoreIntents": "<intents>"},
    "state": {"*": "state_variable"},
    "state_variable": {
        "type": any_of(vocabulary.MEMORY_TYPES), "required": FLAG, "default": "", "description": "",
        "source": "system|user|agent|computed", "updatedBy": "<agents>",
    },
    "policy": {"NAME": "", "DESCRIPTION": "", "RULES": "policy_rules [policy_rules]"},
    "policy_rules": {"allowedWhen": "<condition>", "forbiddenWhen": "<condition>", "triggerSignal": "", "behavior": ""},
    "communication": {
        "language": "", "formality": "formal|informal|neutral", "constraints": "", "pronouns": "pronouns",
        "vocabulary": "preferred_words",
    },
    "pronouns": {"use": "", "avoid": ""},
    "preferred_words": {"prefer": "", "avoid": ""},
    "free": {},
}  # fmt: skip

_MODELS: Final = (
    "extraction validation tool_selection response_gen summarization reasoning realtime_voice coordination embedding"
    " title"
)
_SAMPLING: Final = (
    "model fallback_model temperature top_p top_k frequency_penalty presence_penalty seed stop_sequences max_tokens"
    " thinking_budget token_budget tool_timeout llm_timeout session_idle_timeout max_reasoning_iterations"
    " max_flow_iterations max_queue_depth max_concurrent_messages conversation_history_window compaction_threshold"
    " voice_latency_target"
)

UNDERSTANDING: Final[Mapping[str, Shape]] = {
    "execution": {
        **dict.fromkeys(_SAMPLING.split(), ""), "models": "models",
        "reasoning_effort": "none|minimal|low|medium|high|xhigh|max", "verbosity": "low|medium|high",
        "enable_thinking": FLAG, "inline_gather": FLAG, "concurrency": "serial|preemptive|parallel",
        "compaction": "compaction", "voice": "execution_voice", "pipeline": "pipeline",
    },
    "models": dict.fromkeys(_MODELS.split(), ""),
    "compaction": {"tool_results": "", "prior_turns": "", "prompt_context": ""},
    "execution_voice": {"coordinator_policy": ""},
    "pipeline": {
        "enabled": FLAG, "mode": "parallel|sequential", "shortCircuit": "short_circuit", "toolFilter": "tool_filter",
        "keywordVeto": "keyword_veto", "intentBridge": "intent_bridge",
    },
    "short_circuit": {"enabled": FLAG, "confidenceThreshold": ""},
    "tool_filter": {"enabled": FLAG, "maxTools": ""},
    "keyword_veto": {"enabled": FLAG, "keywords": ""},
    "intent_bridge": {
        "enabled": FLAG, "programmaticThreshold": "", "guidedThreshold": "", "outOfScopeDecline": FLAG,
        "multiIntentSignal": FLAG,
    },
    "guardrail": {
        "kind": "input|output|both|tool_input|tool_output|handoff", "check": "<check>", "provider": "", "category": "",
        "threshold": "", "llm_check": "", "action": "block|warn|redact|escalate|fix|reask|filter", "message": "",
        "priority": "", "severity_actions": "severity_actions",
        "fix_strategy": "truncate|strip_html|redact_pii|normalize|custom", "fix_expression": "<expression>",
        "max_reasks": "", "filter_min_length": "", "streaming": FLAG, "streaming_interval": "token|sentence|chunk_size",
    },
    "severity_actions": dict.fromkeys(
        ("low", "medium", "high", "critical"), "block|warn|redact|escalate|fix|reask|filter"
    ),
    "nlu": {
        "intents": "[nlu_intent]", "categories": "[category]", "entities": "[nlu_entity]", "glossary": "",
        "embeddings": "embeddings", "languages": "", "default_language": "", "allow_code_switching": FLAG,
        "language_models": "", "models": "nlu_models", "evaluation": "evaluation", "config_file": "",
    },
    "nlu_intent": {"NAME": "", "PATTERNS": "", "EXAMPLES": "", "EXAMPLES_FILE": "", "ENTITIES": "<entities>"},
    "category": {"NAME": "", "PATTERNS": ""},
    "nlu_entity": {
        "NAME": "", "TYPE": "enum|pattern|location|date|number|free_text", "VALUES": "", "SYNONYMS": "", "PATTERN": "",
        "VALIDATION": "", "SENSITIVE": FLAG,
    },
    "nlu_models": {"fast": "", "balanced": ""},
    "embeddings": {"enabled": FLAG, "provider": "", "model": "", "base_url": "", "threshold": "", "cache_ttl": ""},
    "evaluation": {"log_predictions": FLAG, "ab_test": FLAG, "confidence_threshold": ""},
    "multi_intent": {
        "enabled": FLAG, "strategy": "primary_queue|sequential|parallel|disambiguate|auto",
        "unknown_relationship_strategy": "parallel|sequential|disambiguate", "max_intents": "",
        "confidence_threshold": "", "queue_max_age_ms": "", "advance_on_primary_response": FLAG,
    },
    "intents": {"LEXICAL_FALLBACK": "never|when_unavailable|always", "*": ""},
    "entity": {
        "TYPE": any_of(GATHER_TYPES), "VALUES": "", "SYNONYMS": "", "PATTERN": "", "VALIDATION": "", "SENSITIVE": FLAG,
        "DESCRIPTION": "", "EXTRACTION_HINTS": "",
    },
    "attachment": {
        "prompt": "", "category": "document|image|audio|video", "required": FLAG, "max_file_size_mb": "",
        "allowed_types": "", "ocr_enabled": FLAG, "transcription_enabled": FLAG, "key_frame_extraction": FLAG,
    },
    "conversation": {"speaking": "", "listening": "listening", "interaction": ""},
    "listening": {
        "on_no_input": "", "on_caller_backchannel": "", "on_hold": "", "barge_in_continuation": "barge_in_continuation",
    },
    "barge_in_continuation": {"window_ms": "", "max_hold_ms": "", "max_merges": "", "max_chars": ""},
}  # fmt: skip

_TURNS: Final = "simple_confirmation|structured_value|open_ended_question|complex_explanation|anything_else"
_MEDIA: Final = {"url": "", "alt": "", "thumbnailUrl": "", "caption": "", "when": "<condition>"}
_COPIES: Final = (
    "submit_label_rules", "pending_message_rules", "success_message_rules", "error_message_rules",
    "comment_prompt_rules",
    "comment_placeholder_rules",
)  # fmt: skip
_FORMATS: Final = {
    **dict.fromkeys(("MARKDOWN", "ADAPTIVE_CARD", "HTML", "SLACK", "AG_UI", "WHATSAPP"), ""),
    "CAROUSEL": "[card] carousel", "QUICK_REPLIES": "[quick_reply] listed", "LIST": "shown_list", "IMAGE": "media",
    "VIDEO": "media", "AUDIO": "media", "FILE": "file", "KPI": "kpi", "TABLE": "table", "CHART": "chart",
    "FORM": "form",
    "PROGRESS": "progress", "FEEDBACK": "feedback",
}  # fmt: skip
_CARD: Final = {"title": "", "subtitle": "", "imageUrl": "", "defaultActionUrl": "", "buttons": "[element]"}
_LISTED: Final = {"from": "<names>", "template": "", "when": "<condition>"}

SHOWN: Final[Mapping[str, Shape]] = {
    "formats": _FORMATS,
    "template": {
        "DEFAULT": "", "VOICE": "voice", "VOICE INSTRUCTIONS": "", "ACTIONS": "[element] actions",
        "RENDERABLES": "[renderable]", **_FORMATS,
    },
    "renderable": {"name": "", "payload": "", "targets": "", "fallbackText": "", "schemaRef": ""},
    "listed": _LISTED,
    "carousel": {**_LISTED, "template": "card", "cards": "[card]"},
    "card": _CARD,
    "quick_reply": {"id": "", "label": "", "iconUrl": ""},
    "shown_list": {"title": "", "items": "[list_item] listed <names>", "adaptive": FLAG, "when": "<condition>"},
    "list_item": {"title": "", "subtitle": "", "imageUrl": "", "defaultActionUrl": ""},
    "media": _MEDIA,
    "file": {"url": "", "filename": "", "sizeBytes": "", "mimeType": "", "when": "<condition>"},
    "kpi": {
        "label": "", "value": "", "unit": "", "trend": "up|down|flat", "iconUrl": "", "adaptive": FLAG,
        "when": "<condition>",
    },
    "table": {
        "columns": "[column] listed <names>", "rows": "listed <names>", "maxVisibleRows": "", "adaptive": FLAG,
        "when": "<condition>",
    },
    "column": {"key": "", "header": "", "align": "left|center|right"},
    "chart": {"type": "bar|line|pie", "title": "", "data": "[datum] listed <names>", "when": "<condition>"},
    "datum": {"label": "", "value": "", "color": ""},
    "form": {"title": "", "fields": "[element] listed", "submitLabel": "", "when": "<condition>"},
    "progress": {"label": "", "value": "", "max": "", "variant": "bar|circle", "when": "<condition>"},
    "feedback": {
        "FEEDBACK_TEMPLATE": "", "prompt": "", "type": "thumbs|star|scale", "max": "", "submit_label": "",
        "pending_message": "", "success_message": "", "error_message": "", "comment_prompt": "",
        "comment_placeholder": "",
        "expires_after": "", "when": "<condition>", **dict.fromkeys(_COPIES, "[copy]"),
    },
    "copy": {"when": "<condition>", "text": ""},
    "actions": {"SUBMIT_LABEL": "", "SUBMIT_ID": "", "RENDER_ID": "", "elements": "[element]"},
    "element": {
        "id": "", "type": "button|select|input", "label": "", "value": "", "url": "", "description": "",
        "options": "[option] listed",
        "inputType": "text|number|date|time|email", "placeholder": "", "required": FLAG, "BUTTON": "", "SELECT": "",
        "INPUT": "",
    },
    "option": {"id": "", "label": "", "description": ""},
    "voice": {
        "SSML": "", "INSTRUCTIONS": "", "PLAIN_TEXT": "", "BARGE_IN": "allow|disallow", "STREAMING": FLAG,
        "END_OF_SPEECH_TURN_TYPE": _TURNS, "END_OF_SPEECH_TIMEOUT_MS": "", "ON_NO_INPUT": "", "provider": "",
        "voice_id": "",
        "speed": "", "pace": "", "temperature": "", "auto_tts_language_switch": FLAG,
    },
}  # fmt: skip

PROFILES: Final[Mapping[str, Shape]] = {
    "profile": dict.fromkeys(("PRIORITY", "WHEN", *sorted(vocabulary.PROFILE_SECTIONS)), ""),
    "destination_url": {"url": "", "method": any_of(METHODS), "auth": any_of(AUTHS), "headers": ""},
    "inline_profile": {
        "PRIORITY": "", "WHEN": "<condition>", "INSTRUCTIONS": "", "CONVERSATION": "conversation",
    },
    "profile_response": {"max_buttons": "", "fallback_format": "", "media_types": "", "max_response_length": ""},
    "profile_tools": {"HIDE": "<tools>", "ADD": "{tool} [tool]", "PARAMETERS": ""},
    "profile_gather": {
        "validation_style": "lenient|strict", "confirmation": "always|never|on_change", "FIELD_OVERRIDES": "{override}",
    },
    "override": {"prompt": "", "required": FLAG, "skip": FLAG, "validation": "", "extraction_hints": ""},
    "profile_flow": {
        "SKIP": "<steps>", "OVERRIDES": "{step_override}", "INSERTIONS": "[insertion]", "REPLACE": "",
    },
    "step_override": {"respond": "", "transition": "<steps>", "VOICE": "voice", "RICH_CONTENT": "formats"},
    "insertion": place_of(vocabulary.STEP_DIRECTIVES | words("BEFORE AFTER"), {**PRESENTED, **ACTS,
    "BEFORE": "<steps>", "AFTER": "<steps>"}),
}  # fmt: skip
