"""``complete``: what may be written at a cursor: sections, keys, values, names, functions (docs/spec 12 §1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace

from abl.analysis.corrected import corrected_text
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.project_file.reading import is_project_file
from abl.editing.completion import names as offer
from abl.editing.completion.cursor import Cursor, Item, keys_beside, line_with_key
from abl.editing.completion.expressions import condition_of_rule, expression, in_tag, unwrapped
from abl.editing.completion.lists import in_list, keys_there, unlisted, without_keys
from abl.editing.completion.ordering import ordered
from abl.editing.completion.project_file import complete_project_file
from abl.editing.completion.sections import begins_profile, is_empty, sections
from abl.editing.completion.signatures import signature
from abl.editing.completion.snippets import snippets
from abl.editing.completion.values import known_value, values
from abl.editing.place import Line, called_tool, place_at, place_in_braces, read_line
from abl.language import Value, is_lower, key_meaning, knows, offered_keys, takes_lines
from abl.source import Source, Span
from abl.syntax import nodes, vocabulary
from abl.syntax.incremental.collector import collector_paused

_PARTS = re.compile(r"(?:(?<=[\s\"'])|^)(?:[\w.*]+:)+$")
"""The parts before the last ``:`` of an event such as ``tool:find:after``."""
_WORD_BEFORE = re.compile(r"[A-Za-z_@][\w.]*$")
_LOOKED_AT = 1_000
"""Characters before the cursor that are looked at for the word that is being typed, or the list that it is in."""
_VALUE = re.compile(
    r"^\s*(?:- +)?(?P<key>[A-Za-z_][\w.]*(?i: BEHAVIOR_PROFILE| INSTRUCTIONS)?)\s*:\s*(?P<value>.*)$", re.DOTALL
)
_NAMED_ENTRIES = frozenset(["session", "persistent", "field"])
_BRANCHES = frozenset(["branch", "greeting", "tool_action"])
"""Places whose condition follows the dash and nowhere else."""
_RULE = re.compile(r"^\s*- +(?:REQUIRE|LIMIT|RESTRICT|WARN):?\s+(?P<value>.*)$", re.DOTALL)
_CONSUMERS = re.compile(r"(?:->|→)[^(]*\([^)]*\bconsumers\s*:\s*\[[^\]]*$")
"""Who may use a secret that a tool keeps (docs/spec 08 §2)."""
_BEFORE = re.compile(r"(?:^|\s)BEFORE:?\s+(?P<calling>calling\s+)?\w*$", re.IGNORECASE)


def complete(files: Mapping[str, str], path: str, line: int, column: int) -> list[dict[str, str]]:
    """What may stand at a 1-based position, as ``{label, kind, detail, insert}``, best first.

    Kinds: section key value step tool agent variable path function word, and snippet for an entry of several lines,
    whose lines are indented for that place. An unknown path gives an empty list; the
    position is clamped to the text.
    """
    if path not in files:
        return []
    if is_project_file(path):
        return [asdict(item) for item in complete_project_file(files, path, line, column)]
    with collector_paused():
        source = Source(files[path], path)
        offset = source.offset(line, column)
        corrected = corrected_text(files, path, _typed_at(source, offset))
        if path not in corrected.project.documents:
            return []
        return [asdict(item) for item in _complete(corrected.project, path, corrected.offset(offset))]


def _typed_at(source: Source, offset: int) -> Span:
    """The word that is being typed at the cursor."""
    word = _WORD_BEFORE.search(source.text[max(offset - _LOOKED_AT, 0) : offset])
    return Span(offset - len(word.group()) if word else offset, offset)


def _complete(index: Index, path: str, offset: int) -> list[Item]:
    document = index.documents[path]
    source = document.source
    line_here = source.position(offset).line
    before = source.text[source.line_starts[line_here - 1] : offset]
    if before.lstrip().startswith("#"):
        return []
    word = _WORD_BEFORE.search(before[-_LOOKED_AT:])
    typed = word.group() if word else ""
    here = read_line(before)
    place, entry = place_at(source, line_here, here.indent, here.item), before
    braces = place_in_braces(source, line_here, before)
    begun = in_list(source, line_here, before) if braces is None else None
    if braces is not None:
        place, entry = braces
    elif begun is not None:
        number, entry = begun
        here = read_line(entry)
        place = place_at(source, number, here.indent, here.item)
    agent = _agent_at(index, path, offset)
    cursor = Cursor(index, source, agent, line_here, before, place, typed, document.document.yaml)
    return _matching(_without_typed(_offers(cursor, entry, braces is not None), before, typed), typed)


def _without_typed(offers: Iterable[Item], before: str, typed: str) -> Iterator[Item]:
    """Of ``session:start`` behind ``session:`` only what is still missing: an editor replaces the word before it."""
    parts = _PARTS.search(before[: len(before) - len(typed)][-_LOOKED_AT:])
    begun = parts[0] if parts is not None else ""
    for item in offers:
        if begun and item.kind == "value" and ":" in item.insert.rstrip(":"):
            if item.insert.startswith(begun):
                yield replace(item, insert=item.insert[len(begun) :])
        else:
            yield item


def _agent_at(index: Index, path: str, offset: int) -> AgentIndex | None:
    agents = index.documents[path].agents
    return next((a for a in reversed(agents) if a.agent.span.start <= offset), agents[0] if agents else None)


def _in_expression(cursor: Cursor) -> bool:
    """True in what is read as a condition or value, wherever in the language it stands."""
    if cursor.agent is None:
        return False
    at = cursor.source.line_starts[cursor.line - 1] + len(cursor.before)
    return any(use.text.span.start <= at <= use.text.span.end for use in cursor.agent.expressions if use.mode != "tag")


def _matching(offers: Iterable[Item], typed: str) -> list[Item]:
    """Offers that start with what was typed, ignoring case, then those that contain it."""
    unique = [item for item in {(item.label, item.kind): item for item in offers}.values() if item.label]
    wanted = typed.casefold()
    starts = [item for item in unique if item.insert.casefold().startswith(wanted) or _begins(item, wanted)]
    inside = [item for item in unique if len(wanted) > 1 and wanted in item.label.casefold() and item not in starts]
    return starts + inside


def _begins(item: Item, wanted: str) -> bool:
    return item.label.casefold().startswith(wanted)


def _offers(cursor: Cursor, entry: str, braces: bool) -> Iterator[Item]:
    """``entry`` is the line before the cursor, or what is written of an entry in ``braces``."""
    tag = cursor.before.rfind("{{")
    if tag > cursor.before.rfind("}}"):
        yield from in_tag(cursor, cursor.before[tag + 2 :])
        return
    of_signature = signature(cursor)
    if of_signature is not None:
        yield from of_signature
        return
    rule = _RULE.match(entry)
    value = _VALUE.match(entry)
    if (rule is not None or cursor.place.block in ("rule", "rules")) and (before := _BEFORE.search(entry)) is not None:
        yield from _checkpoints(cursor, before["calling"] is not None)
    elif rule is not None:
        yield from condition_of_rule(cursor, unwrapped(rule["value"]))
    elif _CONSUMERS.search(entry[-_LOOKED_AT:]) is not None:
        yield from unlisted(cursor, Value(), offer.tools(cursor))
    elif value is not None:
        found = list(values(cursor, value["key"], value["value"]))
        yield from unlisted(cursor, known_value(cursor, value["key"]), found)
        if not found and _in_expression(cursor):
            yield from expression(cursor, unwrapped(value["value"]))
    elif _in_expression(cursor):
        yield from expression(cursor, entry)
    else:
        if not braces:
            yield from _on_own_line(cursor, entry)
            yield from _collected(cursor)
        yield from _in_order(cursor, _keys(cursor, braces))
        if not braces:
            yield from snippets(cursor)


def _on_own_line(cursor: Cursor, entry: str) -> Iterator[Item]:
    """What is below its key in a list of words or names."""
    place, key = cursor.place.of
    if place and cursor.place.item and key.upper() not in vocabulary.RESULT_BLOCKS:
        above = replace(cursor, place=replace(cursor.place, block=place))
        found = values(above, key, entry.lstrip(" \t").removeprefix("-").lstrip())
        yield from unlisted(cursor, known_value(above, key), found)


def _collected(cursor: Cursor) -> Iterator[Item]:
    """Behind the dash of a GATHER: variables that the agent declares, since a field is often one of them (07 §1)."""
    place, agent = cursor.place, cursor.agent
    if agent is not None and place.item and place.block == "field" and place.named:
        there = keys_beside(cursor)
        yield from (Item(name, "variable", "session variable", name) for name in agent.session if name not in there)


def _in_order(cursor: Cursor, items: Iterable[Item]) -> list[Item]:
    """Keys in the order in which they are wanted; other names stay in front of them, as they are."""
    found = list(items)
    if is_empty(cursor):
        return found  # what a document begins with
    if cursor.place.block == "agent" and begins_profile(cursor):
        cursor = replace(cursor, place=replace(cursor.place, block="profile"))
    keys = [item for item in found if item.kind in ("key", "section")]
    return [*(item for item in found if item not in keys), *ordered(cursor, keys)] if keys else found


# keys ------------------------------------------------------------------------------------------------------------


def _keys(cursor: Cursor, braces: bool) -> Iterator[Item]:
    block, item = cursor.place.block, cursor.place.item
    if block == "agent":
        if begins_profile(cursor):
            yield from _properties(replace(cursor, place=replace(cursor.place, block="profile")))
            return
        yield from sections(cursor)
        if cursor.agent is not None and cursor.agent.fragment and not cursor.agent.agent.sections:
            yield from _properties(replace(cursor, place=replace(cursor.place, block="step")))
    elif block == "rules" or (block == "rule" and (braces or item or cursor.place.listed)):
        yield from _rules(cursor, braces)
        yield from _properties(cursor) if braces else ()
    elif block == "with" and (with_ := _arguments(cursor)) is not None:
        yield from without_keys(cursor, offer.parameters(cursor, called_tool(cursor.source, with_)))
    elif block == "input":
        yield from without_keys(cursor, offer.given(cursor))
    elif block == "returned":
        yield from without_keys(cursor, offer.returned(cursor))
    elif block in ("set", "map"):
        there = keys_there(cursor)
        yield from (name for name in offer.names(cursor) if name.label not in there)
    else:
        yield from _properties(cursor)


def _arguments(cursor: Cursor) -> Line | None:
    return line_with_key(cursor, "WITH") or line_with_key(cursor, "CALL_WITH")


def _rules(cursor: Cursor, braces: bool) -> Iterator[Item]:
    item = braces or cursor.place.item
    for kind in vocabulary.RULE_KINDS:
        written, colon = (kind.lower(), ": ") if cursor.yaml else (kind, " ")
        yield Item(written, "key", key_meaning("rule", kind), f"{'' if item else '- '}{written}{colon}")


def _properties(cursor: Cursor) -> Iterator[Item]:
    block = cursor.place.block
    keys = [*offered_keys(block)]
    if block == "tool":
        keys += sorted(vocabulary.BINDING_KEYS.get(offer.binding(cursor), ()))
    if block == "tools" and not cursor.index.documents[cursor.source.path].document.tool_files:
        keys = [key for key in keys if key not in vocabulary.TOOL_FILE_KEYS]
    if block == "field" and cursor.place.root != "GATHER":
        keys = ["validation" if key == "VALIDATE" else key for key in keys]
    if block == "gather" and cursor.place.root == "GATHER":
        keys = ["STRATEGY"]
    if cursor.place.named:
        keys = [key for key in keys if key in ("NAME", "PATH")]
    dash = "- " if cursor.place.listed else ""
    taken = keys_beside(cursor)
    if cursor.before.rstrip()[-1:] in ("{", ","):
        taken |= {key.upper() for key in keys_there(cursor)}
    taken |= _not_here(cursor)
    if block in _BRANCHES and not cursor.place.item:
        taken |= vocabulary.BRANCH_CONDITIONS | {"ELSE"}
    if block == "on_fail" and any(line.key.upper().endswith("CONSTRAINTS") for line in cursor.place.parents):
        taken |= {"SET"}  # of a CHECK only (04 §5, 06 §5.9)
    if block == "profile":
        taken |= _of_profile(cursor)
    for key in [key for key in keys if key.upper() not in taken]:
        written = key.lower() if (cursor.yaml or is_lower(block)) and key.isupper() else key
        meaning = key_meaning(block, key)
        yield Item(written, "key", meaning, f"{dash}{written}:{'' if takes_lines(block, key) else ' '}")


def _not_here(cursor: Cursor) -> frozenset[str]:
    """Keys of a place that another spelling of the entry stands for: a name behind the dash, WARN (03 §2, 04 §1)."""
    place = cursor.place
    if place.block == "rule" and not cursor.yaml:
        return frozenset({"SEVERITY"})
    if place.block == "on_fail" and place.root == "CONSTRAINTS":
        return frozenset({"SET"})
    head = place.parents[-1] if place.parents else None
    begun = head is not None and head.item and not place.item and not knows(place.block, head.key)
    return frozenset({"NAME", "PATH"}) if begun and place.block in _NAMED_ENTRIES else frozenset()


def _of_profile(cursor: Cursor) -> frozenset[str]:
    """What the profile around the cursor says already."""
    agent = cursor.agent.agent if cursor.agent is not None else None
    profile = agent.profile if isinstance(agent, nodes.Fragment) else None
    members = profile.content.members if profile is not None else ()
    sections = agent.sections if agent is not None else ()
    return frozenset([*(member.key.upper() for member in members), *(section.keyword for section in sections)])


def _checkpoints(cursor: Cursor, calling: bool) -> Iterator[Item]:
    """What BEFORE takes (docs/spec 04 §4); after ``calling`` only the tool is missing."""
    if calling:
        yield from offer.tools(cursor)
        return
    for tool in offer.tools(cursor):
        yield replace(tool, label=f"calling {tool.label}", kind="value", insert=f"calling {tool.insert}")
    yield Item("returning results", "value", "checkpoint", "returning results")
