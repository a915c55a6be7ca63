"""GATHER, its lookups and entities (docs/spec 07, 09 §10)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from abl.editing.meanings.common import Texts, texts

GATHERED: Final[Mapping[str, Texts]] = {
    "gather": texts("""
        FIELDS: the fields to collect, where options stand beside them
        STRATEGY: how the values are found in messages, for all fields; default auto
        PROMPT: one question for all fields, while nothing is collected yet
        MESSAGE_KEY: key of that question in the locale catalogue
    """),
    "field": texts("""
        PROMPT: question for the user; required at the top level
        MESSAGE_KEY: key of the question in the locale catalogue
        DESCRIPTION: what the value is, for the model
        TYPE: expected type; default string
        REQUIRED: must have a value before collecting is complete; default true
        DEFAULT: value when the user gives none; such a field is never asked for
        ENTITY_REF: entity that gives type, values, synonyms and validation
        OPTIONS: allowed values
        VALIDATE: rule that an answer must fit: a function, an expression or a sentence for the model
        VALIDATION_PROCESS: who judges the rule: a regex, code or a model
        RETRY_PROMPT: question after an answer that does not fit
        MAX_RETRIES: failed answers allowed, then ON_FAILURE; integer, default no limit
        INFER: the model may infer the value from context; default false
        INFER_CONFIDENCE: least confidence of an inferred value, 0 to 1; default 0.8
        INFER_CONFIRM: ask the user to confirm an inferred value; default true
        PROMPT_MODE: ask, or extract_only: the question is never shown; default ask
        STRATEGY: how the value is found in messages; default that of the GATHER, else auto
        EXTRACTION_PATTERN: regex that finds the value
        EXTRACTION_GROUP: capture group of that regex; default 0, the whole match
        EXTRACTION_HINTS: words near the value, added to those of the entity; an empty list removes them
        RANGE: true: the value is {low, high}; default false
        LIST: true: the value is a list; default false
        PREFERENCES: true: the value is {accept, desire, avoid, refuse}, each a list; default false
        ACTIVATION: when the field takes part; default required
        DEPENDS_ON: fields that must have values first
        SATISFIED_BY: sources that may fill the field; default any
        SENSITIVE: personal data: masked wherever it is shown; default false
        SENSITIVE_DISPLAY: how a sensitive value is shown; default redact
        MASK_CONFIG: what a mask leaves visible
        PII_TYPE: kind of personal data, for masks that keep its shape
        PII_PATTERN_REF: pattern for personal data that the project defines
        TRANSIENT: true: forgotten when the step is left; default false
        SEMANTICS: what more is known of the value: unit, locale, lookup
    """),
    "activation": texts("""
        when: condition; the field takes part while it holds
    """),
    "validation": texts("""
        type: what kind of rule it is
        rule: the rule: a regex, "1-10", a list, an expression or a sentence
        error: message when the answer does not fit; in place of retry_prompt
        max_retries: failed answers allowed; in place of that of the field
    """),
    "semantics": texts("""
        format: what the value looks like, in words
        components: parts of the value
        unit: unit of the value, cut off the answer
        convert_to: unit that the value is converted to
        lookup: table of LOOKUP_TABLES that the answer must match
        locale: locale for reading the answer
        temporal: which side of today a date may lie on
        enum_set: allowed values, as options
        kore_entity_type: entity name of the older platform
    """),
    "lookup": texts("""
        source: where the values are; default inline
        values: the values, for inline
        map: spoken and stored values, for inline
        table_name: name of the collection
        endpoint: URL that is asked, for api
        field: field of the answer that holds the value
        headers: headers of the request
        timeout_ms: longest wait, in ms; default 5000
        case_sensitive: tell upper from lower case; default false
        fuzzy_match: take values that are nearly the same; default false
        fuzzy_threshold: least similarity, 0 to 1; default 0.85
    """),
    "entity": texts("""
        TYPE: type of the value; default string
        VALUES: allowed values
        SYNONYMS: other words for the values
        PATTERN: regex that finds the value
        VALIDATION: rule that a value must fit
        SENSITIVE: personal data: masked wherever it is shown; default false
        DESCRIPTION: what the value is, for the model
        EXTRACTION_HINTS: words near the value
    """),
}
