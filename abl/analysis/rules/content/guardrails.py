"""10xx about GUARDRAILS: what each must say (docs/spec 09 §11, 10 §6)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from abl.analysis import fixes
from abl.analysis.conformance.properties import in_range, is_fixed, misspelt, number
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes import content as content_fixes
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix, Related
from abl.expressions.functions.guardrail_templates import TEMPLATES
from abl.language import value_of_text, words_at
from abl.syntax import nodes
from abl.syntax.nodes import Content

KINDS: Final = words_at("guardrail", "kind")
ACTIONS: Final = words_at("guardrail", "action")
TIERS: Final = ("check", "provider", "llm_check")
STRATEGIES: Final = words_at("guardrail", "fix_strategy")
BUILT_IN: Final = frozenset(TEMPLATES)
"""Guardrails that come with the runtime: a name alone is enough."""
_KEYS: Final = (
    *("kind", "check", "provider", "category", "threshold", "llm_check", "action", "message", "msg", "priority"),
    *("severity_actions", "fix_strategy", "fix_expression", "max_reasks", "filter_min_length", "streaming"),
    *("streaming_interval", "name", "description", "enabled", "template"),
)


def is_built_in(guardrail: nodes.Guardrail) -> bool:
    """True for a guardrail of the runtime, which has a kind, a check and an action of its own."""
    content = guardrail.content
    named = value_of_text("guardrail", "template", content.text_of("template"))
    return not BUILT_IN.isdisjoint((guardrail.name.value, content.word_of(), named))


def _missing(guardrail: nodes.Guardrail, agent: AgentIndex, key: str, value: str, **data: Any) -> Found:
    """That a property is not there, with a fix: the misspelt one renamed, or a line with ``value``."""
    content = guardrail.content
    other = misspelt(content, key, _KEYS)
    if other is not None:
        repair = fixes.replace(other.key_span, content_fixes.styled(content, key), f"Change to `{key}`")
        return found(other.key_span, repair, node=guardrail.path, **data)
    added = content_fixes.added(agent.source, content, key, value) if value else ()
    return found(guardrail.name.span, *added, node=guardrail.path, **data)


@rule(
    "ABL1001",
    "guardrail-kind-or-action",
    "error",
    "Guardrail `{g}`: unknown {what} `{x}`. Did you mean `{y}`?",
    over=nodes.Guardrail,
)
def guardrail_kind_or_action(guardrail: nodes.Guardrail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `kind` or `action` of a guardrail is missing, or none of the words that they can be.
    Why: Without a kind it is not known what to check, and without an action not what to do.
    Bad:
        GUARDRAILS:
          no_personal_data:
            kind: inputs
            check: abl.contains_pii(input)
            action: block
    Good:
        GUARDRAILS:
          no_personal_data:
            kind: input
            check: abl.contains_pii(input)
            action: block
    """
    if is_built_in(guardrail) or not guardrail.content.members:
        return  # without any property ABL1002 says that there is no check
    for key, legal in (("kind", KINDS), ("action", ACTIONS)):
        member = guardrail.content.get(key)
        if member is not None and (member.items or member.members):
            continue  # the form is wrong (ABL125)
        if member is None or not member.word_of():
            words = f"Guardrail `{{g}}` has no `{key}`"
            yield _missing(guardrail, agent, key, legal[0], g=guardrail.name.value, wording=words)
        else:
            said = {"g": guardrail.name.value, "what": key, "x": member.word_of()}
            yield from unfit(member.text, "guardrail", key, guardrail.path, **said)
    actions = guardrail.content.get("severity_actions")
    for member in actions.members if actions is not None else ():
        said = {"g": guardrail.name.value, "what": "action", "x": member.word_of()}
        yield from unfit(member.text, "guardrail", "action", guardrail.path, **said)


@rule(
    "ABL1002",
    "guardrail-tier",
    "error",
    "Guardrail needs exactly one of check, provider, llm_check",
    over=nodes.Guardrail,
)
def guardrail_tier(guardrail: nodes.Guardrail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A guardrail says in more than one way, or in none, how the text is judged.
    Why: `check` is an expression, `provider` a service and `llm_check` a question to a model: one of them decides.
    Bad:
        GUARDRAILS:
          polite:
            kind: output
            check: abl.word_count(response) < 200
            llm_check: "Is the answer polite?"
            action: warn
    Good:
        GUARDRAILS:
          polite:
            kind: output
            llm_check: "Is the answer polite?"
            action: warn
    """
    given = [member for tier in TIERS if (member := guardrail.content.get(tier)) is not None]
    if not given and not is_built_in(guardrail):
        yield _missing(guardrail, agent, "check", "")
    if len(given) > 1:
        given.sort(key=lambda tier: tier.span.start)
        others = [[other for other in given if other is not tier] for tier in given]  # each may stay alone
        removals = [content_fixes.removed(agent.source, guardrail.content, *each, preferred=False) for each in others]
        where = Related(agent.source.path, given[0].key_span, "the first")
        repairs = [fix for fixes_ in removals for fix in fixes_]
        yield found(given[1].key_span, *repairs, related=(where,), node=guardrail.path)


@rule("ABL1003", "bad-threshold", "error", "threshold must be between 0 and 1", over=nodes.Guardrail)
def bad_threshold(guardrail: nodes.Guardrail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `threshold` of a guardrail is no number from 0 to 1.
    Why: It is compared with a score from 0 to 1, so it would always or never be reached.
    Bad:
        GUARDRAILS:
          no_insults:
            kind: both
            provider: moderation
            category: harassment
            threshold: 80
            action: block
    Good:
        GUARDRAILS:
          no_insults:
            kind: both
            provider: moderation
            category: harassment
            threshold: 0.8
            action: block
    """
    member = guardrail.content.get("threshold")
    if member is None or member.text is None or not is_fixed(member) or in_range(member.word_of(), 0, 1):
        return
    value = number(member.word_of())
    clamped = () if value is None else (fixes.replace(member.text.inner, "1" if value > 1 else "0"),)
    yield found(member.text.inner, *clamped, node=guardrail.path)


@rule("ABL1004", "incomplete-repair", "error", "`{a}` needs `{b}`", over=nodes.Guardrail)
def incomplete_repair(guardrail: nodes.Guardrail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The action `fix` has no `fix_strategy`, or the strategy `custom` no `fix_expression`.
    Why: It is not said how the text is to be repaired.
    Bad:
        GUARDRAILS:
          short:
            kind: output
            check: abl.word_count(response) > 200
            action: fix
    Good:
        GUARDRAILS:
          short:
            kind: output
            check: abl.word_count(response) > 200
            action: fix
            fix_strategy: truncate
    """
    content = guardrail.content
    action, strategy = content.get("action"), content.get("fix_strategy")
    if strategy is not None and strategy.word_of():
        meant = value_of_text("guardrail", "fix_strategy", strategy.text)
        if meant == "custom" and content.get("fix_expression") is None:
            yield _lack(guardrail, strategy, agent, ("fix_expression", '"…"'), meant)
            return  # of two problems at one word the error is the one that counts
        words = "Unknown fix_strategy `{x}`. Did you mean `{y}`?"
        yield from unfit(
            strategy.text, "guardrail", "fix_strategy", guardrail.path, x=strategy.word_of(), wording=words
        )
    elif strategy is not None and (strategy.items or strategy.members):
        return  # the form is wrong (ABL125)
    elif action is not None and value_of_text("guardrail", "action", action.text) == "fix":
        yield _lack(guardrail, action, agent, ("fix_strategy", STRATEGIES[0]))


def _lack(
    guardrail: nodes.Guardrail, at: Content, agent: AgentIndex, wanted: tuple[str, str], meant: str = ""
) -> Found:
    """What a guardrail lacks beside ``at``; the fix also writes the word that is ``meant`` there in its own case."""
    added = content_fixes.added(agent.source, guardrail.content, *wanted)
    if meant not in ("", at.word_of()) and at.text is not None:
        respelt = Edit(at.text.inner, meant)
        added = tuple(Fix(fix.title, (*fix.edits, respelt), fix.preferred) for fix in added)
    return found(at.place, *added, node=guardrail.path, a=at.word_of(), b=wanted[0])


@rule("ABL1005", "output-only-option", "warning", "`{x}` applies to output only", over=nodes.Guardrail)
def output_only_option(guardrail: nodes.Guardrail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A guardrail that does not look at answers has the action `reask`, or `streaming`.
    Why: Only the model's own answer can be asked for again or checked while it comes. Here `reask` blocks, and
        `streaming` has no effect.
    Bad:
        GUARDRAILS:
          no_links:
            kind: input
            check: abl.contains_url(input)
            action: reask
    Good:
        GUARDRAILS:
          no_links:
            kind: output
            check: abl.contains_url(response)
            action: reask
    """
    content = guardrail.content
    if value_of_text("guardrail", "kind", content.text_of("kind")) in (None, "output", "both"):
        return
    action, streaming = content.get("action"), content.get("streaming")
    if action is not None and action.word_of() == "reask":
        yield found(action.place, node=guardrail.path, x="reask")
    if streaming is not None and value_of_text("guardrail", "streaming", streaming.text):
        yield found(streaming.key_span, node=guardrail.path, x="streaming")
