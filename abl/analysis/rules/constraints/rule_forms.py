"""4xx about the shape of rules and phases (docs/spec 04 §1-§4, 05 §7)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.judgement import condition_of
from abl.analysis.conditions.reading import read_value
from abl.analysis.conformance.properties import looks_given
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes.entries import add_property, has_own_lines, remove_property
from abl.analysis.incremental.parts import Part
from abl.analysis.index.model import AgentIndex, first_line
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix, Related
from abl.expressions import nodes as en
from abl.language import value_of_text
from abl.syntax import nodes
from abl.syntax.recovery.emptied_blocks import removal
from abl.syntax.vocabulary import RULE_KEYS, RULE_KINDS

_RELATIONS = frozenset({"<", "<=", ">", ">="})
_QUOTED_RULE = re.compile(rf"\s*(?:{'|'.join(RULE_KINDS)})\s+(.+?)(?:\s(?:WHEN|BEFORE)\s.*)?")
_MOMENTS = ("pre_", "before_", "on_")


@rule("ABL401", "unknown-rule-kind", "error", "Unknown rule kind `{k}`. Did you mean `{y}`?")
def unknown_rule_kind() -> None:
    """
    What: A rule begins with a word other than REQUIRE, LIMIT, RESTRICT or WARN.
    Why: The rule is not read and protects nothing.
    Bad:
        CONSTRAINTS:
          - REQIRE loans < 3
            ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "Too many loans."
    """


@rule("ABL402", "rule-without-condition", "error", "Rule has no condition")
def rule_without_condition() -> None:
    """
    What: A rule has a kind but no condition.
    Why: There is nothing to check; the rule is skipped.
    Bad:
        CONSTRAINTS:
          - REQUIRE
            ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "Too many loans."
    """


@rule("ABL405", "empty-on-fail", "error", "ON_FAIL is empty", over=nodes.OnFail)
def empty_on_fail(action: nodes.OnFail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ON_FAIL has neither a value nor a block, or a message without words.
    Why: What should happen when the rule fails is not said.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL:
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "Too many loans."
    """
    message = action.message if action.form == "message" else None
    if message is not None and not message.value.strip():
        text = fixes.replace(message.span, '"This is not possible."', "Insert a message", preferred=False)
        yield found(message.span, text, node=action.path)


@rule("ABL433", "two-gates", "error", "Two WHEN gates on one rule")
def two_gates() -> None:
    """
    What: A rule has a WHEN on its line and another as a property.
    Why: Only one gate is possible; join the two with AND.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans < 3 WHEN is_member
            WHEN: is_open
            ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            WHEN: is_member AND is_open
            ON_FAIL: "Too many loans."
    """


@rule("ABL445", "nested-phase", "error", "Phases cannot be nested")
def nested_phase() -> None:
    """
    What: A phase stands inside another phase.
    Why: Phases are labels for one flat list of rules.
    Bad:
        CONSTRAINTS:
          lending:
            members:
              - REQUIRE loans < 3
                ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          lending:
            - REQUIRE loans < 3
              ON_FAIL: "Too many loans."
    """


@rule("ABL403", "sentence-as-rule", "warning", "Plain sentence is not a rule", over=AgentIndex)
def sentence_as_rule(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A list item under CONSTRAINTS is a sentence, or one under STEP_CONSTRAINTS a rule in quotes.
    Why: Only REQUIRE, LIMIT, RESTRICT and WARN are checked; advice for a model belongs in LIMITATIONS.
    Bad:
        CONSTRAINTS:
          - "Never lend reference books"
    Good:
        CONSTRAINTS:
          - RESTRICT item_class == "reference"
            ON_FAIL: "Reference books stay here."
    """
    constraints = agent.agent.constraints
    if isinstance(agent.agent, nodes.Fragment) and agent.agent.profile is not None:
        return  # a profile's list of plain sentences is for the model (01 §6)
    for sentence in constraints.sentences if constraints is not None else ():
        if sentence.unknown_kind is None and sentence.text.value:
            yield found(sentence.text.span, *_to_limitations(agent, sentence), node=sentence.path)
    for placed, quoted in agent.each(_quoted_rules):
        for entry in quoted:
            text = placed.at(entry.text)
            repairs = (fixes.replace(text.span, text.value, "Remove the quotes"),) if _is_plain(text.value) else ()
            yield found(text.span, *repairs, node=entry.path, wording="A rule in quotes is a text for the model")


def _quoted_rules(part: Part) -> list[nodes.Sentence]:
    """Sentences of STEP_CONSTRAINTS that can be read as rules, and so are hardly meant to be sentences."""
    entries = (entry for setting in part.all(nodes.Setting) for entry in setting.rules)
    return [entry for entry in entries if isinstance(entry, nodes.Sentence) and _is_quoted_rule(entry.text)]


def _is_quoted_rule(text: nodes.Text) -> bool:
    rule = _QUOTED_RULE.fullmatch(text.value) if text.style in ("double", "single") else None
    return rule is not None and bool(read_value(rule[1]).tests)


def _is_plain(text: str) -> bool:
    """True for what means the same without its quotes."""
    return not any(mark in text for mark in (": ", " #", "\n", "\\"))


def _to_limitations(agent: AgentIndex, sentence: nodes.Sentence) -> tuple[Fix, ...]:
    section, own = agent.agent.section("LIMITATIONS"), agent.agent.section("CONSTRAINTS")
    if own is None or not has_own_lines(agent.source, sentence.span):
        return ()
    words = sentence.text.raw.replace('"', '\\"') if sentence.text.style == "bare" else sentence.text.raw
    line = f'  - "{words}"'
    removed = removal(agent.source, sentence.span)
    if removed.is_all:
        return ()  # LIMITATIONS alone is no document
    gap = "" if removed.keys else "\n"  # between the two sections
    added = (
        fixes.insert_line_below(agent.source, section.span, line, "")
        if section is not None
        else fixes.insert_line_above(agent.source, own.span, f"LIMITATIONS:\n{line}{gap}", "")
    )
    return (Fix("Move to LIMITATIONS", (*added.edits, *removed.edits)),)


@rule(
    "ABL404",
    "rule-without-on-fail",
    "warning",
    "Rule has no ON_FAIL; the generic message will be used",
    over=nodes.Rule,
)
def rule_without_on_fail(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A rule does not say what happens when it fails.
    Why: People then get a generic message that does not tell them what to do.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans < 3
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "Too many loans."
    """
    silent = checked.on_fail is None and checked.prop("ON_FAIL") is None
    if silent and checked.condition is not None and not looks_given(checked, "ON_FAIL", RULE_KEYS):
        yield found(first_line(checked), *add_property(agent, checked, 'ON_FAIL: "…"'), node=checked.path)


@rule("ABL439", "limit-without-number", "warning", "LIMIT expects a numeric comparison", over=nodes.Rule, needs="LIMIT")
def limit_without_number(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A LIMIT compares nothing with `<`, `<=`, `>` or `>=`.
    Why: It works like REQUIRE, but readers look for a bound.
    Bad:
        CONSTRAINTS:
          - LIMIT is_member == true
            ON_FAIL: "Members only."
    Good:
        CONSTRAINTS:
          - LIMIT open_loans < 3
            ON_FAIL: "Too many loans."
    """
    use = condition_of(checked, agent) if checked.kind.value == "LIMIT" else None
    if use is not None and use.reading.node is not None and not any(t.op in _RELATIONS for t in use.reading.tests):
        yield found(
            use.whole, fixes.replace(checked.kind.span, "REQUIRE", "Change LIMIT to REQUIRE"), node=checked.path
        )


@rule(
    "ABL440",
    "double-negative",
    "warning",
    "RESTRICT states what is forbidden; `NOT` inside reads as a double negative",
    over=nodes.Rule,
    needs="RESTRICT",
)
def double_negative(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A RESTRICT forbids that something is not so.
    Why: REQUIRE says the same without the two negations, which are easily read the wrong way round.
    Bad:
        CONSTRAINTS:
          - RESTRICT NOT is_member
            ON_FAIL: "Members only."
    Good:
        CONSTRAINTS:
          - REQUIRE is_member
            ON_FAIL: "Members only."
    """
    use = condition_of(checked, agent) if checked.kind.value == "RESTRICT" else None
    node = use.reading.node if use is not None else None
    if use is None or node is None:
        return
    positive = ""
    if isinstance(node, en.Unary) and node.op in ("NOT", "!"):
        positive = use.reading.text[node.operand.start : node.operand.end]
    elif isinstance(node, en.Test) and node.op in ("IS NOT SET", "IS NOT EMPTY"):
        positive = f"{use.reading.slice(node.left)} {node.op.replace('NOT ', '')}"
    if positive:
        edits = (Edit(checked.kind.span, "REQUIRE"), Edit(use.whole, positive))
        yield found(use.whole, Fix(f"Write `REQUIRE {positive}`", edits, preferred=True), node=checked.path)


@rule(
    "ABL441",
    "severity-line",
    "warning",
    "`severity:` beside WARN, whose kind says it",
    over=nodes.Rule,
    needs="SEVERITY",
)
def severity_line(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A WARN has a `severity:` line.
    Why: The kind says that a failure only warns. With `severity: error` the rule blocks all the same, and whoever reads
        WARN is misled.
    Bad:
        CONSTRAINTS:
          - WARN fines < 20
            severity: error
            ON_FAIL: "High fines."
    Good:
        CONSTRAINTS:
          - REQUIRE fines < 20
            ON_FAIL: "High fines."
    """
    prop = checked.prop("SEVERITY")
    if (
        prop is not None
        and checked.kind.value == "WARN"
        and value_of_text("rule", "SEVERITY", checked.severity) is not None
    ):
        yield found(prop.key_span, *_kind_instead(agent, checked, prop), node=checked.path)


def _kind_instead(agent: AgentIndex, checked: nodes.Rule, prop: nodes.Property) -> tuple[Fix, ...]:
    removal = remove_property(agent, prop)
    if not removal:
        return ()
    if checked.is_warning:
        return (Fix("Say it by the kind: WARN", removal[0].edits, preferred=True),)
    kind = "require" if agent.source.text[slice(*checked.kind.span)].islower() else "REQUIRE"
    edits = (Edit(checked.kind.span, kind), *removal[0].edits)
    return (Fix(f"Say it by the kind: {kind}", edits, preferred=True),)


@rule("ABL443", "bad-severity", "error", "severity must be error or warning", over=nodes.Rule)
def bad_severity(checked: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `severity` has another value than error or warning.
    Why: Whether a failure blocks or only warns is not known.
    Bad:
        agent: Desk
        goal: "Lend books"
        constraints:
          lending:
            - require: "fines < 20"
              severity: fatal
              on_fail: "High fines."
    Good:
        agent: Desk
        goal: "Lend books"
        constraints:
          lending:
            - require: "fines < 20"
              severity: error
              on_fail: "High fines."
    """
    yield from unfit(checked.severity, "rule", "SEVERITY", f"{checked.path}.severity")


@rule("ABL444", "phase-like-event", "hint", "Phase `{p}` is only a label", over=nodes.Phase)
def phase_like_event(phase: nodes.Phase, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A phase is named like a moment of execution.
    Why: Phases do not decide when a rule is checked; BEFORE and WHEN do.
    Bad:
        CONSTRAINTS:
          before_lending:
            - REQUIRE is_member
              ON_FAIL: "Members only."
    Good:
        CONSTRAINTS:
          lending:
            - REQUIRE is_member BEFORE calling issue_loan
              ON_FAIL: "Members only."
    """
    if phase.name.value.lower().startswith(_MOMENTS):
        yield found(phase.name.span, node=phase.path, p=phase.name.value)


@rule("ABL446", "phase-twice", "warning", "Phase `{p}` appears twice", over=nodes.Constraints)
def phase_twice(constraints: nodes.Constraints, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Two phases have one name.
    Why: Phases are labels, so nothing is overwritten; one list is easier to read.
    Bad:
        CONSTRAINTS:
          lending:
            - REQUIRE is_member
              ON_FAIL: "Members only."
          lending:
            - LIMIT open_loans < 3
              ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          lending:
            - REQUIRE is_member
              ON_FAIL: "Members only."
            - LIMIT open_loans < 3
              ON_FAIL: "Too many loans."
    """
    first: dict[str, nodes.Phase] = {}
    for before, phase in zip((None, *constraints.phases), constraints.phases, strict=False):
        name = phase.name.value
        if name in first:
            related = (Related(agent.source.path, first[name].name.span, "first part"),)
            repairs = _joined(agent, before, phase)
            yield found(phase.name.span, *repairs, related=related, node=phase.path, p=name)
        first.setdefault(name, phase)


def _joined(agent: AgentIndex, before: nodes.Phase | None, phase: nodes.Phase) -> tuple[Fix, ...]:
    """Take out the second heading where the two parts stand one behind the other, in one form."""
    if before is None or before.name.value != phase.name.value or before.block is None or phase.block is None:
        return ()
    entries = (*before.block.children, *phase.block.children)
    alike = {(entry.item, entry.column) for entry in entries}
    if not before.block.children or not phase.block.children or len(alike) != 1 or not entries[0].item:
        return ()
    return (fixes.remove_lines(agent.source, phase.block.line_span, f"Join the two parts of `{phase.name.value}`"),)
