"""GATHER, its fields, lookup tables and entities (docs/spec 07)."""

from __future__ import annotations

from typing import Final

from abl.language.model import Place, key, place
from abl.language.shared import MASK_CONFIG, RECOGNISED, SENSITIVE, SENSITIVE_DISPLAY, STRATEGY, TYPE
from abl.language.types import (
    ANY,
    CONDITION,
    COUNT,
    FLAG,
    LIMIT_MS,
    LISTED,
    SHARE,
    TEXT,
    TEXTS,
    below,
    by_name,
    named_list_of,
    one_of,
    ref,
    refs,
)

_GATHER: Final = place(
    "gather",
    key("FIELDS", named_list_of("field") | by_name("field"), "the fields to collect, where options stand beside them"),
    key("MESSAGE_KEY", ANY, "key of that question in the locale catalogue", runs="platform"),
    key("PROMPT", TEXT, "one question for all fields, while nothing is collected yet"),
    key("STRATEGY", STRATEGY, "how the values are found in messages, for all fields", default="auto", runs="platform"),
    others=below("field"),
    lower=True,
    parsed=True,
    spec="07 §1",
)
_FIELD: Final = place(
    "field",
    key(
        "ACTIVATION",
        below("activation")
        | one_of(
            required="takes part from the start",
            optional="never asked for, blocks nothing",
            progressive="joins when the fields of depends_on have values",
            slips={"always": "required", "mandatory": "required", "never": "optional"},
        ),
        "when the field takes part",
        default="required",
        code="ABL715",
    ),
    key("DEFAULT", ref("literal"), "value when the user gives none; such a field is never asked for"),
    key("DEPENDS_ON", refs("fields"), "fields that must have values first"),
    key("DESCRIPTION", TEXT, "what the value is, for the model", runs="platform"),
    key("ENTITY_REF", ref("entities"), "entity that gives type, values, synonyms and validation"),
    key("EXTRACTION_GROUP", COUNT, "capture group of that regex", default="0, the whole match"),
    key("EXTRACTION_HINTS", TEXTS, "words near the value, added to those of the entity; an empty list removes them"),
    key("EXTRACTION_PATTERN", ANY, "regex that finds the value"),
    key("INFER", FLAG, "the model may infer the value from context", default="false", runs="platform"),
    key(
        "INFER_CONFIDENCE",
        SHARE,
        "least confidence of an inferred value, 0 to 1",
        default="0.8",
        code="ABL718",
        runs="platform",
    ),
    key("INFER_CONFIRM", FLAG, "ask the user to confirm an inferred value", default="true", runs="platform"),
    key("LIST", FLAG, "true: the value is a list", default="false"),
    MASK_CONFIG,
    key("MAX_RETRIES", COUNT, "failed answers allowed, then ON_FAILURE; integer, default no limit"),
    key("MESSAGE_KEY", ANY, "key of the question in the locale catalogue", runs="platform"),
    key("OPTIONS", TEXTS, "allowed values"),
    key("PII_PATTERN_REF", ANY, "pattern for personal data that the project defines", runs="platform"),
    key(
        "PII_TYPE",
        one_of("email phone ssn credit_card address name custom"),
        "kind of personal data, for masks that keep its shape",
    ),
    key("PREFERENCES", FLAG, "true: the value is {accept, desire, avoid, refuse}, each a list", default="false"),
    key("PROMPT", TEXT, "question for the user; required at the top level"),
    key(
        "PROMPT_MODE",
        one_of(ask="the question is asked", extract_only="the question is never shown"),
        "ask, or extract_only: the question is never shown",
        default="ask",
    ),
    key("RANGE", FLAG, "true: the value is {low, high}", default="false"),
    key("REQUIRED", FLAG, "must have a value before collecting is complete", default="true"),
    key("RETRY_PROMPT", TEXT, "question after an answer that does not fit"),
    key(
        "SATISFIED_BY",
        one_of(
            user_input="what the user says",
            authoritative_tool="a tool whose provides names the field",
            system="SET and other assignments",
            many=True,
        ),
        "sources that may fill the field",
        default="any",
        code="ABL732",
    ),
    key("SEMANTICS", below("semantics"), "what more is known of the value: unit, locale, lookup"),
    SENSITIVE,
    key("SENSITIVE_DISPLAY", SENSITIVE_DISPLAY, "how a sensitive value is shown", default="redact"),
    key(
        "STRATEGY",
        STRATEGY,
        "how the value is found in messages",
        default="that of the GATHER, else auto",
        code="ABL721",
    ),
    key("TRANSIENT", FLAG, "true: forgotten when the step is left", default="false"),
    key("TYPE", TYPE, "expected type", default="string", code="ABL701"),
    key(
        "VALIDATE",
        below("validation")
        | CONDITION
        | one_of(
            "min(: the least value",
            "max(: the greatest value",
            "enum(: one of these values",
            "email(): an email address",
            "pattern(: a regex that the answer must fit",
        ),
        "rule that an answer must fit: a function, an expression or a sentence for the model",
        code="ABL705",
    ),
    key(
        "VALIDATION_PROCESS",
        one_of(
            REGEX="the rule is a regex",
            CODE="the rule is an expression",
            LLM="the rule is a sentence for a model",
            slips={"cel": "CODE", "expression": "CODE", "regexp": "REGEX", "model": "LLM"},
        ),
        "who judges the rule: a regex, code or a model",
    ),
    key("RICH_CONTENT", below("formats"), offered=False, runs="platform"),
    key("ENUM_VALUES", TEXTS, offered=False, runs="platform"),
    key("SYNONYMS", ANY, offered=False, runs="platform"),
    lower=True,
    parsed=True,
    heads={
        "required": "must have a value before collecting is complete",
        "optional": "never asked for; filled when the user mentions it",
    },
    spec="07 §2",
)
_ACTIVATION: Final = place(
    "activation", key("when", CONDITION, "condition; the field takes part while it holds"), spec="07 §7"
)
_VALIDATION: Final = place(
    "validation",
    key(
        "type",
        one_of(
            pattern="rule is a regex",
            range='rule is a range such as "1-10"',
            enum="rule is a list of values",
            custom="rule is an expression",
            llm="rule is a sentence for a model",
        ),
        "what kind of rule it is",
    ),
    key("rule", LISTED, 'the rule: a regex, "1-10", a list, an expression or a sentence'),
    key("error", ANY, "message when the answer does not fit; in place of retry_prompt"),
    key("max_retries", COUNT, "failed answers allowed; in place of that of the field"),
    spec="07 §4",
)
_SEMANTICS: Final = place(
    "semantics",
    key("format", ANY, "what the value looks like, in words", runs="platform"),
    key("components", TEXTS, "parts of the value", runs="platform"),
    key("unit", ANY, "unit of the value, cut off the answer", runs="executed"),
    key("convert_to", ANY, "unit that the value is converted to", runs="executed"),
    key("lookup", ref("lookups"), "table of LOOKUP_TABLES that the answer must match", runs="executed"),
    key("locale", ANY, "locale for reading the answer, as `en-GB`", runs="executed"),
    key(
        "temporal",
        one_of(future="from today on", past="up to today", any="any date"),
        "which side of today a date may lie on",
    ),
    key("enum_set", LISTED, "allowed values, as options"),
    key("kore_entity_type", ANY, "entity name of the older platform", runs="platform"),
    spec="07 §8",
)
_LOOKUP: Final = place(
    "lookup",
    key(
        "source",
        one_of(
            inline="values that stand here",
            collection="a collection of the platform",
            api="an endpoint that is asked",
            also=("mongodb", "http"),
        ),
        "where the values are",
        default="inline",
        runs="executed",
    ),
    key("values", TEXTS, "the values, for inline", runs="executed"),
    key(
        "map",
        ANY,
        "what a reply may name, which is stored, and the value that `source: lookup` gives, for inline",
        runs="executed",
    ),
    key("table_name", ANY, "name of the collection"),
    key("endpoint", ANY, "URL that is asked, for api"),
    key("field", ANY, "field of the answer that holds the value"),
    key("headers", ANY, "headers of the request"),
    key("timeout_ms", LIMIT_MS, "longest wait, in ms", default="5000"),
    key("case_sensitive", FLAG, "tell upper from lower case", default="false", runs="executed"),
    key("fuzzy_match", FLAG, "take values that are nearly the same", default="false", runs="executed"),
    key("fuzzy_threshold", SHARE, "least similarity, 0 to 1", default="0.85", runs="executed"),
    parsed=True,
    runs="platform",
    spec="07 §8",
)
_ENTITY: Final = place(
    "entity",
    key("TYPE", TYPE, "type of the value", default="string", code="ABL1024"),
    *RECOGNISED,
    key("DESCRIPTION", TEXT, "what the value is, for the model", runs="platform"),
    key("EXTRACTION_HINTS", TEXTS, "words near the value"),
    title="an entity",
    spec="09 §10",
)

PLACES: Final[tuple[Place, ...]] = (
    _GATHER,
    _FIELD,
    _ACTIVATION,
    _VALIDATION,
    _SEMANTICS,
    _LOOKUP,
    _ENTITY,
)
