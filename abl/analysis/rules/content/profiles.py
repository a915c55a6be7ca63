"""10xx about behaviour profiles (docs/spec 09 §12, 10 §6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from abl.analysis import fixes
from abl.analysis.conformance.properties import whole
from abl.analysis.fixes import content as content_fixes
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.names import is_runtime_name, is_stored
from abl.analysis.index.profiles import attaching, condition
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix, Severity
from abl.language import offered_keys
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import same_key

_COLON: Final = re.compile(r"[ \t]*:")
_INLINE: Final = offered_keys("inline_profile")
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
    at = profile.content.key_span
    given = (("PRIORITY", profile.priority, "10"), ("WHEN", profile.when, "true"))
    lacking = [(key, value) for key, text, value in given if text is None or not text.value.strip()]
    nameless = profile.name is None or not profile.name.value.strip()
    if nameless or lacking:
        what = " and ".join([*(["a name"] if nameless else ()), *(f"`{key}`" for key, _ in lacking)])
        yield found(at, *_completed(profile, agent, nameless, lacking), node=profile.path, what=what)
    priority = profile.priority
    if priority is not None and priority.value.strip() and whole(priority.value) is None:
        words = "PRIORITY `{p}` of a profile is no whole number from 0"
        yield found(priority.inner, node=profile.path, p=priority.value.strip(), wording=words)


def _completed(
    profile: nodes.Profile, agent: AgentIndex, nameless: bool, lacking: list[tuple[str, str]]
) -> tuple[Fix, ...]:
    """One fix that adds all that is missing: lines, and what belongs behind the colons that are there."""
    written = {key: profile.content.get(key) for key, _ in lacking}
    empty = [(member, value) for key, value in lacking if (member := written[key]) is not None]
    if nameless:
        empty.append((profile.content, "new_profile"))
    edits = [edit for member, value in empty for edit in _behind_colon(agent.source.text, member, value)]
    if len(edits) < len(empty):
        return ()  # a line without a colon gets that first: ABL110
    absent = [(key, value) for key, value in lacking if written[key] is None]
    for fix in _insertion(profile, agent, absent) if absent else ():
        edits = _joined([*edits, *fix.edits])
    title = "Add " + " and ".join([*(["a name"] if nameless else ()), *(f"`{key}`" for key, _ in lacking)])
    return (Fix(title, tuple(edits), preferred=True),) if edits else ()


def _joined(edits: list[Edit]) -> list[Edit]:
    """What is put in at one place, as one edit."""
    texts: dict[Span, str] = {}
    for edit in edits:
        texts[edit.span] = texts.get(edit.span, "") + edit.text
    return [Edit(span, text) for span, text in texts.items()]


def _behind_colon(text: str, member: nodes.Content, value: str) -> tuple[Edit, ...]:
    if member.text is not None:
        return (Edit(member.text.span, value),)
    colon = _COLON.match(text, member.key_span.end)
    return (Edit(Span(colon.end(), colon.end()), f" {value}"),) if colon else ()


def _insertion(profile: nodes.Profile, agent: AgentIndex, lacking: list[tuple[str, str]]) -> tuple[Fix, ...]:
    """The missing lines: in the column of the header in a document, below it in an agent."""
    content = profile.content
    if profile.inline or profile.block is None:
        bare = nodes.Content(content.key, content.key_span, None, content.members, (), content.span, content.block)
        return content_fixes.all_added(agent.source, bare, lacking)
    upper = content.key.isupper()
    lines = "\n".join(f"{key if upper else key.lower()}: {value}" for key, value in lacking)
    return (fixes.insert_line_below(agent.source, profile.block.line_span, lines, "Add what is missing"),)


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
