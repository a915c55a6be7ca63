"""5xx and 9xx about handoffs, completion, error handlers and prompts (docs/spec 09, 10 §5)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.reading import is_true_literal
from abl.analysis.conformance import generic, required_keys
from abl.analysis.conformance.properties import looks_given
from abl.analysis.fixes.entries import move_behind
from abl.analysis.index.delegating import delegations
from abl.analysis.index.languages import intended_tags, is_path, is_tag
from abl.analysis.index.model import AgentIndex, ExpressionUse, first_line
from abl.analysis.registry import Found, found, rule
from abl.expressions import nodes as en
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.vocabulary import COMPLETION_KEYS, HANDOFF_KEYS


@rule("ABL901", "bad-language-tag", "error", "`{x}` is not a language tag", over=(nodes.Section, nodes.Setting))
def bad_language_tag(node: nodes.Section | nodes.Setting, agent: AgentIndex) -> Iterator[Found]:
    """
    What: LANGUAGE, a literal SET_INTERACTION_LANGUAGE or a language of NLU is no BCP 47 tag.
    Why: Dates, numbers and yes/no answers are read by the rules of that language.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        LANGUAGE: "English (UK)"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        LANGUAGE: "en-GB"
    """
    if isinstance(node, nodes.Section) and node.keyword == "NLU":
        yield from _bad_languages(node, agent)
        return
    text = node.value if node.keyword in ("LANGUAGE", "SET_INTERACTION_LANGUAGE") else None
    value = text.value.strip() if text is not None else ""
    if text is None or not value or is_tag(value):
        return
    if node.keyword != "LANGUAGE" and (is_path(text) or "{" in value or value in agent.written_roots):
        return
    tags = intended_tags(value)
    repairs = (fixes.replace(text.span, f'"{tag}"', f"Change to `{tag}`", preferred=len(tags) == 1) for tag in tags)
    yield found(text.span, *repairs, x=value)


def _bad_languages(nlu: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """``languages`` and ``default_language`` of NLU (09 §10)."""
    keys = generic.by_key(agent.own_source, nlu.block)
    for name in (
        *generic.names(agent.own_source, keys.get("languages")),
        *generic.names(agent.own_source, keys.get("defaultlanguage")),
    ):
        value = name.value.strip()
        if value and not is_tag(value) and "{" not in value:
            tags = intended_tags(value)
            repairs = (fixes.replace(name.span, tag, f"Change to `{tag}`", preferred=len(tags) == 1) for tag in tags)
            yield found(name.span, *repairs, x=value)


@rule("ABL902", "prompt-replaces", "warning", "SYSTEM_PROMPT replaces {which} in the prompt", over=AgentIndex)
def prompt_replaces(agent: AgentIndex) -> Iterator[Found]:
    """
    What: An agent has SYSTEM_PROMPT beside PERSONA or LIMITATIONS.
    Why: The system prompt replaces the generated one, so the others are not told to the model.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        PERSONA: "Friendly"
        SYSTEM_PROMPT: "You lend books."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        SYSTEM_PROMPT: "You lend books and are friendly."
    """
    prompt = agent.agent.section("SYSTEM_PROMPT")
    lost = [keyword for keyword in ("PERSONA", "LIMITATIONS") if agent.agent.section(keyword)]
    if prompt is not None and lost:
        yield found(prompt.key_span, which=" and ".join(lost))


@rule(
    "ABL921",
    "incomplete-entry",
    "error",
    "{kind} entry needs WHEN",
    over=(nodes.Handoff, nodes.Section, nodes.Completion),
)
def incomplete_entry(node: nodes.Handoff | nodes.Section | nodes.Completion, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A handoff, a delegation, a completion or an escalation trigger does not say when it happens; or an entry lacks
        something else that it needs: PURPOSE, INPUT and RETURNS of a delegation, REF and CAPABILITIES of AGENTS, what
        a lookup table takes its values from.
    Why: Without WHEN it never happens; `WHEN: true` is a catch-all. What else is missing is not guessed.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
    """
    if isinstance(node, nodes.Section):
        for keys in delegations(node, agent):
            target = generic.first_of(keys, ("agent", "to"))
            if target is not None and "when" not in keys and generic.word(target):
                yield from _without_when("DELEGATE", generic.span_of(target), target.column - 1, agent)
        yield from required_keys.lacking(node, agent)
    elif isinstance(node, nodes.Completion):
        silent = node.when is None and node.prop("WHEN") is None
        silent = silent and bool(node.props)  # an entry with nothing of an entry is ABL125
        if silent and node.block is not None and not looks_given(node, "WHEN", COMPLETION_KEYS):
            yield found(first_line(node), kind="COMPLETE")
    elif node.when is None and node.to is not None and not looks_given(node, "WHEN", HANDOFF_KEYS):
        dash = node.block.column if node.block else agent.source.position(node.to.span.start).column
        yield from _without_when("HANDOFF", node.to.span, dash + 1, agent)


def _without_when(kind: str, target: Span, indent: int, agent: AgentIndex) -> Iterator[Found]:
    line = f"{' ' * indent}WHEN: true"
    yield found(target, fixes.insert_line_below(agent.source, target, line, "Add `WHEN: true`"), kind=kind)


@rule(
    "ABL922",
    "judged-by-model",
    "info",
    "A model judges this condition; locally you choose",
    over=ExpressionUse,
    needs="condition",
)
def judged_by_model(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A routing condition is a quoted sentence.
    Why: Whether it holds is a model's judgement; a local run asks the tester.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: "the user is upset"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
    """
    if use.is_sentence and (use.text.style != "bare" or _in_yaml_quotes(use, agent)):
        yield found(use.text.span)


@rule("ABL924", "unquoted-sentence", "warning", "Unquoted sentence", over=ExpressionUse, needs="condition")
def unquoted_sentence(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A routing condition is a sentence without quotes.
    Why: Without quotes it is read as an expression, and this one cannot be read.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: the user is upset
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: "the user is upset"
    """
    if use.routing and use.text.style == "bare" and use.is_sentence and not _in_yaml_quotes(use, agent):
        yield found(use.text.span, fixes.replace(use.text.span, f'"{use.text.value.strip()}"', "Quote it"))


def _in_yaml_quotes(use: ExpressionUse, agent: AgentIndex) -> bool:
    """True for a text whose quotes are those of YAML, which are no part of it (01 §9)."""
    return agent.source.text[max(use.text.span.start - 1, 0) : use.text.span.start] in ('"', "'")


@rule(
    "ABL925", "complete-needs-expression", "error", "COMPLETE needs an expression", over=ExpressionUse, needs="COMPLETE"
)
def complete_needs_expression(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: WHEN of COMPLETE is a quoted sentence.
    Why: Completion is decided without a model, so a sentence cannot be judged.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        COMPLETE:
          - WHEN: "the user is happy"
            RESPOND: "Bye."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        COMPLETE:
          - WHEN: loan_done == true
            RESPOND: "Bye."
    """
    node = use.reading.node
    sentence = use.reading.literal or (isinstance(node, en.Literal) and node.form == "string")
    if sentence:
        yield found(use.text.span)


@rule(
    "ABL928", "return-without-expect", "warning", "ON_RETURN without EXPECT_RETURN: true never runs", over=nodes.Handoff
)
def return_without_expect(handoff: nodes.Handoff, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A handoff says what to do on return but does not expect one.
    Why: The other agent keeps the conversation.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            ON_RETURN: continue
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: needs_help == true
            EXPECT_RETURN: true
            ON_RETURN: continue
    """
    expected = handoff.typed.value("EXPECT_RETURN")
    if handoff.on_return is not None and not expected:
        indent = fixes.indent_of(agent.source, handoff.on_return.span.start)
        line = f"{indent}EXPECT_RETURN: true"
        addition = fixes.insert_line_above(agent.source, handoff.on_return.span, line, "Add `EXPECT_RETURN: true`")
        yield found(handoff.on_return.key_span, *(() if handoff.expect_return else (addition,)))


@rule("ABL937", "route-after-catch-all", "warning", "Routes after `WHEN: true` are never reached", over=AgentIndex)
def route_after_catch_all(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A handoff follows one that always applies.
    Why: The first that matches wins.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Librarian
            WHEN: true
          - TO: Cashier
            WHEN: fines > 0
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        HANDOFF:
          - TO: Cashier
            WHEN: fines > 0
          - TO: Librarian
            WHEN: true
    """
    handoffs = agent.agent.handoffs
    if any(handoff.priority is not None for handoff in handoffs):
        return
    conditions = [(i, h.when) for i, h in enumerate(handoffs) if h.when is not None]
    always = next((i for i, when in conditions if is_true_literal(when.value, when.style)), None)
    for number, handoff in enumerate(handoffs[always + 1 :] if always is not None else ()):
        repair = move_behind(agent, handoffs[always or 0], handoffs[-1]) if not number else ()
        yield found(handoff.to.span if handoff.to else handoff.span, *repair)
