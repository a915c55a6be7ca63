"""1xx as the parser finds them: sections and keys (docs/spec 05 §2)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from abl.analysis import fixes
from abl.analysis.conformance import closed_places, empty_keys, generic
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.language import offered_keys
from abl.syntax import nodes
from abl.syntax.readers.entries import NAME
from abl.syntax.recovery import findings
from abl.syntax.vocabulary import SUPERVISOR_SECTIONS, canonical_key


@rule("ABL100", "too-many-problems", "info", "Too many problems; {n} more not shown")
def too_many_problems() -> None:
    """
    What: The document has more than 200 problems; the later ones are not listed.
    Why: A long list usually has one cause near its start, such as a wrong indentation.
    Bad:
        (a document with more than 200 problems)
    Good:
        AGENT: Desk
        GOAL: "Lend books"
    """


_TABLE_KEYS: Final = (*offered_keys("lookup"), "collection", "name", "description")
"""Keys by which a mapping is known as a lookup table, those of older notations at the end."""


@rule("ABL103", "unknown-section", "error", "Unknown section `{x}`. Did you mean `{y}`?", over=nodes.Section)
def unknown_section(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A word at the start of a line is followed by a colon but is no section of the language; or it is a section
        of a SUPERVISOR, and is in an AGENT (a warning).
    Why: Nothing below it is read, so what it says never takes effect.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMROY:
          session:
            - loans
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - loans
    """
    header = agent.agent.block if isinstance(agent.agent, nodes.Agent) else None
    if section.keyword in SUPERVISOR_SECTIONS and header is not None and header.key.upper() == "AGENT":
        words = "`{x}` is a section of a SUPERVISOR"
        yield found(section.key_span, severity="warning", x=section.written, wording=words)


@rule("ABL104", "section-case", "error", "Section `{x}` must be written `{X}` in this form")
def section_case() -> None:
    """
    What: A section keyword is in the case of the other form: keyword form is upper case, YAML form lower case.
    Why: Platforms read section keywords exactly; another case is another word to them.
    Bad:
        AGENT: Desk
        Goal: "Lend books"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
    """


@rule("ABL105", "duplicate-section", "error", "Section `{x}` appears twice (first at line {n})")
def duplicate_section() -> None:
    """
    What: A section stands twice in one agent.
    Why: Only one of them counts on the platform; which one is easy to get wrong. Put the entries into the first.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        GOAL: "Lend films"
    Good:
        AGENT: Desk
        GOAL: "Lend books and films"
    """


@rule(
    "ABL106",
    "unknown-key",
    "error",
    "Unknown key `{k}` in {block}. Did you mean `{y}`?",
    over=closed_places.LOOKED_THROUGH,
)
def unknown_key(whole: closed_places.Whole, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A property is not one of those that this block knows.
    Why: An unknown property is skipped; a misspelt one silently falls back to its default.
    Bad:
        MEMORY:
          session:
            - loans
              TYP: number
    Good:
        MEMORY:
          session:
            - loans
              TYPE: number
    """
    yield from closed_places.unknown_keys(whole, agent)
    if isinstance(whole, nodes.Section) and whole.keyword == "LOOKUP_TABLES" and whole.block is not None:
        yield from _of_tables(whole.block.children, agent)


def _of_tables(tables: Iterable[nodes.Block], agent: AgentIndex) -> Iterator[Found]:
    """Keys of lookup tables; one without any property is written as its values."""
    for table in tables:
        below = generic.members(agent.source, table)
        if not any(child.key.lower() in _TABLE_KEYS for child in below):
            continue
        given = {canonical_key(child.key) for child in below}
        for child in below:
            if child.key.lower() not in _TABLE_KEYS:
                best, there, renames = fixes.rename_key(child.key_span, child.key, _TABLE_KEYS, given)
                said = closed_places.in_words(child.key, "a lookup table", best, there)
                yield found(child.key_span, *renames, **said)


@rule("ABL107", "duplicate-key", "error", "`{k}` given twice for {entry}", over=closed_places.LOOKED_THROUGH)
def duplicate_key(whole: closed_places.Whole, agent: AgentIndex) -> Iterator[Found]:
    """
    What: One entry has the same property twice.
    Why: The later one wins, so the first is dead text that misleads readers.
    Bad:
        MEMORY:
          session:
            - loans
              TYPE: number
              TYPE: string
    Good:
        MEMORY:
          session:
            - loans
              TYPE: number
    """
    yield from closed_places.repeated_keys(whole, agent)


@rule(
    "ABL116",
    "empty-block",
    "error",
    "Empty block `{x}`",
    over=(*closed_places.LOOKED_THROUGH, nodes.Rule, nodes.OnFail),
)
def empty_block(whole: closed_places.Whole | nodes.Rule | nodes.OnFail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A keyword has neither a value nor anything below it; or a condition, word or number is an empty text.
    Why: Nothing is asked, masked or guarded by it.
        It is usually an unfinished line or a wrong indentation of what should belong to it.
    Bad:
        MEMORY:
          session:
    Good:
        MEMORY:
          session:
            - loans
    """
    yield from empty_keys.empty_keys(whole, agent.own_source)


_NAMED_SECTIONS: Final = {
    "LOOKUP_TABLES": ("lookup table", re.compile(r"[a-z_][a-z0-9_]*")),
    "TEMPLATES": ("template", NAME),
}
"""Sections whose keys are names that are referred to (01 §4)."""


@rule("ABL117", "invalid-name", "error", "`{n}` is not a valid {kind} name", over=nodes.Section)
def invalid_name(section: nodes.Section, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A name holds characters that names may not hold.
    Why: Expressions cannot refer to it: names are letters, digits and `_`, not starting with a digit.
    Bad:
        MEMORY:
          session:
            - open-loans
    Good:
        MEMORY:
          session:
            - open_loans
    """
    kind, pattern = _NAMED_SECTIONS.get(section.keyword, ("", NAME))
    for member in generic.members(agent.own_source, section.block) if kind else ():
        if pattern.fullmatch(member.key) is None:
            problem = findings.bad_name(member.key_span, member.key, kind)
            yield found(problem.span, *problem.fixes, **problem.data)


@rule("ABL119", "mode-removed", "error", "`MODE:` was removed; use `REASONING:` on steps", tags=("deprecated",))
def mode_removed() -> None:
    """
    What: The section `MODE:` is from an older form of the language.
    Why: Whether a model acts is said per step now, with `REASONING: true` or `false`.
    Bad:
        AGENT: Desk
        MODE: scripted
        GOAL: "Lend books"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
    """


@rule("ABL123", "keyword-case", "hint", "Keyword `{k}` is usually uppercase")
def keyword_case() -> None:
    """
    What: A property keyword is in lower case.
    Why: It is understood, but upper case keywords set structure apart from names.
    Bad:
        MEMORY:
          session:
            - loans
              type: number
    Good:
        MEMORY:
          session:
            - loans
              TYPE: number
    """


@rule("ABL124", "mixed-forms", "error", "Mixing keyword form and YAML form")
def mixed_forms() -> None:
    """
    What: Two or more sections are in upper case and two or more in lower case.
    Why: A file is either in keyword form or in YAML form; quotes and comments mean different things in them.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        memory:
          session:
            - loans
        constraints:
          lending:
            - require: "loans < 3"
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - loans
    """


@rule(
    "ABL127",
    "unknown-memory-block",
    "error",
    "Unknown sub-block `{x}` in MEMORY; expected session, persistent, remember, recall",
)
def unknown_memory_block() -> None:
    """
    What: Below MEMORY stands a block that is none of its four.
    Why: Its entries are not read.
    Bad:
        MEMORY:
          sesion:
            - loans
    Good:
        MEMORY:
          session:
            - loans
    """
