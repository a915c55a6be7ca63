"""7xx about the values of field properties: names, rules, patterns, activation (docs/spec 07 §2-§8, 10 §3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.other_validations import certain_validation, perhaps_function
from abl.analysis.conditions.reading import read_value
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes import braces
from abl.analysis.index.fields import (
    DATE_TYPES,
    Validation,
    is_in_step,
    members_of,
    names_in,
    process_of,
    type_word,
    validation_of,
)
from abl.analysis.index.model import AgentIndex, value_of
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix
from abl.expressions.regex import regex_problem
from abl.language import type_at, value_of_text
from abl.syntax import nodes
from abl.syntax.vocabulary import FACT_SOURCES, VALIDATION_PROCESSES

_TEXTS = frozenset({"string", "text", "free_text", "enum"})
_SIGNS = re.compile(r"[\\^$\[\](){}|*+?]")
_NAMED_GROUP = re.compile(r"\((?!\?)|\(\?P?<[A-Za-z_]")


@rule("ABL704", "unknown-field-property", "error", "`{k}` is not a field property. Did you mean `{y}`?")
def unknown_field_property() -> None:
    """
    What: A gather field has a property that fields do not have.
    Why: It has no effect.
    Bad:
        GATHER:
          title:
            promt: "Which book?"
    Good:
        GATHER:
          title:
            prompt: "Which book?"
    """


@rule(
    "ABL705",
    "sentence-as-validation",
    "hint",
    "Validation `{v}` is read as a sentence for a model. Did you mean `{y}`?",
    over=nodes.GatherField,
    needs="VALIDATE",
)
def sentence_as_rule(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A validation is no function such as `min(1)` and no expression over the field.
    Why: It is taken as a sentence that a model judges; without a model every value passes.
    Bad:
        GATHER:
          loans:
            prompt: "How many?"
            type: integer
            validate: minimum(1)
    Good:
        GATHER:
          loans:
            prompt: "How many?"
            type: integer
            validate: min(1)
    """
    if field.validate is None or process_of(field):
        return
    validation = validation_of(field, agent)
    if validation is None or validation.form != "sentence" or validation.text is None:
        return
    written = validation.text.value.strip()
    joint = " AND " if braces.extent(agent.source, validation.text.span) is not None else ", "
    meant = certain_validation(written, field.name.value, joint)
    if meant:
        repair = fixes.replace(validation.text.inner, meant)
        yield found(validation.text.span, repair, severity="warning", v=written, y=meant)
        return
    best = perhaps_function(written)
    if best == written:  # what follows the bracket is too much
        best = written[: written.rfind(")") + 1] if not written.endswith(")") else ""
    repairs = (fixes.replace(validation.text.inner, best, preferred=False),) if best else ()
    yield found(validation.text.span, *repairs, v=validation.text.value.strip(), y=best)


@rule("ABL708", "options-ignored", "hint", "options are ignored for type {t}", over=nodes.GatherField, needs="OPTIONS")
def options_ignored(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field of a type other than enum or text has options.
    Why: Options belong to enum fields; the answer is read by its type only.
    Bad:
        GATHER:
          copies:
            prompt: "How many?"
            type: number
            options: [1, 2]
    Good:
        GATHER:
          copies:
            prompt: "How many?"
            type: enum
            options: ["one", "two"]
    """
    prop = field.prop("OPTIONS")
    if prop is None or field.type is None or field.prop("ENTITY_REF") is not None:
        return
    word = field.type_word
    if word in _TEXTS or word.startswith("enum(") or word == "attachment":
        return
    yield found(prop.key_span, fixes.replace(field.type.span, "enum", "Set the type to enum", preferred=False), t=word)


@rule(
    "ABL715",
    "unknown-activation",
    "error",
    "Unknown activation `{a}`. Did you mean `{y}`?",
    over=nodes.GatherField,
    needs="ACTIVATION",
)
def unknown_activation(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `activation` is none of required, optional, progressive and `{when: "condition"}`.
    Why: When the field takes part is not known.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
            activation: always
    Good:
        GATHER:
          title:
            prompt: "Which book?"
            activation: required
    """
    text = value_of(field, "ACTIVATION")
    if text is not None and text.raw[:1] != "{":
        yield from unfit(text, "field", "ACTIVATION", field.path, a=text.value.strip())


@rule(
    "ABL719",
    "unknown-group",
    "error",
    "extraction_group {n} does not exist in the pattern",
    over=nodes.GatherField,
    needs="EXTRACTION_GROUP",
)
def unknown_group(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `extraction_group` is larger than the number of groups in `extraction_pattern`.
    Why: Nothing is found; group 0 is the whole match.
    Bad:
        GATHER:
          card:
            prompt: "Card number?"
            extraction_pattern: "([0-9]{4})-[0-9]{4}"
            extraction_group: 2
    Good:
        GATHER:
          card:
            prompt: "Card number?"
            extraction_pattern: "([0-9]{4})-[0-9]{4}"
            extraction_group: 1
    """
    text = value_of(field, "EXTRACTION_GROUP")
    pattern = field.extraction_pattern
    if text is None or pattern is None or regex_problem(pattern.value):
        return
    plain = re.sub(r"\\.|\[(?:\\.|[^\]\\])*\]", "", pattern.value)
    written = text.value.strip()
    if written.isascii() and written.isdigit() and int(written) > len(_NAMED_GROUP.findall(plain)):
        yield found(text.span, fixes.replace(text.span, "0", preferred=False), n=written)


@rule(
    "ABL724",
    "temporal-without-date",
    "warning",
    "temporal applies to date types only",
    over=nodes.GatherField,
    needs="SEMANTICS",
)
def temporal_without_date(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field that is no date says that it lies in the future or the past.
    Why: It has no effect.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
            type: string
            semantics:
              temporal: future
    Good:
        GATHER:
          day:
            prompt: "Which day?"
            type: date
            semantics:
              temporal: future
    """
    prop = field.prop("SEMANTICS")
    temporal = members_of(agent.source, prop).get("TEMPORAL") if prop is not None else None
    if prop is None or temporal is None:
        return
    kind = type_word(field, agent)
    if kind is None or kind in DATE_TYPES:
        return
    repairs: tuple[Fix, ...] = ()
    if prop.block.children:
        lone = len(prop.block.children) == 1
        span = prop.block.span if lone else next(c for c in prop.block.children if c.key == temporal.key.value).span
        repairs = (fixes.remove_lines(agent.source, span, "Remove `temporal`"),)
    yield found(temporal.key.span, *repairs)


@rule(
    "ABL732",
    "unknown-fact-source",
    "error",
    "Unknown satisfied_by `{x}`. Did you mean `{y}`?",
    over=nodes.GatherField,
    needs="SATISFIED_BY",
)
def unknown_fact_source(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `satisfied_by` names a source that does not exist.
    Why: The sources are user_input, authoritative_tool and system; no value ever comes from another.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
            satisfied_by: [user]
    Good:
        GATHER:
          title:
            prompt: "Which book?"
            satisfied_by: [user_input]
    """
    slips = {"user": "user_input", "tool": "authoritative_tool", "agent": "system", "model": "system"}
    for name in names_in(field.prop("SATISFIED_BY")):
        if name.value in FACT_SOURCES:
            continue
        if name.value.lower() in FACT_SOURCES:  # read as meant
            yield found(name.span, fixes.replace(name.span, name.value.lower()), severity="warning", x=name.value)
            continue
        slip = slips.get(name.value.lower())
        best, renames = fixes.rename_to(name.span, name.value, FACT_SOURCES)
        if slip:
            best, renames = slip, fixes.rename_fixes(name.span, [slip])
        yield found(name.span, *renames, x=name.value, y=best)


@rule("ABL733", "validation-spelling", "hint", "Use `{key}` here", over=nodes.GatherField, needs="VALIDATE")
def validation_spelling(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The rule of a field has the key of the other place.
    Why: Both work; `validate` is written in the top-level GATHER and `validation` in steps.
    Bad:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - copies: required
                type: integer
                validate: min(1)
            THEN: COMPLETE
    Good:
        FLOW:
          ask:
            REASONING: false
            GATHER:
              - copies: required
                type: integer
                validation: min(1)
            THEN: COMPLETE
    """
    prop = field.prop("VALIDATE")
    if prop is None:
        return
    in_step = is_in_step(field)
    if agent.fragment and agent.agent.flow is None:
        return  # it is not clear whose GATHER it is
    right = "validation" if in_step else "validate"
    if prop.written.lower() != right:
        key = right.upper() if prop.written.isupper() else right
        yield found(prop.key_span, fixes.replace(prop.key_span, key), key=right)


@rule("ABL737", "empty-range", "error", "min {a} is larger than max {b}", over=nodes.GatherField, needs="VALIDATE")
def empty_range(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The smallest value that a field allows is larger than the largest one.
    Why: No answer could ever be right.
    Bad:
        GATHER:
          loans:
            prompt: "How many?"
            type: integer
            validate: min(9), max(1)
    Good:
        GATHER:
          loans:
            prompt: "How many?"
            type: integer
            validate: min(1), max(9)
    """
    if field.prop("VALIDATE") is None:
        return
    validation = validation_of(field, agent)
    bounds = bounds_of(validation) if validation is not None else None
    if validation is None or bounds is None or _number(bounds[0]) <= _number(bounds[1]):
        return
    low, high = bounds
    text = validation.text if validation.form == "functions" else (validation.members or {})["RULE"].value
    if text is None:
        return
    if validation.form == "functions":
        swapped = re.sub(
            r"\b(min|max)\(([^()]*)\)",
            lambda m: f"{m[1]}({high if m[1].lower() == 'min' else low})",
            text.value,
            flags=re.IGNORECASE,
        )
    else:
        swapped = f"{high}-{low}"
    yield found(text.span, Fix("Swap the two", (Edit(text.inner, swapped),), preferred=True), a=low, b=high)


def bounds_of(validation: Validation) -> tuple[str, str] | None:
    """The smallest and the largest number that a rule allows, as written, if it names both."""
    if validation.form == "functions":
        named = {name: argument.strip() for name, argument in validation.calls if name in ("min", "max")}
        if len(named) != 2 or len([1 for name, _ in validation.calls if name in named]) != 2:
            return None
        bounds = (named["min"], named["max"])
    else:
        members = validation.members or {}
        kind, given = members.get("TYPE"), members.get("RULE")
        if kind is None or given is None or value_of_text("validation", "type", kind.value) != "range":
            return None
        match = re.fullmatch(r"\s*(-?[0-9.]+)\s*-\s*(-?[0-9.]+)\s*", given.value.value)
        if match is None:
            return None
        bounds = (match[1], match[2])
    return bounds if all(_is_number(bound) for bound in bounds) else None


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) is not None


def _number(text: str) -> float:
    return float(text)


@rule(
    "ABL739",
    "wrong-validation-process",
    "warning",
    "validation_process {P} does not fit the rule",
    over=nodes.GatherField,
    needs="VALIDATION_PROCESS",
)
def wrong_validation_process(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The rule of a field is not of the kind that its `validation_process` judges.
    Why: REGEX needs a pattern, CODE an expression or function, LLM a sentence; else the rule is misread.
    Bad:
        GATHER:
          loans:
            prompt: "How many?"
            type: integer
            validate: min(1)
            validation_process: LLM
    Good:
        GATHER:
          loans:
            prompt: "How many?"
            type: integer
            validate: min(1)
            validation_process: CODE
    """
    text = value_of(field, "VALIDATION_PROCESS")
    validation = validation_of(field, agent) if text is not None else None
    if text is None or validation is None or validation.form == "structured":
        return
    process, fitting = process_of(field), _fitting(validation)
    if process not in fitting and type_at("field", "VALIDATION_PROCESS").read_word(text.value.strip()) is not None:
        repairs = tuple(fixes.replace(text.inner, word, preferred=len(fitting) == 1) for word in fitting)
        yield found(text.span, *repairs, P=text.value.strip())


def _fitting(validation: Validation) -> tuple[str, ...]:
    """The processes that can judge a rule, the likeliest first."""
    match validation.form:
        case "functions":
            patterns = [name for name, _ in validation.calls if name == "pattern"]
            return ("REGEX", "CODE") if len(patterns) == len(validation.calls) else ("CODE",)
        case "expression":
            return ("CODE",)
    rule_text = validation.text.value.strip() if validation.text is not None else ""
    if _SIGNS.search(rule_text) and regex_problem(rule_text) is None:
        return ("REGEX", "CODE") if read_value(rule_text).node is not None else ("REGEX",)
    return ("LLM",) if len(rule_text.split()) > 1 else VALIDATION_PROCESSES
