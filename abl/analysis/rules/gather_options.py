"""7xx about how fields are found and guarded (docs/spec 07 §5-7, §10, 10 §3)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.fields import names_in, type_word, validation_of
from abl.analysis.gather_fixes import clamp_confidence, depend_on_earlier, unlink
from abl.analysis.knots import circle, circles
from abl.analysis.model import AgentIndex, is_true, value_of
from abl.analysis.parts import Part
from abl.analysis.registry import Found, found, rule
from abl.expressions.regex import regex_problem
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
    if kind is not None and rule_ is not None and kind.value.value.strip().lower() == "pattern":
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
    waiting = circles({name: [other for other in others if other in needs] for name, others in needs.items()})
    told: set[int] = set()
    for start in needs:
        group = waiting.group.get(start)
        if group is not None and group not in told:
            told.add(group)
            trail, _ = circle(start, waiting.moves.__getitem__)
            yield found(agent.fields[start].name.span, *unlink(agent, trail), cycle=" → ".join([*trail, start]))


def _needs(part: Part) -> list[tuple[str, list[str]]]:
    fields = part.all(nodes.GatherField)
    return [(field.name.value, [name.value for name in names_in(field.prop("DEPENDS_ON"))]) for field in fields]


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
    if is_true(field, "INFER"):
        return
    for key in ("INFER_CONFIDENCE", "INFER_CONFIRM"):
        prop = field.prop(key)
        if prop is not None:
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
    try:
        inside = 0 <= float(text.value) <= 1
    except ValueError:
        inside = False
    if not inside:
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
    if text is not None and text.value.strip().lower() not in STRATEGIES:
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
    if is_true(field, "SENSITIVE"):
        return
    for key in _SENSITIVE_KEYS:
        prop = field.prop(key)
        if prop is not None:
            indent = fixes.indent_of(agent.source, prop.key_span.start)
            line = f"{indent}sensitive: true"
            yield found(
                prop.key_span,
                fixes.insert_line_above(agent.source, prop.key_span, line, "Add `sensitive: true`"),
                p=prop.written,
            )
            return


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
    if activation is not None and activation.value.strip() == "progressive" and field.prop("DEPENDS_ON") is None:
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
            removal = fixes.remove_lines(agent.source, prop.block.span, f"Remove `{prop.written}`", preferred=False)
            yield found(prop.key_span, removal, a=shapes[0].lower(), b=later.lower())
    yield from _range_of_words(field, agent) if shapes == ["RANGE"] else ()


def _range_of_words(field: nodes.GatherField, agent: AgentIndex) -> Iterator[Found]:
    prop, kind = field.prop("RANGE"), type_word(field, agent)
    if prop is not None and kind is not None and kind in GATHER_TYPES and kind not in _ORDERED:
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
    strategy = value_of(field, "STRATEGY")
    if (
        field.extraction_pattern is not None
        and strategy is not None
        and strategy.value.strip().lower() in ("llm", "ml")
    ):
        choices = (fixes.replace(strategy.span, word, preferred=False) for word in ("hybrid", "pattern"))
        yield found(strategy.span, *choices, s=strategy.value.strip())
