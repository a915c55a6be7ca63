"""Behaviour profiles prepared for running (docs/spec 09 §12)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from abl.language import key_at, runs_at
from abl.language.entry import Entry, named
from abl.language.written import listed
from abl.runtime.evaluation import Formula, condition
from abl.runtime.plan.agent_text import AgentText
from abl.runtime.plan.left_out import LeftOut
from abl.runtime.plan.parts import RulePlan
from abl.runtime.plan.rules import rule_plan
from abl.syntax import nodes

FIRST_INDEX = 100_000
"""Where the numbers of a profile's rules begin: behind those of any agent."""


@dataclass(frozen=True, slots=True)
class ProfilePlan:
    """A profile; ``rules`` and ``hidden`` tools count while ``when`` holds."""

    name: str
    priority: int
    when: Formula
    instructions: str | None
    rules: tuple[RulePlan, ...]
    hidden: frozenset[str]
    added: frozenset[str]
    skipped: frozenset[str]
    gathering: Mapping[str, str]
    fields: Mapping[str, Entry]
    steps: Mapping[str, Entry]
    response: Mapping[str, Any]
    left_out: tuple[LeftOut, ...]
    span: Any


def profiles_in(files: Mapping[str, str]) -> dict[str, ProfilePlan]:
    """The profile documents of all files by name; of two with one name the first counts."""
    found: dict[str, ProfilePlan] = {}
    for path in sorted(files):
        if "behavior_profile" in files[path].lower():
            for plan in _profiles_of(path, files[path]):
                found.setdefault(plan.name, plan)
    return found


@lru_cache(maxsize=64)
def _profiles_of(path: str, text: str) -> tuple[ProfilePlan, ...]:
    from abl.syntax import parse

    document = parse(text, path)
    fragments = [section.content for section in document.profiles if section.content is not None]
    return tuple(
        _plan(AgentText(fragment, document.source, document.yaml), fragment.profile)
        for fragment in fragments
        if fragment.profile is not None
    )


def inline_plans(program: AgentText) -> tuple[ProfilePlan, ...]:
    """The profiles that are in an agent."""
    found = [node for section in program.agent.sections for node in section.described]
    return tuple(_plan(program, node) for node in found if isinstance(node, nodes.Profile))


def used_names(program: AgentText) -> tuple[str, ...]:
    """The profile documents that an agent uses, in its order."""
    sections = [s for s in program.agent.sections if s.keyword == "USE_BEHAVIOR_PROFILE" and s.value is not None]
    return tuple(dict.fromkeys(name for s in sections for name in listed(s.value)))  # type: ignore[arg-type]


def _plan(program: AgentText, profile: nodes.Profile) -> ProfilePlan:
    given = Entry.at("profile", profile.block)
    name = profile.name.value.strip() if profile.name is not None else ""
    priority = profile.priority.value.strip() if profile.priority is not None else ""
    tools, flow = Entry.at("profile_tools", given.lines("TOOLS")), Entry.at("profile_flow", given.lines("FLOW"))
    gather = Entry.at("profile_gather", given.lines("GATHER"))
    response = Entry.at("profile_response", given.lines("RESPONSE"))
    rules = () if profile.inline or program.agent.constraints is None else program.agent.constraints.rules
    return ProfilePlan(
        name=name,
        priority=int(priority) if priority.isdigit() else 0,
        when=condition(program.written(profile.when)) if profile.when is not None else condition(""),
        instructions=given.text("INSTRUCTIONS"),
        rules=tuple(
            rule_plan(program, rule, rule_id=f"profile:{name}:{at}", phase=rule.phase, index=FIRST_INDEX + at)
            for at, rule in enumerate(rules)
        ),
        hidden=frozenset(tools.texts("HIDE")),
        added=frozenset() if profile.inline else frozenset(tool.name.value for tool in program.agent.tools),
        skipped=frozenset(flow.texts("SKIP")),
        gathering={key: str(gather.value(key)) for key in ("confirmation", "validation_style") if key in gather},
        fields=dict(named("override", gather.lines("FIELD_OVERRIDES"))),
        steps=dict(named("step_override", flow.lines("OVERRIDES"))),
        response={key: response.given(key) for key in runs_at("profile_response") if key in response},
        left_out=tuple(_left_out(program, profile)),
        span=program.span(profile),
    )


def _left_out(program: AgentText, profile: nodes.Profile) -> Iterator[LeftOut]:
    from abl.analysis.conformance.not_executed import of_whole

    place = "inline_profile" if profile.inline else "profile"
    whole = set()
    for part in profile.content.members:
        declared = key_at(place, part.key)
        if declared is not None and declared.runs == "platform":
            whole.add(part.key_span)
            yield LeftOut(part.key, program.span(part.key_span) or {})
    parts = [part.span for part in profile.content.members if part.key_span in whole]
    flow = profile.content.get("flow")
    if flow is not None and (steps := flow.get("insertions")) is not None:
        parts.append(steps.span)  # told when the inserted step is entered
    for span, key in of_whole(program.source, profile):
        if not any(part.start <= span.start < part.end for part in parts):
            yield LeftOut(key, program.span(span) or {})
