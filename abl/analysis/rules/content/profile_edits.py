"""10xx about what behaviour profiles change in agents (docs/spec 06 §11, 07 §11, 09 §12)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abl.analysis import fixes
from abl.analysis.conformance.properties import whole
from abl.analysis.index.available_tools import known_tools, lists_tools
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.names import BUILT_IN_TOOLS
from abl.analysis.index.profiles import attached, attaching, condition, exclude_each_other, leaves
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.symbols.agent_links import edited
from abl.diagnostics import Related
from abl.syntax import nodes
from abl.syntax.nodes import Content
from abl.syntax.vocabulary import TERMINALS


@rule(
    "ABL1044",
    "profile-edits-unknown",
    "error",
    "{does} unknown {kind} `{x}`. Did you mean `{y}`?",
    over=nodes.Profile,
    project=True,
)
def profile_edits_unknown(profile: nodes.Profile, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A profile hides a tool, changes a step or a field, or leads to a step that its agent does not have; or it puts
        another flow in the place of that of its agent, and there is none.
    Why: The change has no effect. Where only some of the agents that use the profile lack it: a warning.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
        USE BEHAVIOR_PROFILE: closed

        BEHAVIOR_PROFILE: closed
        PRIORITY: 10
        WHEN: true
        TOOLS:
          HIDE: [find_boks]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        TOOLS:
          find_book(title: string) -> {id: string}
            description: "Find a book."
        USE BEHAVIOR_PROFILE: closed

        BEHAVIOR_PROFILE: closed
        PRIORITY: 10
        WHEN: true
        TOOLS:
          HIDE: [find_book]
    """
    flow = None if profile.inline else profile.content.get("flow")
    replaced = flow.text_of("replace") if flow is not None else None
    if replaced is not None and replaced.value.strip():  # a document has one flow, which has no name (06 §11)
        data = {"does": "Profile edits", "kind": "flow", "x": replaced.value.strip(), "y": ""}
        yield found(replaced.inner, node=profile.path, **data)  # type: ignore[arg-type]
    changes = [("Profile edits", kind, name) for kind, name, _ in edited(profile)]
    changes += [("Profile leads to", "step", name) for name in _led_to(profile, agent)]
    users = attaching(profile, agent, project) if changes else []
    for does, kind, name in changes if users else ():
        known = [_known(kind, user, project) for user in users]
        lacking = [
            user for user, names in zip(users, known, strict=True) if names is not None and name.value not in names
        ]
        if not lacking:
            continue
        candidates = sorted(frozenset().union(*[names for names in known if names is not None]))
        best, renames = fixes.rename_to(name.span, name.value, candidates)
        where = tuple(Related(user.source.path, user.agent.span, f"agent {user.name}") for user in lacking[:3])
        if len(lacking) == len(users):
            said = {"does": does, "kind": kind, "x": name.value, "y": best}
            yield found(name.span, *renames, related=where, node=profile.path, **said)  # type: ignore[arg-type]
        else:
            words = f"{does} {{kind}} `{{x}}`, which agent {{a}} does not have"
            partly: dict[str, Any] = {"kind": kind, "x": name.value, "a": lacking[0].name, "wording": words}
            yield found(name.span, severity="warning", related=where, node=profile.path, **partly)


def _led_to(profile: nodes.Profile, agent: AgentIndex) -> Iterator[nodes.Name]:
    """Steps to which a profile document leads: where it changes the exit of a step, or puts one in (06 §11)."""
    if profile.inline:
        return  # which has no FLOW (ABL1043)
    flow = profile.content.get("flow")
    overrides = flow.get("overrides") if flow is not None else None
    exits = [step.text_of("transition") for step in overrides.members] if overrides is not None else []
    names = [nodes.Name(text.value.strip(), text.inner) for text in exits if text is not None]
    for name in (*names, *(ref.name for ref in agent.step_refs)):
        if name.value and name.value.upper() not in TERMINALS:
            yield name


def _known(kind: str, agent: AgentIndex, project: Index) -> frozenset[str] | None:
    """The tools, steps or fields of an agent; None when not all of them can be known."""
    if kind == "step":
        return frozenset(agent.steps)
    if kind == "field":
        return frozenset(agent.fields)
    tools = known_tools(agent, project) if lists_tools(agent) else None
    return tools | BUILT_IN_TOOLS if tools is not None else None


@rule(
    "ABL1045",
    "profiles-overlap",
    "warning",
    "Profiles `{a}`, `{b}` overlap with the same priority",
    over=nodes.Profile,
    project=True,
)
def profiles_overlap(profile: nodes.Profile, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: Two profiles of one agent with one priority change the same setting and may apply together.
    Why: Which of them wins is not said.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - hour
              TYPE: number
        BEHAVIOR_PROFILE: evening
          PRIORITY: 10
          WHEN: hour > 18
          CONVERSATION:
            speaking:
              pace: slow
        BEHAVIOR_PROFILE: late
          PRIORITY: 10
          WHEN: hour > 21
          CONVERSATION:
            speaking:
              pace: fast
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - hour
              TYPE: number
        BEHAVIOR_PROFILE: evening
          PRIORITY: 10
          WHEN: hour > 18
          CONVERSATION:
            speaking:
              pace: slow
        BEHAVIOR_PROFILE: late
          PRIORITY: 20
          WHEN: hour > 21
          CONVERSATION:
            speaking:
              pace: fast
    """
    priority = profile.priority
    own = leaves(profile)
    if priority is None or whole(priority.value) is None or not own:
        return
    reported: set[str] = set()
    for user in attaching(profile, agent, project):
        for home, other in attached(user, project):
            if other == profile:
                break
            name = other.name.value if other.name is not None else ""
            if name not in reported and _clash(other, profile, own):
                reported.add(name)
                raised = fixes.replace(priority.inner, str((whole(priority.value) or 0) + 1), preferred=False)
                where = Related(home.source.path, other.priority.inner, "the other") if other.priority else None
                mine = profile.name.value if profile.name is not None else ""
                related = (where,) if where is not None else ()
                yield found(priority.inner, raised, related=related, node=profile.path, a=name, b=mine)


def _clash(one: nodes.Profile, other: nodes.Profile, leaves_of_other: dict[tuple[str, ...], Content]) -> bool:
    if one.priority is None or other.priority is None or whole(one.priority.value) != whole(other.priority.value):
        return False
    shared = ((own, leaves_of_other[path]) for path, own in leaves(one).items() if path in leaves_of_other)
    if not any(own.word_of() != theirs.word_of() or own.items or theirs.items for own, theirs in shared):
        return False
    return not exclude_each_other(condition(one.when), condition(other.when))
