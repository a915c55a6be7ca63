"""10xx about behaviour profiles (docs/spec 09 §12, 10 §6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from abl.analysis import content_fixes, fixes
from abl.analysis.model import AgentIndex
from abl.analysis.names import is_runtime_name, is_stored
from abl.analysis.profiles import attaching, condition
from abl.analysis.project import Index
from abl.analysis.properties import whole
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix, Severity
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import same_key

_COLON: Final = re.compile(r"[ \t]*:")
_INLINE: Final = ("PRIORITY", "WHEN", "INSTRUCTIONS", "CONVERSATION")
_NOT_LOCAL: Final = frozenset({"voice", "conversation"})


@rule("ABL1041", "incomplete-profile", "error", "Profile needs {what}", over=nodes.Profile)
def incomplete_profile(profile: nodes.Profile, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A profile has no name, no PRIORITY or no WHEN, or its priority is no whole number from 0.
    Why: WHEN says when it applies and PRIORITY which of several profiles wins; a name is what agents attach it by.
    Bad:
        BEHAVIOR_PROFILE: evening
        WHEN: channel == "voice"
        INSTRUCTIONS: "Be brief."
    Good:
        BEHAVIOR_PROFILE: evening
        PRIORITY: 10
        WHEN: channel == "voice"
        INSTRUCTIONS: "Be brief."
    """
    at = _header(profile)
    if profile.name is None or not profile.name.value.strip():
        yield found(at, *_naming(agent.source.text, at.end), node=profile.path, what="a name")
    for key, text, value in (("PRIORITY", profile.priority, "10"), ("WHEN", profile.when, "true")):
        if text is None or not text.value.strip():
            repairs = _insertion(profile, agent, key, value) if profile.content.get(key) is None else ()
            yield found(at, *repairs, node=profile.path, what=f"`{key}`")
    priority = profile.priority
    if priority is not None and priority.value.strip() and whole(priority.value) is None:
        words = "PRIORITY `{p}` of a profile is no whole number from 0"
        yield found(priority.inner, node=profile.path, p=priority.value.strip(), wording=words)


def _naming(text: str, key_end: int) -> tuple[Fix, ...]:
    """A name behind the colon; a header without one gets its colon first (ABL110)."""
    colon = _COLON.match(text, key_end)
    return (fixes.insert(colon.end(), " new_profile", "Add a name"),) if colon else ()


def _header(profile: nodes.Profile) -> Span:
    return profile.content.key_span


def _insertion(profile: nodes.Profile, agent: AgentIndex, key: str, value: str) -> tuple[Fix, ...]:
    """The missing line: in the column of the header in a document, below it in an agent."""
    if not profile.inline and profile.block is not None:
        written = key if profile.content.key.isupper() else key.lower()
        return (fixes.insert_line_below(agent.source, profile.block.line_span, f"{written}: {value}", f"Add `{key}`"),)
    content = profile.content
    bare = nodes.Content(content.key, content.key_span, None, content.members, (), content.span, content.block)
    return content_fixes.added(agent.source, bare, key, value)


@rule(
    "ABL1042",
    "unknown-profile",
    "error",
    "Profile `{p}` is not in the project. Did you mean `{y}`?",
    over=nodes.Section,
    project=True,
)
def unknown_profile(section: nodes.Section, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: USE BEHAVIOR_PROFILE names a profile that no document of the project defines.
    Why: Nothing of it ever applies. A project of one agent without profiles may not know them all: a warning.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        USE BEHAVIOR_PROFILE: evenign

        BEHAVIOR_PROFILE: evening
        PRIORITY: 10
        WHEN: channel == "voice"
        INSTRUCTIONS: "Be brief."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        USE BEHAVIOR_PROFILE: evening

        BEHAVIOR_PROFILE: evening
        PRIORITY: 10
        WHEN: channel == "voice"
        INSTRUCTIONS: "Be brief."
    """
    if section.keyword != "USE_BEHAVIOR_PROFILE" or agent.fragment or section.value is None:
        return
    known = project.profiles
    word = section.value.value.strip()
    if word and word not in known and "," not in word:  # a list is left alone: each name has a line of its own
        best, renames = fixes.rename_to(section.value.inner, word, known)
        severity: Severity | None = "warning" if not known and project.alone else None
        yield found(section.value.inner, *renames, severity=severity, node=section.path, p=word, y=best)


@rule(
    "ABL1043",
    "inline-profile-block",
    "error",
    "Inline profile cannot hold `{block}`. Did you mean `{y}`?",
    over=nodes.Profile,
)
def inline_profile_block(profile: nodes.Profile, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A profile within an agent has another block than PRIORITY, WHEN, INSTRUCTIONS and CONVERSATION.
    Why: Only these are read there; put the profile into a file of its own.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        BEHAVIOR_PROFILE: evening
          PRIORITY: 10
          WHEN: true
          RESPONSE:
            max_buttons: 3
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        BEHAVIOR_PROFILE: evening
          PRIORITY: 10
          WHEN: true
          INSTRUCTIONS: "Offer three choices at most."
    """
    legal = {same_key(key) for key in _INLINE}
    for member in profile.content.members if profile.inline else ():
        if same_key(member.key) not in legal:
            best, renames = fixes.rename_to(member.key_span, member.key, _INLINE)
            yield found(member.key_span, *renames, node=profile.path, block=member.key, y=best)


@rule(
    "ABL1046",
    "profile-reads-nothing",
    "warning",
    "Profile condition reads `{v}`, which nothing provides. Did you mean `{y}`?",
    over=nodes.Profile,
    project=True,
)
def profile_reads_nothing(profile: nodes.Profile, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: WHEN of a profile reads a name that no agent with this profile declares or sets.
    Why: The name is never set, so the profile applies always or never.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - opening_hour
              TYPE: number
        BEHAVIOR_PROFILE: evening
          PRIORITY: 10
          WHEN: opening_hor > 18
          INSTRUCTIONS: "Be brief."
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - opening_hour
              TYPE: number
        BEHAVIOR_PROFILE: evening
          PRIORITY: 10
          WHEN: opening_hour > 18
          INSTRUCTIONS: "Be brief."
    """
    reading = condition(profile.when)
    if reading is None or not reading.names or profile.when is None:
        return
    users = attaching(profile, agent, project)
    for name in reading.names if users else ():
        if is_runtime_name(name.path) or is_stored(name.path):
            continue
        if not any(name.path in project.known_names(user) for user in users):
            span = profile.when.span_of(name.start + reading.offset, name.end + reading.offset)
            candidates = sorted(frozenset().union(*[user.write_paths for user in users]))
            best, renames = fixes.rename_to(span, name.path, candidates)
            yield found(span, *renames, node=profile.path, v=name.path, y=best)


@rule(
    "ABL1047",
    "profile-not-local",
    "info",
    "`{block}` is not executed locally",
    over=(nodes.Profile, nodes.Conversation),
)
def profile_not_local(node: nodes.Profile | nodes.Conversation, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A profile has VOICE or CONVERSATION, or an agent CONVERSATION.
    Why: How calls sound is for the platform; runs here read these blocks and do nothing with them.
    Bad:
        BEHAVIOR_PROFILE: evening
        PRIORITY: 10
        WHEN: true
        VOICE:
          speed: 0.9
    Good:
        BEHAVIOR_PROFILE: evening
        PRIORITY: 10
        WHEN: true
        INSTRUCTIONS: "Speak slowly."
    """
    members = (node.content,) if isinstance(node, nodes.Conversation) else node.content.members
    for member in members:
        if same_key(member.key) in _NOT_LOCAL and not member.is_empty:
            yield found(member.key_span, node=node.path, block=member.key)
