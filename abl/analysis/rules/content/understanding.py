"""10xx about NLU, INTENTS and ENTITIES (docs/spec 09 §10, 10 §6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from abl.analysis import fixes
from abl.analysis.conformance.properties import named
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes import content as content_fixes
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.vocabularies import entities_of, lists_of
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix, Related
from abl.language.written import placed
from abl.syntax import nodes
from abl.syntax.nodes import Content, Name

_WORDS: Final = re.compile(r"[_\-\s]+")


@rule("ABL1021", "declared-twice", "error", "{kind} `{n}` is declared twice", over=nodes.Understanding)
def declared_twice(section: nodes.Understanding, agent: AgentIndex) -> Iterator[Found]:
    """
    What: One list has two intents, categories or entities of one name.
    Why: Which of them counts is unclear, so words of the other may be lost.
    Bad:
        NLU:
          intents:
            - NAME: renew
              PATTERNS: ["renew my book"]
            - NAME: renew
              EXAMPLES: ["can I keep it longer"]
    Good:
        NLU:
          intents:
            - NAME: renew
              PATTERNS: ["renew my book"]
              EXAMPLES: ["can I keep it longer"]
    """
    for kind, entries in lists_of(section):
        first: dict[str, tuple[Name, Content]] = {}
        for name, content in entries:
            before = first.setdefault(name.value, (name, content))
            if before[1] is not content:
                where = Related(agent.source.path, before[0].span, "first declaration")
                repairs = _merged(agent, before[1], content)
                yield found(name.span, *repairs, related=(where,), node=section.path, kind=kind, n=name.value)


def _merged(agent: AgentIndex, first: Content, second: Content) -> tuple[Fix, ...]:
    """The properties that only the second has, moved to the first, and the rest of the second taken out."""
    if first.block is None or second.block is None or first.block.column != second.block.column:
        return ()
    fresh = [member for member in second.members if member.key and first.get(member.key) is None]
    common = [member for member in second.members if member not in fresh]
    if any(not _same_text(member, first.get(member.key)) for member in common) or not first.members:
        return ()
    if any(member.block is None or _begins_with_dash(agent, member) for member in fresh):
        return ()
    source = agent.source
    if not fresh:
        return (fixes.remove_lines(source, second.block.span, "Remove the second"),)
    lines = "".join(source.text[slice(*fixes.whole_lines(source, m.span))].rstrip("\n") + "\n" for m in fresh)
    added = fixes.insert_line_below(source, first.block.span, lines.rstrip("\n"), "").edits
    removal = fixes.remove_lines(source, second.block.span, "").edits
    return (Fix("Merge with the first", (*added, *removal), preferred=True),)


def _same_text(one: Content, other: Content | None) -> bool:
    return other is not None and one.text is not None and other.text is not None and one.word_of() == other.word_of()


def _begins_with_dash(agent: AgentIndex, member: Content) -> bool:
    start = agent.source.line_starts[agent.source.position(member.span.start).line - 1]
    return bool(agent.source.text[start : member.span.start].strip())


@rule("ABL1022", "intent-without-patterns", "warning", "Intent `{n}` has no PATTERNS", over=nodes.Understanding)
def intent_without_patterns(section: nodes.Understanding, agent: AgentIndex) -> Iterator[Found]:
    """
    What: An intent of NLU has no patterns.
    Why: Patterns are required; without one the intent is found by its examples at best.
    Bad:
        NLU:
          intents:
            - NAME: renew
              EXAMPLES: ["can I keep it longer"]
    Good:
        NLU:
          intents:
            - NAME: renew
              PATTERNS: ["renew"]
              EXAMPLES: ["can I keep it longer"]
    """
    if section.keyword != "NLU":
        return
    for name, intent in named(section.content.get("intents")):
        patterns = intent.get("patterns")
        if patterns is None or (not patterns.items and not patterns.word_of()):
            words = _WORDS.sub(" ", name.value).strip()
            repair = content_fixes.added(agent.source, intent, "PATTERNS", f'["{words}"]') if patterns is None else ()
            yield found(name.span, *repair, node=section.path, n=name.value)


@rule("ABL1023", "shared-pattern", "warning", "Pattern `{p}` belongs to `{a}` and `{b}`", over=nodes.Understanding)
def shared_pattern(section: nodes.Understanding, agent: AgentIndex) -> Iterator[Found]:
    """
    What: Two intents, or two categories, have one pattern.
    Why: A message with these words fits both equally well, so it is chance which of them is found.
    Bad:
        NLU:
          intents:
            - NAME: renew
              PATTERNS: ["keep my book"]
            - NAME: reserve
              PATTERNS: ["Keep my book", "reserve"]
    Good:
        NLU:
          intents:
            - NAME: renew
              PATTERNS: ["keep my book"]
            - NAME: reserve
              PATTERNS: ["reserve"]
    """
    for key in ("intents", "categories") if section.keyword == "NLU" else ():
        owners: dict[str, tuple[str, Content, Content]] = {}
        for name, entry in named(section.content.get(key)):
            patterns = entry.get("patterns")
            for item in patterns.items if patterns is not None else ():
                owner = owners.setdefault(item.word_of().casefold(), (name.value, patterns or item, item))
                if owner[0] != name.value and item.text is not None:
                    yield _shared(agent, section, owner, (name.value, patterns or item, item))


def _shared(
    agent: AgentIndex,
    section: nodes.Understanding,
    first: tuple[str, Content, Content],
    second: tuple[str, Content, Content],
) -> Found:
    repairs = [
        Fix(f"Remove it from `{name}`", fix.edits)
        for name, patterns, item in (second, first)
        for fix in content_fixes.removed(agent.source, patterns, item, preferred=False)
    ]
    where = Related(agent.source.path, first[2].place, f"the pattern of `{first[0]}`")
    item = second[2]
    return found(item.place, *repairs, related=(where,), node=section.path, p=item.word_of(), a=first[0], b=second[0])


@rule(
    "ABL1024",
    "bad-entity-type",
    "error",
    "Unknown entity type `{t}`. Did you mean `{y}`?",
    over=nodes.Understanding,
)
def bad_entity_type(section: nodes.Understanding, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The type of an entity does not exist, or an entity lacks the VALUES of an enum or the PATTERN of a pattern.
    Why: There is nothing by which the entity could be found in a message.
    Bad:
        ENTITIES:
          branch:
            TYPE: enum
    Good:
        ENTITIES:
          branch:
            TYPE: enum
            VALUES: [central, harbour]
    """
    nlu = section.keyword == "NLU"
    if section.keyword == "INTENTS":
        return
    for name, entity in named(section.content.get("entities") if nlu else section.content):
        if entity.text is not None and not entity.members:
            continue
        written = entity.word("type")
        if written:
            place = "nlu_entity" if nlu else "entity"
            yield from unfit(entity.text_of("type"), place, "TYPE", section.path, t=written)
        type_ = written.lower() or ("enum" if nlu and entity.get("pattern") is None else "")
        wanted = {"enum": ("VALUES", '["…"]'), "pattern": ("PATTERN", '"…"')}.get(type_)
        if wanted is not None and entity.get(wanted[0]) is None:
            words = f"Entity `{{n}}` of type {type_} needs {wanted[0]}"
            repairs = content_fixes.added(agent.source, entity, *wanted)
            yield found(name.span, *repairs, node=section.path, n=name.value, wording=words)


@rule(
    "ABL1025",
    "synonym-of-no-value",
    "warning",
    "Synonym key `{k}` is not in VALUES. Did you mean `{y}`?",
    over=nodes.Understanding,
)
def synonym_of_no_value(section: nodes.Understanding, agent: AgentIndex) -> Iterator[Found]:
    """
    What: SYNONYMS of an entity has a key that is none of its values.
    Why: The synonyms lead to a value that the entity cannot have.
    Bad:
        ENTITIES:
          branch:
            TYPE: enum
            VALUES: [central, harbour]
            SYNONYMS:
              harbor: [docks]
    Good:
        ENTITIES:
          branch:
            TYPE: enum
            VALUES: [central, harbour]
            SYNONYMS:
              harbour: [docks]
    """
    for _, entity in entities_of(section):
        values, synonyms = entity.get("values"), entity.get("synonyms")
        if values is None or synonyms is None or not values.items:
            continue
        legal = [item.word_of() for item in values.items]
        for key in synonyms.members:
            if key.key not in legal:
                best, renames = fixes.rename_to(key.key_span, key.key, legal)
                more = content_fixes.appended(agent.source, values, key.key, preferred=False)
                yield found(key.key_span, *renames, *more, node=section.path, k=key.key, y=best)


@rule(
    "ABL1026",
    "unknown-intent-entity",
    "error",
    "Intent lists unknown entity `{e}`. Did you mean `{y}`?",
    over=nodes.Understanding,
)
def unknown_intent_entity(section: nodes.Understanding, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ENTITIES of an intent names something that is no entity and no field.
    Why: Nothing is looked for in messages with that intent.
    Bad:
        NLU:
          intents:
            - NAME: renew
              PATTERNS: ["renew"]
              ENTITIES: [brnach]
          entities:
            - NAME: branch
              VALUES: [central, harbour]
    Good:
        NLU:
          intents:
            - NAME: renew
              PATTERNS: ["renew"]
              ENTITIES: [branch]
          entities:
            - NAME: branch
              VALUES: [central, harbour]
    """
    if section.keyword != "NLU" or section.content.get("config_file") is not None:
        return
    sections = agent.all(nodes.Understanding)
    known = {name.value for one in sections for name, _ in entities_of(one)} | set(agent.fields)
    if agent.fragment and not known:
        return
    for _, intent in named(section.content.get("intents")):
        listed = intent.get("entities")
        for text in listed.texts() if listed is not None else ():
            for at, word in placed(text):
                if word not in known:
                    span = text.span_of(at, at + len(word))
                    best, renames = fixes.rename_to(span, word, known)
                    yield found(span, *renames, node=section.path, e=word, y=best)
