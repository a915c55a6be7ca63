"""The declared names that completion offers, by kind, and what their types say about them (docs/spec 12 §1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from abl.analysis.index.elements import ids_in, shown_blocks
from abl.analysis.index.imports import tools_imported
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.names import BUILT_IN_TOOLS, SYSTEM_NAMES
from abl.analysis.index.shared_names import profile_name
from abl.analysis.index.vocabularies import lists_of
from abl.editing.completion.cursor import Cursor, Item, line_with_key, sibling, value_below
from abl.editing.completion.each import LOOP_NAMES, path_behind_index, steps_of
from abl.editing.completion.types import fields_of, item_of, items_at, type_of
from abl.editing.place import Line, lines_below
from abl.expressions import BUILTINS
from abl.syntax import nodes, vocabulary
from abl.syntax.vocabulary import RUNTIME_FIELDS

_COMPARED = re.compile(
    r"(?<![\w.])(?P<path>[A-Za-z_][\w.]*)\s*(?:[=!]=\s*|(?:NOT\s+)?IN\s*\[(?:[^\]]*,)?\s*)"
    r"(?P<quote>[\"'])(?P<typed>(?:(?!(?P=quote)).)*)$"
)
_LOOKED_AT = 500
"""Characters before the cursor that may say what a text is compared with."""
_WORD_BEFORE = re.compile(r"[A-Za-z_@][\w.]*$")
_CATEGORIES = ("intent.category", "intent.name")


def names(cursor: Cursor) -> Iterator[Item]:
    """Variables and paths of the agent; the item of a TRANSFORM; behind a dot the fields that a declared type has."""
    agent = cursor.agent
    if agent is None:
        return
    yield from in_lists(cursor)
    item = item_of(cursor)
    if item is not None and item[0]:
        yield Item(item[0], "variable", "item", item[0])
    for name in dict.fromkeys(write.path for write in agent.writes):
        declared = name in agent.persistent
        kind = agent.types.of_path(name) or ""
        where = (
            "persistent"
            if declared
            else "session"
            if name in agent.session
            else "field"
            if name in agent.fields
            else "set"
        )
        yield Item(name, "path" if declared else "variable", " ".join(part for part in (kind, where) if part), name)
    for name in sorted(cursor.index.received(agent) - agent.write_paths):
        yield Item(name, "variable", "from another agent", name)
    if "." in cursor.typed:
        yield from _fields(cursor, agent, cursor.typed.rpartition(".")[0])


def _fields(cursor: Cursor, agent: AgentIndex, prefix: str) -> Iterator[Item]:
    for name in RUNTIME_FIELDS.get(prefix, ()):
        yield Item(f"{prefix}.{name}", "variable", "of the runtime", f"{prefix}.{name}")
    for name, detail in fields_of(type_of(cursor, agent, steps_of(prefix))):
        yield Item(f"{prefix}.{name}", "variable", detail, f"{prefix}.{name}")


def behind_index(cursor: Cursor) -> list[Item] | None:
    """The fields behind ``rows[0].``; None where no index precedes the cursor."""
    path = path_behind_index(cursor.before)
    if path is None or cursor.agent is None:
        return None
    begun = cursor.typed.rpartition(".")[0]
    kept = f"{begun}." if begun else ""
    fields = fields_of(type_of(cursor, cursor.agent, steps_of(path)))
    return [Item(f"{path}.{name}", "variable", detail, kept + name) for name, detail in fields]


def in_lists(cursor: Cursor) -> Iterator[Item]:
    """Within ``{{#each}}``: the fields of the item, the item itself, and its number."""
    items = items_at(cursor, cursor.agent) if cursor.agent is not None else []
    if not items:
        return
    for item in reversed(items):
        for name, _, kind in item.fields if item is not None else ():
            yield Item(name, "variable", f"{kind.text} of the item".strip(), name)
    yield Item("this", "variable", "the item", "this")
    yield from (Item(name, "variable", "of the list", name) for name in LOOP_NAMES)


def mapped(cursor: Cursor) -> Iterator[Item]:
    """What SORT_BY may name: the fields of MAP, which runs first, or else those of the item (docs/spec 03 §8)."""
    parent, depth, inside = line_with_key(cursor, "TRANSFORM"), 0, False
    for line in lines_below(cursor.source, parent) if parent is not None else ():
        if inside and line.indent > depth:
            yield Item(line.key, "variable", "field of MAP", line.key)
        else:
            inside, depth = line.key.upper() == "MAP", line.indent
            if inside and line.has_value:
                return
    item = item_of(cursor)
    if item is not None and item[1] is not None and not _has_map(cursor, parent):
        yield from (Item(name, "variable", kind.text, name) for name, _, kind in item[1].fields)


def _has_map(cursor: Cursor, parent: Line | None) -> bool:
    return parent is not None and any(line.key.upper() == "MAP" for line in lines_below(cursor.source, parent))


# texts -----------------------------------------------------------------------------------------------------------


def compared(cursor: Cursor, expression: str) -> list[Item] | None:
    """The texts that what is compared may have, within quotes; None where the cursor is not in a text."""
    match = _COMPARED.search(expression[-_LOOKED_AT:])
    if match is None:
        return [] if quote_open(expression) is not None else None
    if cursor.agent is None:
        return []
    typed = match["typed"]
    word = _WORD_BEFORE.search(typed)
    done = typed[: word.start()] if word is not None else typed
    listed = [text for text in _texts_of(cursor, cursor.agent, match["path"]) if text.startswith(done)]
    return [Item(text, "value", match["path"], text[len(done) :]) for text in listed]


def _texts_of(cursor: Cursor, agent: AgentIndex, path: str) -> tuple[str, ...]:
    if path in _CATEGORIES:
        sections = agent.all(nodes.Understanding)
        lists = [entries for section in sections for kind, entries in lists_of(section) if kind != "Entity"]
        return tuple(dict.fromkeys(name.value for entries in lists for name, _ in entries))
    if path in agent.options:
        return tuple(map(str, agent.options[path]))
    type_ = type_of(cursor, agent, steps_of(path))
    options = type_.options if type_ is not None and type_.name == "enum" else ()
    return tuple([option for option in options if isinstance(option, str)])


def quote_open(text: str) -> int | None:
    """Where the quote stands that is open at the end of a text; None when there is none."""
    quote, start, escaped = "", 0, False
    for at, char in enumerate(text):
        if escaped:
            escaped = False
        elif quote:
            escaped = char == "\\"
            quote = "" if char == quote else quote
        elif char in "\"'" and not text[at - 1 : at].isalnum():
            quote, start = char, at
    return start if quote else None


def of_runtime() -> Iterator[Item]:
    """The names that the runtime sets (docs/spec 09 §17)."""
    yield from (Item(name, "variable", "of the runtime", name) for name in sorted(SYSTEM_NAMES) if name[0] != "_")


# other kinds -----------------------------------------------------------------------------------------------------


def paths(cursor: Cursor) -> Iterator[Item]:
    """The persistent paths of the project."""
    for path, declarations in cursor.index.declared_paths.items():
        owner, _ = declarations[0]
        yield Item(path, "path", f"persistent in {owner.name}" if owner.name else "persistent", path)


def functions() -> Iterator[Item]:
    """The functions of expressions."""
    for name, function in sorted(BUILTINS.items()):
        yield Item(name, "function", f"{function.signature}: {function.doc}", f"{name}(")


def steps(cursor: Cursor) -> Iterator[Item]:
    """The steps of the agent, or of the agents that a profile edits."""
    agents = (*((cursor.agent,) if cursor.agent is not None else ()), *users_of(cursor))
    for name in dict.fromkeys(name for one in agents for name in one.steps):
        yield Item(name, "step", "step", name)
    for name in dict.fromkeys(name.value for one in agents if one.agent.flow for name in one.agent.flow.listed):
        if not any(name in one.steps for one in agents):
            yield Item(name, "step", "step that is listed and not written yet", name)
    for name in dict.fromkeys(_steps_to_come(cursor)):
        yield Item(name, "step", "step that another one leads to and that is not written yet", name)


def _steps_to_come(cursor: Cursor) -> Iterator[str]:
    """Steps that other places of the agent lead to; what is being typed is none of them."""
    agent = cursor.agent
    flow = agent.agent.flow if agent is not None else None
    if agent is None or flow is None:
        return
    at = cursor.source.line_starts[cursor.line - 1] + len(cursor.before)
    known = {*agent.steps, *vocabulary.TERMINALS, *[name.value for name in flow.listed]}
    for name in [ref.name for ref in agent.step_refs]:
        typed_here = name.span.start <= at <= name.span.end
        if not typed_here and name.value.isidentifier() and name.value not in known:
            yield name.value


def users_of(cursor: Cursor) -> Sequence[AgentIndex]:
    """The agents that the profile around the cursor edits; none outside of one."""
    agent = cursor.agent
    profile = profile_name(agent, cursor.index) if agent is not None and agent.fragment else None
    return cursor.index.profile_users.get(profile.value, ()) if profile is not None else ()


def agents(cursor: Cursor) -> Iterator[Item]:
    """The other agents of the project."""
    own = cursor.agent.name if cursor.agent is not None else ""
    for name, agent in cursor.index.agents.items():
        if name != own:
            yield Item(name, "agent", agent.source.path, name)


def tools(cursor: Cursor) -> Iterator[Item]:
    """What the agent may call: its own tools, those it imports, and without TOOLS the project's (docs/spec 05 §1)."""
    agent = cursor.agent
    own = agent.tools if agent is not None else {}
    for user in users_of(cursor):
        own = {**user.imported_tools, **user.tools, **own}
    for name, tool in own.items():
        yield Item(name, "tool", tool.description.value if tool.description else "tool", name)
    if agent is not None and (agent.agent.section("TOOLS") is not None or agent.imported_tools):
        for name in sorted((tools_imported(agent) | agent.imported_tools.keys()) - set(own)):
            known = agent.imported_tools.get(name)
            yield Item(name, "tool", known.description.value if known and known.description else "imported", name)
        return
    declared = {name: tool for other in cursor.index.each() for name, tool in other.tools.items()}
    for name in sorted((declared.keys() | cursor.index.called_tools) - set(own) - BUILT_IN_TOOLS):
        yield Item(name, "tool", "of another agent" if name in declared else "called elsewhere in the project", name)


def built_in_tools() -> Iterator[Item]:
    """The tools of the runtime that an agent may call (docs/spec 08 §3.3, 11)."""
    for name in sorted(BUILT_IN_TOOLS):
        if not name.startswith("_"):
            yield Item(name, "tool", "of the runtime", name)


def parameters(cursor: Cursor, tool: str) -> Iterator[Item]:
    """The parameters of a tool, as keys."""
    agent = cursor.agent
    declared = agent.tools.get(tool) or agent.imported_tools.get(tool) if agent is not None else None
    for parameter in declared.parameters if declared is not None else ():
        kind = parameter.type.text if parameter.type is not None else ""
        name = parameter.name.value
        yield Item(name, "key", " ".join([kind] * bool(kind) + ["optional"] * (not parameter.required)), f"{name}: ")


def returned(cursor: Cursor) -> Iterator[Item]:
    """What another agent can give back: its variables, as keys of ``map`` and RETURNS (docs/spec 09 §5, §6)."""
    to = next((name for key in ("TO", "AGENT") if (name := sibling(cursor, "-", key))), "")
    child = cursor.index.agents.get(to)
    for name in dict.fromkeys(write.path for write in child.writes) if child is not None else ():
        if "." not in name:
            yield Item(name, "key", f"variable of {to}", f"{name}: ")


def events(cursor: Cursor) -> Iterator[Item]:
    """When a recall may happen (docs/spec 03 §5)."""
    yield from (Item(event, "value", "recall event", event) for event in vocabulary.RECALL_EVENTS)
    for tool in tools(cursor):
        yield Item(f"tool:{tool.label}:after", "value", "after that tool", f"tool:{tool.label}:after")
    yield Item("tool:*:after", "value", "after any tool", "tool:*:after")
    agent = cursor.agent
    for step in agent.steps if agent is not None else ():
        yield Item(f"step:enter:{step}", "value", "on entering that step", f"step:enter:{step}")
        yield Item(f"step:exit:{step}", "value", "on leaving that step", f"step:exit:{step}")
    for field in agent.fields if agent is not None else ():
        yield Item(f"entity:{field}:extracted", "value", "once that field is filled", f"entity:{field}:extracted")
    for name in (*cursor.index.agents, "*"):
        for when in ("before", "after"):
            yield Item(f"agent:{name}:{when}", "value", f"{when} that agent works", f"agent:{name}:{when}")


def collected(cursor: Cursor) -> Iterator[Item]:
    """What may be asked for: fields, and variables of the session (docs/spec 04 §5)."""
    agent = cursor.agent
    for name in dict.fromkeys((*agent.fields, *agent.session)) if agent is not None else ():
        yield Item(name, "variable", "field" if agent is not None and name in agent.fields else "session", name)


def given(cursor: Cursor) -> Iterator[Item]:
    """What another agent may be given by INPUT: its fields and variables, as keys (docs/spec 09 §6)."""
    to = next((name for key in ("AGENT", "TO") if (name := sibling(cursor, "-", key))), "")
    child = cursor.index.agents.get(to)
    for name in dict.fromkeys((*child.fields, *child.session)) if child is not None else ():
        yield Item(name, "key", f"of {to}", f"{name}: ")


def binding(cursor: Cursor) -> str:
    """The ``type`` of the tool around the cursor."""
    tool = cursor.place.parents[1] if len(cursor.place.parents) > 1 else None
    return value_below(cursor, tool, "TYPE").lower()


def shown_ids(cursor: Cursor) -> list[str]:
    """The ids of what the agent shows to be pressed or filled in, in order."""
    steps = cursor.agent.all(nodes.Step) if cursor.agent is not None else []
    return sorted({name for step in steps for block in shown_blocks(step) for name in ids_in(block)})


def declared_types(cursor: Cursor) -> frozenset[str]:
    """The types that the name of the entry around the cursor has elsewhere: as a variable, a field, a parameter."""
    entry = cursor.place.parents[-1] if cursor.place.parents else None
    agent = cursor.agent
    if entry is None or agent is None:
        return frozenset()
    name = entry.key or entry.text.strip().removeprefix("-").strip()
    written = {field.type_word for field in agent.all(nodes.GatherField) if field.name.value == name}
    if name in agent.session:
        written.add(agent.session[name].type_word)
    parameters = [each.type for tool in agent.tools.values() for each in tool.parameters if each.name.value == name]
    return frozenset(written.union(each.name for each in parameters if each is not None)) - {""}
