"""7xx about how fields are found and guarded (docs/spec 07 §5-7, §10, 10 §3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abl.analysis import fixes
from abl.analysis.fixes import braces
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.fixes.gather import clamp_confidence, depend_on_earlier, unlink
from abl.analysis.flow.cycles import cycles_in, shortest_cycle
from abl.analysis.incremental.parts import Part
from abl.analysis.index.fields import is_set, names_in, own_or_inherited, type_word, validation_of
from abl.analysis.index.model import AgentIndex, is_true, value_of
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix
from abl.expressions.regex import regex_problem
from abl.language import value_of_text
from abl.syntax import nodes
from abl.syntax.vocabulary import GATHER_TYPES, STRATEGIES

_ORDERED = frozenset({"number", "integer", "float", "currency", "date", "datetime"})
_SENSITIVE_KEYS = ("SENSITIVE_DISPLAY", "MASK_CONFIG", "PII_TYPE")


@rule("ABL706", "bad-field-pattern", "error", "Regular expression is invalid: {reason}", over=nodes.GatherField)
def bad_field_pattern(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `extraction_pattern`, or the pattern of a rule, is no regular expression of the supported (RE2) kind.
    Why: It can find nothing and accepts nothing. Look-around and back references are not supported.
    Bad:
        GATHER:
          card:
            prompt: "Card number?"
            extraction_pattern: "[0-9"
    Good:
        GATHER:
          card:
            prompt: "Card number?"
            extraction_pattern: "[0-9]{8}"
    """
    for text, pattern in _patterns(field, agent):
        if reason := regex_problem(pattern):
            yield found(text.span, reason=reason)


def _patterns(field: nodes.GatherField, agent: AgentIndex) -> Iterator[tuple[nodes.Text, str]]:
    """Where a pattern stands, and what it is without what surrounds it (docs/spec 07 §4)."""
    if field.extraction_pattern is not None:
        yield field.extraction_pattern, field.extraction_pattern.value
    validation = validation_of(field, agent)
    if validation is None:
        return
    members = validation.members or {}
    kind, rule_ = members.get("TYPE"), members.get("RULE")
    if kind is not None and rule_ is not None and value_of_text("validation", "type", kind.value) == "pattern":
        yield rule_.value, _without_slashes(rule_.value.value)
    for name, argument in validation.calls:
        if name == "pattern" and validation.text is not None:
            yield validation.text, _without_slashes(argument.strip().strip("\"'"))


def _without_slashes(pattern: str) -> str:
    pattern = pattern.strip()
    return pattern[1:-1] if len(pattern) > 1 and pattern[0] == pattern[-1] == "/" else pattern


@rule(
    "ABL712",
    "unknown-dependency",
    "error",
    "depends_on names unknown field `{d}`. Did you mean `{y}`?",
    over=nodes.GatherField,
)
def unknown_dependency(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `depends_on` names something that is no field.
    Why: The field waits for a value that never comes.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
          copy:
            prompt: "Which copy?"
            depends_on: [titel]
    Good:
        GATHER:
          title:
            prompt: "Which book?"
          copy:
            prompt: "Which copy?"
            depends_on: [title]
    """
    for name in names_in(field.prop("DEPENDS_ON")):
        if name.value not in agent.fields and name.value not in agent.session:
            best, renames = fixes.rename_to(name.span, name.value, agent.fields)
            yield found(name.span, *renames, d=name.value, y=best)


@rule("ABL713", "circular-dependency", "error", "Fields {cycle} depend on each other", over=AgentIndex)
def circular_dependency(agent: AgentIndex) -> Iterator[Found]:
    """
    What: Fields wait for each other in a circle.
    Why: None of them can ever be asked.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
            depends_on: [copy]
          copy:
            prompt: "Which copy?"
            depends_on: [title]
    Good:
        GATHER:
          title:
            prompt: "Which book?"
          copy:
            prompt: "Which copy?"
            depends_on: [title]
    """
    needs: dict[str, list[str]] = {}
    for name, others in agent.items(_needs):
        needs.setdefault(name, others)
    if not any(needs.values()):
        return
    waiting = cycles_in({name: [other for other in others if other in needs] for name, others in needs.items()})
    reported: set[int] = set()
    for start in needs:
        group = waiting.group.get(start)
        if group is not None and group not in reported:
            reported.add(group)
            trail, _ = shortest_cycle(start, waiting.moves.__getitem__)
            yield found(agent.fields[start].name.span, *unlink(agent, trail), cycle=" → ".join([*trail, start]))


def _needs(part: Part) -> list[tuple[str, list[str]]]:
    fields = part.all(nodes.GatherField)
    return [(field.name.value, [*(field.typed.given("DEPENDS_ON") or ())]) for field in fields]


@rule("ABL717", "infer-option-without-infer", "warning", "{p} without `infer: true`", over=nodes.GatherField)
def infer_option_without_infer(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `infer_confidence` or `infer_confirm` is set but `infer` is not true.
    Why: Nothing is inferred, so the setting has no effect.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
            infer_confidence: 0.9
    Good:
        GATHER:
          title:
            prompt: "Which book?"
            infer: true
            infer_confidence: 0.9
    """
    for key in ("INFER_CONFIDENCE", "INFER_CONFIRM"):
        prop = field.prop(key)
        if prop is not None and not is_set(field, agent, "INFER"):
            indent = fixes.indent_of(agent.source, prop.key_span.start)
            addition = fixes.insert_line_above(agent.source, prop.key_span, f"{indent}infer: true", "Add `infer: true`")
            yield found(prop.key_span, addition, p=prop.written)


@rule("ABL718", "bad-confidence", "error", "infer_confidence must be between 0 and 1", over=nodes.GatherField)
def bad_confidence(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `infer_confidence` is no number between 0 and 1.
    Why: It is a probability.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
            infer: true
            infer_confidence: 90
    Good:
        GATHER:
          title:
            prompt: "Which book?"
            infer: true
            infer_confidence: 0.9
    """
    text = value_of(field, "INFER_CONFIDENCE")
    if text is None:
        return
    if field.typed.given("INFER_CONFIDENCE") is None:
        yield found(text.span, *clamp_confidence(text))


@rule("ABL721", "unknown-strategy", "error", "Unknown strategy `{s}`. Did you mean `{y}`?", over=nodes.GatherField)
def unknown_strategy(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `strategy` is none of auto, pattern, ml, llm, hybrid.
    Why: How the value should be found in the answer is not known.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
            strategy: patern
    Good:
        GATHER:
          title:
            prompt: "Which book?"
            strategy: pattern
    """
    text = value_of(field, "STRATEGY")
    if text is not None and field.typed.given("STRATEGY") is None:
        best, renames = fixes.rename_to(text.span, text.value.strip(), STRATEGIES)
        yield found(text.span, *renames, s=text.value, y=best)


@rule("ABL722", "mask-without-sensitive", "warning", "{p} without `sensitive: true`", over=nodes.GatherField)
def mask_without_sensitive(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field says how it is masked but is not marked sensitive.
    Why: It is shown in full.
    Bad:
        GATHER:
          card:
            prompt: "Card number?"
            sensitive_display: mask
    Good:
        GATHER:
          card:
            prompt: "Card number?"
            sensitive: true
            sensitive_display: mask
    """
    keys = [prop for key in _SENSITIVE_KEYS if (prop := field.prop(key)) is not None]
    if keys and not is_set(field, agent, "SENSITIVE"):
        yield found(keys[0].key_span, *_as_sensitive(agent, field, keys[0]), p=keys[0].written)
        return
    mask, display = field.prop("MASK_CONFIG"), None if not keys else own_or_inherited(field, agent, "SENSITIVE_DISPLAY")
    if mask is None or (display is not None and _word(display) == "mask"):
        return
    wording = "{p} without `sensitive_display: mask`"
    if display is None:
        repairs = _line_above(agent, mask, "sensitive_display: mask")
        yield found(mask.key_span, *repairs, p=mask.written, wording=wording)
    elif _word(display) in ("redact", "replace"):
        own = field.prop("SENSITIVE_DISPLAY")
        repairs = (fixes.replace(own.value.inner, "mask"),) if own is not None and own.value is not None else ()
        yield found(mask.key_span, *repairs, p=mask.written, wording=wording)


def _as_sensitive(agent: AgentIndex, field: nodes.GatherField, below: nodes.Property) -> tuple[Fix, ...]:
    """`sensitive: true`, in the place of another value where there is one."""
    own = field.prop("SENSITIVE")
    if own is None:
        return _line_above(agent, below, "sensitive: true")
    return (fixes.replace(own.value.span, "true"),) if own.value is not None else ()


def _word(prop: nodes.Property) -> str:
    return value_of_text("field", prop.key, prop.value) or ""


def _line_above(agent: AgentIndex, prop: nodes.Property, line: str) -> tuple[Fix, ...]:
    """A property in a line of its own above another, or in its braces."""
    inside = braces.extent(agent.source, prop.key_span) is not None
    if not inside and (not has_own_lines(agent.source, prop.block.span) or prop.block.item):
        return ()
    indent = fixes.indent_of(agent.source, prop.key_span.start)
    return (fixes.insert_line_above(agent.source, prop.key_span, f"{indent}{line}", f"Add `{line}`"),)


@rule(
    "ABL714",
    "progressive-without-order",
    "warning",
    "progressive without depends_on follows field order",
    over=nodes.GatherField,
)
def progressive_without_order(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field has `activation: progressive` but no `depends_on`.
    Why: It is then asked in the order of the fields, which is easy to change by accident.
    Bad:
        GATHER:
          title:
            prompt: "Which book?"
          copy:
            prompt: "Which copy?"
            activation: progressive
    Good:
        GATHER:
          title:
            prompt: "Which book?"
          copy:
            prompt: "Which copy?"
            activation: progressive
            depends_on: [title]
    """
    activation = value_of(field, "ACTIVATION")
    if activation is None or field.typed.value("ACTIVATION") != "progressive":
        return
    if own_or_inherited(field, agent, "DEPENDS_ON") is None:
        yield found(activation.span, *depend_on_earlier(agent, field))


@rule("ABL716", "exclusive-shapes", "error", "{a} and {b} exclude each other", over=nodes.GatherField)
def exclusive_shapes(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field is more than one of range, list and preferences; or it is a range of something without an order.
    Why: Its value can have one shape only, and a range lies between two numbers or dates.
    Bad:
        GATHER:
          days:
            prompt: "Which days?"
            type: number
            range: true
            list: true
    Good:
        GATHER:
          days:
            prompt: "Which days?"
            type: number
            range: true
    """
    shapes = [key for key in ("RANGE", "LIST", "PREFERENCES") if is_true(field, key)]
    for later in shapes[1:]:
        prop = field.prop(later)
        if prop is not None:
            kept = [key for key in (shapes[0], later) if key != "RANGE" or _is_ordered(field, agent)]
            removals = tuple(_removals(agent, field, later, shapes[0], kept))
            yield found(prop.key_span, *removals, a=shapes[0].lower(), b=later.lower())
    yield from _range_of_words(field, agent) if shapes == ["RANGE"] else ()


def _removals(
    agent: AgentIndex, field: nodes.GatherField, later: str, first: str, kept: Sequence[str]
) -> Iterator[Fix]:
    """Of two shapes one goes, where the other may stay."""
    for key, other in ((later, first), (first, later)):
        prop = field.prop(key)
        if prop is not None and other in kept:
            yield fixes.remove_lines(agent.source, prop.block.span, f"Remove `{prop.written}`", preferred=False)


def _is_ordered(field: nodes.GatherField, agent: AgentIndex) -> bool:
    kind = type_word(field, agent)
    return kind is None or kind not in GATHER_TYPES or kind in _ORDERED


def _range_of_words(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    prop, kind = field.prop("RANGE"), type_word(field, agent)
    if prop is not None and not _is_ordered(field, agent):
        removal = fixes.remove_lines(agent.source, prop.block.span, f"Remove `{prop.written}`", preferred=False)
        words = "range needs a number, currency or date type, not {t}"
        yield found(prop.key_span, removal, t=kind, wording=words)


@rule("ABL720", "unused-pattern", "warning", "extraction_pattern is unused with strategy {s}", over=nodes.GatherField)
def unused_pattern(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A field has its own pattern, but its strategy leaves finding the value to a model.
    Why: The pattern is never applied.
    Bad:
        GATHER:
          card:
            prompt: "Card number?"
            strategy: llm
            extraction_pattern: "[0-9]{8}"
    Good:
        GATHER:
          card:
            prompt: "Card number?"
            strategy: hybrid
            extraction_pattern: "[0-9]{8}"
    """
    if field.extraction_pattern is None:
        return
    own = own_or_inherited(field, agent, "STRATEGY")
    strategy = own.value if own is not None else agent.derive(_block_strategies).get(field.name.span.start)
    if strategy is not None and value_of_text("field", "STRATEGY", strategy) in ("llm", "ml"):
        choices = (fixes.replace(strategy.span, word, preferred=False) for word in ("hybrid", "pattern"))
        yield found(strategy.span, *choices, s=strategy.value.strip())


def _block_strategies(agent: AgentIndex) -> dict[int, nodes.Text]:
    """The strategies of blocks by where the names of their fields begin."""
    gathers = [gather for gather in agent.all(nodes.Gather) if gather.strategy is not None]
    return {field.name.span.start: gather.strategy for gather in gathers for field in gather.fields if gather.strategy}
