"""5xx and 7xx about the fields to collect: types, prompts, values (docs/spec 07, 10 §3)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.types import canonical_type, fits, same_type
from abl.analysis.conformance.properties import number
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.fixes.gather import add_options, merge_fields, repair_default
from abl.analysis.index.fields import is_set, own_or_inherited, validation_of
from abl.analysis.index.model import AgentIndex, is_true, value_of
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.document.headers import is_reserved, own_name
from abl.diagnostics import Fix, Related
from abl.language import words_at
from abl.language.written import listed
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.recovery.suggest import closest
from abl.syntax.vocabulary import GATHER_OPTIONS, MEMORY_TYPES, TYPE_SLIPS

_FIELD_TYPES = words_at("field", "TYPE")
_TOLERATED = frozenset({"attachment", "address", "duration", "url"})
_NUMERIC = frozenset({"number", "integer", "float", "currency"})
_SAYS_VALUES = re.compile(r"\b(?:enum|enum_?set|lookup)\b", re.IGNORECASE)


@rule(
    "ABL511",
    "optional-with-default",
    "warning",
    "Gather field sets both `required: false` and `default`",
    over=nodes.GatherField,
)
def optional_with_default(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field is optional and has a default.
    Why: An optional field without an answer stays unset; the default is for required fields that are not answered.
    Bad:
        GATHER:
          branch:
            prompt: "Which branch?"
            required: false
            default: "central"
    Good:
        GATHER:
          branch:
            prompt: "Which branch?"
            default: "central"
    """
    if field.required or field.default is None:
        return
    prop = field.prop("REQUIRED") or field.prop("DEFAULT")
    if prop is None:
        yield found(field.name.span)
        return
    removal = (
        fixes.remove_lines(agent.source, prop.block.span, f"Remove `{prop.written}`")
        if prop.key == "REQUIRED"
        else None
    )
    yield found(prop.key_span, *((removal,) if removal else ()))


@rule(
    "ABL512",
    "field-type-differs",
    "warning",
    "Gather field and session variable `{n}` have different types",
    over=nodes.GatherField,
)
def field_type_differs(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field and the session variable of its name state types that do not go together.
    Why: The field's value goes into that variable, which then holds something else than declared.
    Bad:
        MEMORY:
          session:
            - loans
              TYPE: number
        GATHER:
          loans:
            prompt: "How many?"
            type: date
    Good:
        MEMORY:
          session:
            - loans
              TYPE: number
        GATHER:
          loans:
            prompt: "How many?"
            type: integer
    """
    variable = agent.session.get(field.name.value)
    if variable is None or variable.type is None or field.type is None:
        return
    many = "array" if is_set(field, agent, "LIST") else ""  # what is kept of a list, a range, preferences (07 §8)
    kept = many or ("object" if is_set(field, agent, "RANGE") or is_set(field, agent, "PREFERENCES") else "")
    if same_type(variable.type.value, kept or field.type.value):
        return
    where = Related(agent.source.path, variable.type.span, "the variable's type")
    if kept:
        title = f"Declare the variable as `{kept}`"
        repairs: Iterator[Fix] = iter([fixes.replace(variable.type.span, kept, title, preferred=False)])
    else:
        repairs = _one_type(variable.type, field.type)
    yield found(field.type.span, *repairs, related=(where,), n=field.name.value)


def _one_type(declared: nodes.Text, collected: nodes.Text) -> Iterator[Fix]:
    """Either side may be right; a type of fields that variables do not have is the one it means."""
    if declared.value.strip().lower() in _FIELD_TYPES:
        yield fixes.replace(collected.span, declared.value, f"Collect it as `{declared.value}`", preferred=False)
    intended = canonical_type(collected.value)
    if intended in MEMORY_TYPES:
        yield fixes.replace(declared.span, intended, f"Declare the variable as `{intended}`", preferred=False)


@rule(
    "ABL701", "unknown-gather-type", "error", "`{t}` is not a gather type. Did you mean `{y}`?", over=nodes.GatherField
)
def unknown_gather_type(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field's type is none of the types that fields can have.
    Why: The answer cannot be read as anything; it is taken as plain text.
    Bad:
        GATHER:
          loans:
            prompt: "How many?"
            type: intger
    Good:
        GATHER:
          loans:
            prompt: "How many?"
            type: integer
    """
    if field.type is None:
        return
    written = field.type.value.strip()
    word = written.lower()
    if word in _FIELD_TYPES or word in _TOLERATED or word.startswith("enum("):
        if word in _FIELD_TYPES and word != written:
            yield found(field.type.span, fixes.replace(field.type.span, word), severity="warning", t=written, y=word)
        return
    slip = TYPE_SLIPS.get(word, word)
    if slip in ("array", "object", "time", "any"):
        yield found(field.type.span, _as_string(field, field.type, agent, many=slip == "array"), t=written)
        return
    close = (slip,) if slip in _FIELD_TYPES else closest(word, _FIELD_TYPES)
    yield found(field.type.span, *fixes.rename_fixes(field.type.span, close), t=written, y=close[0] if close else "")


def _as_string(field: nodes.GatherField, written: nodes.Text, agent: AgentIndex, *, many: bool) -> Fix:
    """The nearest that a field can be: text, or a list of texts where the type has a line of its own."""
    prop = field.prop("TYPE")
    if not many or prop is None or not has_own_lines(agent.source, prop.block.span) or field.prop("LIST") is not None:
        return fixes.replace(written.span, "string", "Collect it as a string", preferred=False)
    listed = f"string\n{fixes.indent_of(agent.source, prop.block.span.start)}list: true"
    return fixes.replace(written.span, listed, "Collect a list of strings")


@rule("ABL702", "missing-prompt", "error", "Field `{f}` needs a prompt", over=AgentIndex)
def missing_prompt(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field of the top-level GATHER has no prompt.
    Why: There is nothing to ask the user with.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        GATHER:
          title:
            type: string
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        GATHER:
          title:
            prompt: "Which book?"
            type: string
    """
    gather = agent.agent.gather
    for field in gather.fields if gather is not None else ():
        silent = (value_of(field, "PROMPT_MODE") or field.prompt) is not None or field.prop("MESSAGE_KEY") is not None
        if not silent and field.prop("ENTITY_REF") is None:
            indent = fixes.indent_of(agent.source, field.name.span.start) + "  "
            line = f'{indent}prompt: "…"'
            yield found(
                field.name.span,
                fixes.insert_line_below(agent.source, field.name.span, line, "Add `prompt`"),
                f=field.name.value,
            )


@rule("ABL703", "duplicate-field", "error", "Field `{f}` appears twice in this gather", over=nodes.Gather)
def duplicate_field(gather: nodes.Gather, agent: AgentIndex) -> Iterator[Found]:
    """
    What: One GATHER lists a field twice.
    Why: A field is asked once; which properties count is unclear.
    Bad:
        GATHER:
          - title: required
          - title: optional
    Good:
        GATHER:
          - title: required
            prompt: "Which book?"
          - author: optional
            prompt: "By whom?"
    """
    seen: dict[str, nodes.GatherField] = {}
    for field in gather.fields:
        first = seen.setdefault(field.name.value, field)
        if first is not field:
            yield found(field.name.span, *merge_fields(agent, first, field), f=field.name.value)


@rule("ABL707", "enum-without-values", "error", "enum field `{f}` has no values", over=nodes.GatherField)
def enum_without_values(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field of type enum lists no options.
    Why: No answer could ever be right.
    Bad:
        GATHER:
          branch:
            prompt: "Which branch?"
            type: enum
    Good:
        GATHER:
          branch:
            prompt: "Which branch?"
            type: enum
            options: [central, harbour]
    """
    if field.type is None or field.type_word != "enum" or field.options:
        return
    if not _lists_values(field, agent):
        yield found(field.type.span, *add_options(agent, field), f=field.name.value)


def _lists_values(field: nodes.GatherField, agent: AgentIndex) -> bool:
    """True when the field, its rule or its semantics say which values there are, here or where it inherits from."""
    keys = ("OPTIONS", "ENUM_VALUES", "ENUM_SET", "ENTITY_REF", "VALUES")
    if any(own_or_inherited(field, agent, key) for key in keys):
        return True
    within = (own_or_inherited(field, agent, key) for key in ("VALIDATE", "SEMANTICS"))
    texts = (agent.source.text[slice(*prop.block.span)] for prop in within if prop is not None)
    return any(_SAYS_VALUES.search(text) is not None for text in texts)


@rule("ABL709", "bad-default", "error", "Default of `{f}` breaks its own {what}", over=nodes.GatherField)
def bad_default(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field's default does not fit its type or is not among its options.
    Why: The default is refused like any other wrong answer.
    Bad:
        GATHER:
          loans:
            prompt: "How many?"
            type: number
            default: "many"
    Good:
        GATHER:
          loans:
            prompt: "How many?"
            type: number
            default: 1
    """
    if field.default is None or field.default.dynamic is not None or is_true(field, "LIST") or is_true(field, "RANGE"):
        return
    value = field.default.value
    options = [option.value for option in field.options or ()]
    if options and value not in options and value is not None:
        yield found(field.default.span, *repair_default(agent, field), f=field.name.value, what="options")
    elif field.type is not None and not fits(value, field.type.value) and not _readable(value, field.type.value):
        yield found(field.default.span, *repair_default(agent, field), f=field.name.value, what="type")
    elif value is not None and not _is_valid(value, field, agent):
        yield found(field.default.span, *repair_default(agent, field), f=field.name.value, what="validation")


def _is_valid(value: object, field: nodes.GatherField, agent: AgentIndex) -> bool:
    """False for a default that the functions of the field's rule refuse; others are not looked at."""
    validation = validation_of(field, agent)
    for name, argument in validation.calls if validation is not None else ():
        if name in ("min", "max"):
            bound, given = number(argument.strip()), number(str(value).strip())
            if bound is not None and given is not None and (given < bound if name == "min" else given > bound):
                return False
        elif name == "enum":
            words = [word.casefold() for word in listed(argument)]
            if str(value).casefold() not in words:
                return False
    return True


def _readable(value: object, declared: str) -> bool:
    """Quoted numbers and dates in words are read like an answer of the user."""
    word = declared.strip().lower()
    if isinstance(value, str) and word in _NUMERIC:
        return any(character.isdigit() for character in value)
    return isinstance(value, str) and word in ("date", "datetime", "boolean")


@rule("ABL729", "reserved-field-name", "error", "Field name `{f}` is an option key of GATHER", over=nodes.GatherField)
def reserved_field_name(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field is named like an option of GATHER itself, or like a variable of the runtime.
    Why: It cannot be told from the option, or the runtime overwrites what was collected.
    Bad:
        GATHER:
          - prompt: required
    Good:
        GATHER:
          - question: required
            prompt: "What do you want to know?"
    """
    if field.name.value.upper() in GATHER_OPTIONS:
        free = Span(field.name.span.start, field.name.span.end)
        yield found(free, fixes.replace(free, f"{field.name.value}_value", preferred=False), f=field.name.value)
    elif is_reserved(field.name.value):
        wording = "Field name `{f}` is a variable of the runtime"
        yield found(field.name.span, *own_name(agent, field.name.value), f=field.name.value, wording=wording)
