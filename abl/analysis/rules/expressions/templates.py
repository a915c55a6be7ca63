"""25x: placeholders and blocks in messages (docs/spec 02 §9, 05 §4)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.fixes.templates import known_helper
from abl.analysis.incremental.parts import Placed
from abl.analysis.index.model import AgentIndex, ExpressionUse, Read, TemplateUse, is_true
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.expressions import nodes as en
from abl.expressions.template_parser import Problem, SingleBrace
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.recovery.suggest import closest

_BY_NAME = re.compile(r"TEMPLATE\(\s*(\w+)\s*\)")
_TEMPLATE_WORDS = ("#if", "else", "#each", "add", "sub")


def _span(problem: Problem, use: TemplateUse) -> Span:
    return use.span(problem.start, max(problem.end, problem.start + 1))


@rule("ABL250", "unclosed-placeholder", "error", "`{{` without `}}`", over=Problem)
def unclosed_placeholder(problem: Problem, use: TemplateUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A placeholder is opened and not closed.
    Why: The braces and what follows are printed as they are.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "You have {{loans loans."
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "You have {{loans}} loans."
    """
    span = _span(problem, use)
    word = re.match(r"\{\{\s*[\w.]+(\}?)", agent.source.text[span.start : span.start + 200])
    lacking = "}" if word and word[1] else "}}"
    yield found(span, *((fixes.insert(span.start + word.end(), lacking, "Close with `}}`"),) if word else ()))


@rule("ABL251", "unbalanced-block", "error", "{reason}", over=Problem)
def unbalanced_block(problem: Problem, use: TemplateUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A block such as `{{#if}}` or `{{#each}}` is not closed, or is closed without being open.
    Why: What belongs to the block is a guess.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "{{#if is_member}}Dear member, no more loans."
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "{{#if is_member}}Dear member, {{/if}}no more loans."
    """
    if "is not closed" in problem.reason:
        closing = f"{{{{/{problem.name}}}}}"
        repair = fixes.insert(use.text.inner.end, closing, f"Close with `{closing}`", preferred=False)
    else:
        repair = fixes.replace(_span(problem, use), "", "Remove it", preferred=False)
    yield found(_span(problem, use), repair, reason=problem.reason)


@rule("ABL252", "unknown-helper", "error", "Unknown helper `{h}`. Did you mean `{y}`?", over=Problem)
def unknown_helper(problem: Problem, use: TemplateUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A tag uses a helper other than `#if`, `else`, `#each`, `add`, `sub`.
    Why: The tag prints nothing.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "{{#unless is_member}}Join us.{{/unless}}"
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "{{#if NOT is_member}}Join us.{{/if}}"
    """
    close = closest(problem.name, _TEMPLATE_WORDS)
    repairs = known_helper(problem, use)
    yield found(_span(problem, use), *repairs, h=problem.name, y=close[0] if close else "")


@rule("ABL254", "single-braces", "warning", "`{x}` in single braces is printed as is", over=SingleBrace)
def single_braces(brace: SingleBrace, use: TemplateUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A known name is in single braces in a message.
    Why: Only double braces are replaced by the value.
    Bad:
        MEMORY:
          session:
            - loans
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "You have {loans} loans."
    Good:
        MEMORY:
          session:
            - loans
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "You have {{loans}} loans."
    """
    if brace.name.partition(".")[0] in agent.written_roots:
        span = use.span(brace.start, brace.end)
        yield found(span, fixes.replace(span, f"{{{{{brace.name}}}}}"), x=f"{{{brace.name}}}")


@rule(
    "ABL255",
    "each-over-scalar",
    "warning",
    "`#each` over `{x}` which is not an array",
    over=ExpressionUse,
    needs="each",
)
def each_over_scalar(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `#each` repeats over a value whose known type is not array.
    Why: Nothing is printed.
    Bad:
        MEMORY:
          session:
            - loans
              TYPE: number
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "{{#each loans}}{{title}} {{/each}}"
    Good:
        MEMORY:
          session:
            - loan_list
              TYPE: array
        CONSTRAINTS:
          - REQUIRE loan_list.length < 3
            ON_FAIL: "{{#each loan_list}}{{title}} {{/each}}"
    """
    node = use.reading.node
    if use.each_depth == 0 and node is not None:
        kind = agent.types.of(node, use.locals)
        if kind not in (None, "array", "null"):
            yield found(use.whole, x=use.reading.text)


@rule("ABL256", "legacy-placeholder", "info", "`${x}` is the legacy form", over=Problem, tags=("deprecated",))
def legacy_placeholder(problem: Problem, use: TemplateUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A placeholder is written `${name}`.
    Why: It works, but the form is `{{name}}`.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "You have ${loans} loans."
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "You have {{loans}} loans."
    """
    span, better = _span(problem, use), problem.replacement
    yield found(span, *((fixes.replace(span, better),) if better else ()), x=f"{{{problem.name}}}")


@rule("ABL257", "item-outside-each", "warning", "`{x}` outside `#each`", over=Problem)
def item_outside_each(problem: Problem, use: TemplateUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `this` or `@index` is used where nothing repeats.
    Why: There is no item, so nothing is printed.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "Loan {{@index}}"
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "{{#each loan_list}}Loan {{@index}} {{/each}}"
    """
    yield found(_span(problem, use), x=problem.name)


@rule("ABL258", "empty-placeholder", "warning", "Placeholder may be empty: `{name}` can be unset here", over=nodes.Rule)
def empty_placeholder(node: nodes.Rule, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The message of a rule shows a name, and the rule fails exactly when that name is unset.
    Why: The placeholder is then always empty.
    Bad:
        CONSTRAINTS:
          - REQUIRE due_date IS SET
            ON_FAIL: "The due date {{due_date}} is missing."
    Good:
        CONSTRAINTS:
          - REQUIRE due_date IS SET
            ON_FAIL: "When is it due?"
    """
    unset = _unset_on_failure(node, agent)
    if not unset or node.on_fail is None:
        return
    for use in agent.expressions_of(node.on_fail):
        tree = use.reading.node
        if use.role == "value" and isinstance(tree, en.Path) and ".".join(tree.parts) in unset:
            name, quote = use.reading.text, "'" if use.text.style == "double" else '"'
            fallback = fixes.replace(use.whole, f"COALESCE({name}, {quote}…{quote})", preferred=False)
            yield found(use.whole, fallback, name=name)


def _unset_on_failure(node: nodes.Rule, agent: AgentIndex) -> frozenset[str]:
    """Names that are certainly unset when the rule fails."""
    tree = next((u.reading.node for u in agent.expressions_of(node) if u.text == node.condition), None)
    wanted = "IS NOT SET" if node.kind.value == "RESTRICT" else "IS SET"
    if isinstance(tree, en.Test) and tree.op == wanted and isinstance(tree.left, en.Path):
        return frozenset({".".join(tree.left.parts)})
    return frozenset()


@rule("ABL259", "sensitive-in-message", "warning", "Message shows sensitive value `{path}`", over=Placed, needs="reads")
def sensitive_in_message(part: Placed, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A text shows a value that is declared sensitive, without MASK.
    Why: Personal data then appears in full in the conversation and in whatever keeps it.
    Bad:
        MEMORY:
          persistent:
            - user.card
              SENSITIVE: true
              SENSITIVE_DISPLAY: mask
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "Card {{user.card}} has too many loans."
    Good:
        MEMORY:
          persistent:
            - user.card
              SENSITIVE: true
              SENSITIVE_DISPLAY: mask
        CONSTRAINTS:
          - REQUIRE loans < 3
            ON_FAIL: "Card {{MASK(user.card, 'last4')}} has too many loans."
    """
    for read in part.reads if agent.sensitive else ():
        if read.use is None or read.use.place != "TAG" or read.use.role != "value" or not _is_sensitive(read, agent):
            continue
        masked = any(
            isinstance(node, en.Call) and node.name.upper() in ("MASK", "LENGTH", "IF", "MATCHES")
            for node in read.use.reading.nodes
        )
        if not masked:
            quote = "'" if read.use.text.style == "double" else '"'
            text = f"MASK({read.path}, {quote}last4{quote})"
            yield found(read.span, fixes.replace(read.span, text), path=read.path)


def _is_sensitive(read: Read, agent: AgentIndex) -> bool:
    declared = agent.path_of(read.path) or agent.fields.get(read.path)
    return declared is not None and is_true(declared, "SENSITIVE")


@rule(
    "ABL260",
    "unknown-template",
    "error",
    "Template `{n}` is not defined. Did you mean `{y}`?",
    over=(nodes.Respond, Placed),
    project=True,
)
def unknown_template(node: nodes.Respond | Placed, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: `TEMPLATE(name)` names no entry of TEMPLATES.
    Why: There is no text to send.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TEMPLATES:
          welcome:
            DEFAULT: "Hello."
        FLOW:
          greet:
            REASONING: false
            RESPOND: TEMPLATE(welcom)
            THEN: COMPLETE
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TEMPLATES:
          welcome:
            DEFAULT: "Hello."
        FLOW:
          greet:
            REASONING: false
            RESPOND: TEMPLATE(welcome)
            THEN: COMPLETE
    """
    names = list(_templates_named(node))
    if not names or agent.agent.section("USE_BEHAVIOR_PROFILE") is not None:
        return
    defined = [name.value for name, _ in agent.agent.templates]
    section = agent.agent.section("TEMPLATES")
    if section is not None and section.block is not None:
        defined += [child.key for child in section.block.children]
    for name in names:
        if name.value not in defined:
            best, renames = fixes.rename_to(name.span, name.value, defined)
            yield found(name.span, *renames, n=name.value, y=best)


def _templates_named(node: nodes.Respond | Placed) -> Iterator[nodes.Name]:
    """The template of a message; of a part those of messages that are read as texts, in COMPLETE and handlers."""
    if isinstance(node, nodes.Respond):
        yield from (node.template,) if node.template is not None else ()
        return
    for kept in node.part.templates:
        match = _BY_NAME.fullmatch(kept.value) if kept.place == "RESPOND" and kept.text.style == "bare" else None
        if match is not None and not isinstance(kept.owner, nodes.Respond):
            yield nodes.Name(match[1], node.template(kept).span(*match.span(1)))


@rule("ABL261", "filler-placeholder", "warning", "Filler messages are not interpolated", over=AgentIndex)
def filler_placeholder(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A `filler_*` message holds a placeholder.
    Why: Fillers are spoken as they are, braces included.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MESSAGES:
          filler_general: "One moment, {{name}}."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MESSAGES:
          filler_general: "One moment."
    """
    for name, text in agent.agent.messages:
        if name.value.startswith("filler_") and "{{" in text.value:
            at = text.value.index("{{")
            yield found(text.span_of(at, at + 2))
