"""Sections, EXECUTION, supervisors, understanding, guardrails and profiles (docs/spec 01 §6, 09)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.editing.meanings.common import Texts, texts

SECTIONS: Final = texts("""
    AGENT: header: the agent's name, unique in the project
    SUPERVISOR: header: an agent that routes to other agents
    VERSION: version of the agent, "major.minor.patch"; default "1.0.0"
    DESCRIPTION: summary for readers
    LANGUAGE: language tag such as "en"; locale of the catalogue and of answers
    GOAL: required; what the agent works towards, also in reasoning steps
    PERSONA: tone and style
    LIMITATIONS: what the agent must not do, as sentences for the model
    IDENTITY: role, persona, expertise and limitations in one block
    INSTRUCTIONS: guidance appended to the goal
    SYSTEM_PROMPT: replaces the generated prompt: goal, persona and limitations are then not sent
    EXECUTION: model, timeouts and limits
    TOOLS: callable functions with typed signatures
    GATHER: fields to collect from the user
    FLOW: graph of named steps; without it a model chooses the actions
    MEMORY: session variables, persistent paths, remember and recall
    CONSTRAINTS: rules that hold whatever the model says
    GUARDRAILS: content checks of messages, tool calls and handoffs
    DELEGATE: calls of other agents that return a result
    HANDOFF: transfers to other agents
    RETURN_HANDLERS: what to do when an agent gives control back, by name
    ESCALATE: transfer to a human
    TRANSFER_FLOW_POLICIES: policies of transfers to humans, by name
    COMPLETE: conditions that end the agent's work
    ON_START: what happens before the first message, once per session
    HOOKS: what happens before and after agents and turns
    ON_ERROR: handlers by error type
    MESSAGES: texts of system messages
    TEMPLATES: named texts, used as TEMPLATE(name)
    NLU: intents, categories and entities that messages are read for
    INTENTS: vocabulary of intent.category: name and description
    MULTI_INTENT: what happens when a message has several intents
    ENTITIES: named kinds of values, for entity_ref
    LOOKUP_TABLES: sets of reference values, by name
    ATTACHMENTS: files the user may upload, by name
    DESTINATIONS: outbound HTTP targets, by name
    CONVERSATION: how the agent speaks, listens and interacts
    BEHAVIOR: role of the agent among others
    USE_BEHAVIOR_PROFILE: attaches a profile, by name
    BEHAVIOR_PROFILE: header of a profile, or a profile inside of the agent
    RICH_CONTENT: other forms of the replies, by channel, of an agent without FLOW
    FORMATS: other forms of the replies, by channel, of an agent without FLOW
    ACTIONS: buttons and inputs below the replies of an agent without FLOW
    ACTION_HANDLERS: what to do when a button or form is used, anywhere in the agent
    AGENTS: agents that the supervisor knows, and what they can do
    ROUTING: rules that route messages; HANDOFF is the better way
    STATE: variables that the agents share, by namespace
    POLICIES: conditions that are watched and reported, and block nothing
    COMMUNICATION: language and manner, as text for the model
    TESTS: read and ignored
    MODE: removed; each step says REASONING: true or false
""")

UNDERSTANDING: Final[Mapping[str, Texts]] = {
    "identity": texts("""
        role: what the agent is for; the GOAL
        persona: tone and style; the PERSONA
        expertise: what the agent knows; added to the PERSONA
        limitations: what the agent must not do, as sentences for the model
    """),
    "messages": texts("""
        error_default: when nothing handles an error
        constraint_blocked: when a rule fails without a message of its own
        gather_prompt: question for fields without a prompt; {{fields}} names them
        error_validation: before the question is asked again
        escalation_format: when a human takes over; {{reason}} says why
        conversation_complete: when the conversation has ended
        invalid_handoff: when a transfer did not work
        self_handoff: when an agent would transfer to itself
        tool_fallback_desc: description of tools that have none
        multi_intent_disambiguate_header: above the choice between several intents
        multi_intent_disambiguate_option: one line of that choice
        multi_intent_queued_notice: when other intents wait for their turn
        multi_intent_queued_follow_up: when a waiting intent has its turn
        handoff_message: when another agent takes over
        routing_message: while the message is routed
        greeting: first message
        out_of_scope: when no agent fits the message
    """),
    "behavior": texts("""
        role: router: never answers; orchestrator: answers and delegates; assistant: a leaf
    """),
    "member": texts("""
        REF: path of the agent
        ALIAS: short name of the agent
        CAPABILITIES: required; what the agent can do
        CHANNELS: channels the agent serves
        REQUIRES_VALIDATION: true: its replies are checked; default false
    """),
    "routing": texts("""
        NAME: name of the rule
        DESCRIPTION: what the rule is for, for readers
        PRIORITY: order of the rules, lower first
        WHEN: condition of the rule
        THEN: where the message goes
        FLAGS: set_active, silent, no_log, priority_boost
        CONSTRAINTS: channels, state and intents that the rule is limited to
        ROUTE_TO: agent that takes over
        ROUTE_TO_USER: message to the user
        ROUTE_TO_VARIABLE: variable that names the agent
        INTENT_MATCH: agents by intent
        END_CONVERSATION: the conversation ends
        SYSTEM_ACTION: action of the platform
        FALLBACK: where the message goes when nothing else fits
    """),
    "routed": texts("""
        ROUTE_TO: agent that takes over
        ROUTE_TO_USER: message to the user
        ROUTE_TO_VARIABLE: variable that names the agent
        INTENT_MATCH: agents by intent
        END_CONVERSATION: the conversation ends
        SYSTEM_ACTION: action of the platform
    """),
    "intent_match": texts("""
        INTENTS: intents that the entry takes
        ACTION: where the message goes
        FALLBACK: where the message goes when no intent fits
    """),
    "route_limits": texts("""
        channels: channels for which the rule counts
        requiresState: variables that must be set
        ignoreIntents: intents for which the rule does not count
    """),
    "state": {},
    "state_variable": texts("""
        type: required; type of the value
        required: must have a value; default false
        default: value at session start
        description: what the variable holds, for readers
        source: who gives the value
        updatedBy: agents that change the value
    """),
    "policy": texts("""
        NAME: name of the policy
        DESCRIPTION: what the policy is for, for readers
        RULES: conditions that are watched
    """),
    "policy_rules": texts("""
        allowedWhen: condition that should hold
        forbiddenWhen: condition that should not hold
        triggerSignal: signal that is reported
        behavior: what is expected then, in words
    """),
    "communication": texts("""
        language: required; language of the replies
        formality: required; how formal the replies are
        constraints: required; rules of manner, as sentences
        pronouns: forms of address to use or avoid
        vocabulary: words to prefer or avoid
    """),
    "pronouns": texts("""
        use: forms of address to use
        avoid: forms of address to avoid
    """),
    "preferred_words": texts("""
        prefer: words to prefer
        avoid: words to avoid
    """),
    "free": {},
    "nlu": texts("""
        intents: intents with patterns and examples
        categories: categories with patterns
        entities: kinds of values that are found in messages
        glossary: terms of the trade: "term -- meaning"
        embeddings: comparing meanings by vectors
        languages: languages of the messages
        default_language: language when none is found out
        allow_code_switching: one message may mix languages; default false
        language_models: models by language
        models: models by speed
        evaluation: how well intents are found
        config_file: file with these settings; what stands here wins
    """),
    "nlu_intent": texts("""
        NAME: name of the intent
        PATTERNS: required; words that a message of the intent contains
        EXAMPLES: messages of the intent
        EXAMPLES_FILE: file with messages of the intent
        ENTITIES: entities that come with the intent
    """),
    "category": texts("""
        NAME: name of the category
        PATTERNS: words that a message of the category contains
    """),
    "nlu_entity": texts("""
        NAME: name of the entity
        TYPE: kind of the value; default enum
        VALUES: allowed values
        SYNONYMS: other words for the values
        PATTERN: regex that finds the value
        VALIDATION: rule that a value must fit
        SENSITIVE: personal data: masked wherever it is shown; default false
    """),
    "nlu_models": texts("""
        fast: model for quick decisions
        balanced: model for the others
    """),
    "embeddings": texts("""
        enabled: compare meanings by vectors
        provider: who computes the vectors
        model: model that computes the vectors
        base_url: URL of the provider
        threshold: least similarity, 0 to 1
        cache_ttl: how long vectors are kept
    """),
    "evaluation": texts("""
        log_predictions: note each decision
        ab_test: compare two settings
        confidence_threshold: least confidence of an intent, 0 to 1
    """),
    "multi_intent": texts("""
        enabled: default true
        strategy: which intent comes first, and what happens to the others; default primary_queue
        unknown_relationship_strategy: strategy when it is unclear how the intents relate; default parallel
        max_intents: intents taken from one message, 1 to 10; default 3
        confidence_threshold: least confidence of an intent, 0 to 1; default 0.6
        queue_max_age_ms: how long an intent waits, in ms; default 600000
        advance_on_primary_response: the next intent follows the reply to the first; default true
    """),
    "intents": texts("""
        LEXICAL_FALLBACK: when intents are found by words instead of a model
    """),
    "attachment": texts("""
        prompt: required; message that asks for the upload
        category: kind of file; default document
        required: the file must come; default true
        max_file_size_mb: largest file, in MB
        allowed_types: MIME types that are taken
        ocr_enabled: read the text of images; name.extracted_text holds it
        transcription_enabled: write down what is said; name.transcript holds it
        key_frame_extraction: take pictures out of a video; name.keyframes holds them
    """),
}

PROFILES: Final[Mapping[str, Texts]] = {
    "profile": texts("""
        PRIORITY: required; integer; the higher profile wins
        WHEN: required; condition; the profile is active while it holds; true: always
        INSTRUCTIONS: guidance for the model while the profile is active
        CONSTRAINTS: rules while the profile is active, after the agent's own
        RESPONSE: limits of the replies
        VOICE: how replies are spoken
        TOOLS: tools that are hidden or added
        CONVERSATION: how the agent speaks, listens and interacts
        GATHER: how values are collected
        FLOW: steps that are skipped, changed or put in
    """),
    "inline_profile": texts("""
        PRIORITY: required; integer; the higher profile wins
        WHEN: required; condition; the profile is active while it holds; true: always
        INSTRUCTIONS: guidance for the model while the profile is active
        CONVERSATION: how the agent speaks, listens and interacts
    """),
    "profile_response": texts("""
        max_buttons: most buttons below a reply
        fallback_format: form of the reply where the channel has no other
        media_types: kinds of media that are sent
        max_response_length: longest reply, in characters
    """),
    "profile_tools": texts("""
        HIDE: tools that are unknown while the profile is active
        ADD: tools that are there only while the profile is active
        PARAMETERS: parameters of the added tools
    """),
    "profile_gather": texts("""
        validation_style: how strictly answers are judged
        confirmation: when collected values are confirmed by the user
        FIELD_OVERRIDES: other properties of fields, by name
    """),
    "override": texts("""
        prompt: question in place of that of the field
        required: whether the field must have a value
        skip: true: the field is left out while the profile is active
        validation: rule in place of that of the field
        extraction_hints: words near the value, in place of those of the field
    """),
    "profile_flow": texts("""
        SKIP: steps that are left out
        OVERRIDES: other messages and transitions of steps, by name
        INSERTIONS: steps that are put in
        REPLACE: a flow in place of the agent's
    """),
    "step_override": texts("""
        respond: message in place of that of the step
        transition: step that comes next
        VOICE: how the message is spoken
        RICH_CONTENT: other forms of the message, by channel
    """),
    "destination_url": texts("""
        url: required; URL of the target
        method: HTTP method
        auth: how the request proves who asks
        headers: headers of the request
    """),
}
