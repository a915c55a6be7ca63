"""9xx about how an agent is run: IDENTITY, EXECUTION, BEHAVIOR, MULTI_INTENT (docs/spec 09 §2, §4, §10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from abl.analysis import fixes
from abl.analysis.conformance import generic
from abl.analysis.conformance.values import judge
from abl.analysis.fixes.entries import has_own_lines
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix, Related
from abl.language import knows, offered_keys, words_at
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Block
from abl.syntax.recovery.emptied_blocks import removal

ROLES = words_at("behavior", "role")
_DEPRECATED = ("canresponddirectly", "alloweddirectactions", "forbiddenactions")

_PARTS: Final = ("pipeline", "short_circuit", "tool_filter", "keyword_veto", "intent_bridge")
"""Places of EXECUTION.pipeline and of what is below it."""


@rule("ABL903", "identity-twice", "warning", "IDENTITY and {s} both set it; the later wins", over=nodes.Section)
def identity_twice(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: IDENTITY says what GOAL, PERSONA or LIMITATIONS says, too.
    Why: Only the later of both counts.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        IDENTITY:
          role: "Lend and renew books"
    Good:
        AGENT: Desk
        IDENTITY:
          role: "Lend and renew books"
    """
    if section.keyword != "IDENTITY":
        return
    keys = generic.by_key(agent.source, section.block)
    for key, keyword in (("role", "GOAL"), ("persona", "PERSONA"), ("limitations", "LIMITATIONS")):
        other = agent.agent.section(keyword)
        if key in keys and other is not None:
            where = Related(agent.source.path, other.key_span, "also set here")
            loser = other.block if other.span.start < section.span.start else keys[key]
            removal = _removal(agent, loser, "Remove the one that loses", preferred=False) if loser is not None else ()
            yield found(keys[key].key_span, *removal, related=(where,), s=keyword)


@rule("ABL904", "bad-execution", "error", "EXECUTION: {problem}. Did you mean `{y}`?", over=nodes.Section)
def bad_execution(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: EXECUTION has a key that nothing reads (a warning), or a value outside of its range.
    Why: The value is not used, and the default counts.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        EXECUTION:
          temperature: 1.5
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        EXECUTION:
          temperature: 0.5
    """
    if section.keyword != "EXECUTION":
        return
    keys = generic.by_key(agent.source, section.block)
    yield from _unknown_keys(agent, section.block, "execution")
    for name in ("models", "compaction", "pipeline"):
        yield from _unknown_keys(agent, keys.get(name), name)
    pipeline = generic.by_key(agent.source, keys.get("pipeline"))
    parts = {name: generic.by_key(agent.source, pipeline.get(generic.plain(name))) for name in _PARTS[1:]}
    for place, written in {"execution": keys, _PARTS[0]: pipeline, **parts}.items():
        for problem in judge(written, place):
            text = f"`{problem.block.key}` must be {problem.range}"
            yield found(generic.span_of(problem.block), *problem.fixes, severity=problem.severity, problem=text)


def _unknown_keys(agent: AgentIndex, block: Block | None, place: str) -> Iterator[Found]:
    for member in generic.members(agent.source, block):
        if not knows(place, member.key):
            best, renames = fixes.rename_to(member.key_span, member.key, offered_keys(place))
            yield found(member.key_span, *renames, severity="warning", problem=f"unknown key `{member.key}`", y=best)


@rule("ABL905", "role-cannot-work", "error", "{problem}. Did you mean `{y}`?", over=nodes.Section)
def role_cannot_work(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `role` of BEHAVIOR does not go with the agent: a router has nobody to hand over to, a supervisor is an
        assistant, or there is no such role.
    Why: A router never answers, and an assistant never routes, so nothing would happen.
    Bad:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        BEHAVIOR:
          role: assistant
    Good:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        BEHAVIOR:
          role: orchestrator
    """
    role = generic.by_key(agent.source, section.block).get("role") if section.keyword == "BEHAVIOR" else None
    written = generic.word(role)
    if role is None or not written:
        return
    where = generic.span_of(role)
    as_orchestrator = fixes.replace(where, "orchestrator", "Write orchestrator", preferred=False)
    meant = generic.value("behavior", "role", role)
    if meant == "assistant" and agent.agent.kind == "supervisor":
        yield found(where, as_orchestrator, problem="`assistant` is not for a SUPERVISOR")
    elif meant == "router" and not agent.fragment and not _routes(agent):
        yield found(where, as_orchestrator, problem="Role `router` needs a HANDOFF")
    elif meant is None:
        best, renames = fixes.rename_to(where, written, ROLES)
        yield found(where, *renames, problem=f"`{written}` is no role", y=best)
    elif written != meant:  # read as meant
        yield found(where, fixes.replace(where, meant), severity="warning", problem=f"`{written}` is no role", y=meant)


def _routes(agent: AgentIndex) -> bool:
    """True when the agent can send a user to another one, as far as this document shows."""
    return bool(agent.agent.handoffs) or any(
        agent.agent.section(keyword) is not None for keyword in ("ROUTING", "USE_BEHAVIOR_PROFILE")
    )


@rule("ABL906", "role-conflict", "error", "role {r} contradicts canRespondDirectly", over=nodes.Section)
def role_conflict(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: BEHAVIOR has a role and the old field canRespondDirectly, and they differ.
    Why: A router never answers, an orchestrator does; both cannot hold.
    Bad:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        BEHAVIOR:
          role: orchestrator
          canRespondDirectly: false
    Good:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        BEHAVIOR:
          role: orchestrator
    """
    keys = generic.by_key(agent.source, section.block) if section.keyword == "BEHAVIOR" else {}
    role, direct = generic.value("behavior", "role", keys.get("role")), keys.get("canresponddirectly")
    if direct is not None and _role_of(direct) not in ("", role) and role in ("router", "orchestrator"):
        yield found(direct.key_span, *_removal(agent, direct), r=role)


@rule("ABL907", "old-behavior", "warning", "{problem}", over=nodes.Section, tags=("deprecated",))
def old_behavior(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: BEHAVIOR has no role, or fields that `role` took the place of.
    Why: The role decides what the agent may do: route, answer, or both.
    Bad:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        BEHAVIOR:
          canRespondDirectly: true
    Good:
        SUPERVISOR: Front_Desk
        GOAL: "Send readers to the right desk"
        BEHAVIOR:
          role: orchestrator
    """
    if section.keyword != "BEHAVIOR" or section.block is None or not section.block.children:
        return
    keys = generic.by_key(agent.source, section.block)
    direct, role = keys.get("canresponddirectly"), generic.value("behavior", "role", keys.get("role"))
    if "role" not in keys:
        yield found(section.key_span, _with_role(agent, section.block, direct), problem="BEHAVIOR without role")
    for key in _DEPRECATED:
        field = keys.get(key)
        intended = _role_of(field) if key == "canresponddirectly" else ""
        conflict = bool(intended) and ("role" not in keys or intended != role)
        if field is not None and not conflict:
            yield found(field.key_span, *_removal(agent, field), problem=f"`{field.key}` is deprecated")


def _with_role(agent: AgentIndex, behavior: Block, direct: Block | None) -> Fix:
    """The role instead of the old field, or above the others."""
    intended = _role_of(direct)
    if direct is not None and intended:
        return fixes.replace(_whole(direct), f"role: {intended}")
    first = behavior.children[0]
    line = f"{' ' * (first.column - 1)}role: orchestrator"
    return fixes.insert_line_above(agent.source, first.span, line, "Add `role: orchestrator`", preferred=False)


def _whole(block: Block) -> Span:
    """A property from its key to the end of its value."""
    return Span(block.key_span.start, block.value.span.end if block.value is not None else block.key_span.end)


def _role_of(direct: Block | None) -> str:
    """The role that canRespondDirectly stands for."""
    return {True: "orchestrator", False: "router"}.get(generic.value("behavior", "canRespondDirectly", direct), "")


def _removal(agent: AgentIndex, block: Block, title: str = "", *, preferred: bool = True) -> tuple[Fix, ...]:
    if not has_own_lines(agent.source, block.span):
        return ()
    return removal(agent.source, block.span).fixes(title or f"Remove `{block.key}`", preferred=preferred)


@rule("ABL944", "bad-multi-intent", "error", "MULTI_INTENT: {problem}", over=nodes.Section)
def bad_multi_intent(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: MULTI_INTENT has a value outside of its range; or an agent that is no supervisor wants `parallel` (a
        warning).
    Why: The default counts instead. Only a supervisor works on several intents at once; others take turns.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MULTI_INTENT:
          max_intents: 20
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MULTI_INTENT:
          max_intents: 3
    """
    if section.keyword != "MULTI_INTENT":
        return
    keys = generic.by_key(agent.source, section.block)
    for problem in judge(keys, "multi_intent"):
        text = f"`{problem.block.key}` must be {problem.range}"
        yield found(generic.span_of(problem.block), *problem.fixes, severity=problem.severity, problem=text)
    strategy = keys.get("strategy")
    if (
        strategy is not None
        and generic.value("multi_intent", "strategy", strategy) == "parallel"
        and agent.agent.kind != "supervisor"
    ):
        where = generic.span_of(strategy)
        text = "`parallel` works on supervisors only"
        yield found(where, fixes.replace(where, "sequential"), severity="warning", problem=text)
