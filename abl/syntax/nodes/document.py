"""TOOLS, HANDOFF, COMPLETE, sections, agents, and the document that holds them (docs/spec 01, 08, 09)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from abl.diagnostics import Finding
from abl.language.written import Lines
from abl.source import Source, Span
from abl.syntax.nodes.actions import ActionHandler, Flow, Gather
from abl.syntax.nodes.base import Block, Comment, Literal_, Name, Node, Text, Unknown
from abl.syntax.nodes.branches import Assignment, Directive
from abl.syntax.nodes.constraints import Constraints
from abl.syntax.nodes.content import Described, Profile
from abl.syntax.nodes.memory import Memory


@dataclass(frozen=True, slots=True)
class TypeRef:
    """A type as written, with its shape: name, item type of arrays, fields of objects, values of enums.

    ``names``: the places of the names of the fields, one for each.
    """

    text: str
    span: Span
    name: str
    item: TypeRef | None = None
    fields: tuple[tuple[str, bool, TypeRef], ...] = ()  # (name, required, type)
    options: tuple[Any, ...] = ()
    names: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Node):
    """A parameter of a tool (08 §1)."""

    name: Name
    type: TypeRef | None
    required: bool
    default: Literal_ | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool(Node):
    """A tool with its signature and properties (08 §1-§2)."""

    PLACE = "tool"
    name: Name
    parameters: tuple[Parameter, ...]
    returns: TypeRef | None
    description: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff(Node):
    """An entry of HANDOFF (09 §5)."""

    PLACE = "handoff"
    to: Name | None
    when: Text | None
    priority: Text | None = None
    passes: tuple[Name, ...] = ()
    sets: tuple[Assignment, ...] = ()
    summary: Text | None = None
    history: Text | None = None
    expect_return: Text | None = None
    on_return: Block | None = None

    @property
    def history_lines(self) -> Lines | None:
        """``history`` in CONTEXT, else beside TO, with what is below it (09 §5)."""
        context = self.typed.below("CONTEXT")
        return context.lines("history") or self.typed.lines("HISTORY")


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion(Node):
    """An entry of COMPLETE (09 §7)."""

    PLACE = "complete"
    when: Text | None
    respond: Text | None
    actions: tuple[Directive, ...] = ()
    terminal: Text | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section(Node):
    """A top-level section by keyword; ``value`` and ``block`` hold what no typed node names.

    ``content`` is set for a profile document and a tool file: the typed sections it holds. ``described`` are the nodes
    of sections that are read as ``Content``.
    """

    keyword: str
    written: str
    key_span: Span
    value: Text | None
    content: Fragment | None = None
    described: tuple[Described, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent(Node):
    """An AGENT or SUPERVISOR document. ``on_start`` is a directive list; hooks map the hook name to one."""

    kind: Literal["agent", "supervisor"]
    name: Name | None
    sections: tuple[Section, ...] = ()  # file order, repeats included
    goal: Text | None = None
    persona: Text | None = None
    limitations: tuple[Text, ...] = ()
    tools: tuple[Tool, ...] = ()
    gather: Gather | None = None
    flow: Flow | None = None
    memory: Memory | None = None
    constraints: Constraints | None = None
    handoffs: tuple[Handoff, ...] = ()
    completions: tuple[Completion, ...] = ()
    on_start: tuple[Directive, ...] = ()
    hooks: tuple[tuple[str, tuple[Directive, ...]], ...] = ()
    messages: tuple[tuple[Name, Text], ...] = ()
    templates: tuple[tuple[Name, Text], ...] = ()
    action_handlers: tuple[ActionHandler, ...] = ()

    def section(self, keyword: str) -> Section | None:
        """The first section of that canonical keyword."""
        return next((s for s in self.sections if s.keyword == keyword), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fragment(Agent):
    """A text without a header: sections, a directive list (``directives``) or a rule list (in ``constraints``).

    What a profile document holds is one, too, with its ``profile``.
    """

    directives: tuple[Directive, ...] = ()
    profile: Profile | None = None


class Reading(NamedTuple):
    """A node (or names) read from a block which then was ``shift`` characters behind where it first stood.

    ``circumstances``: the reader, its arguments and the form of the file. ``notes`` are for whoever looks at the node
    later; they go with it from text to text, so they must not depend on where it stands now.
    """

    circumstances: tuple[Any, ...]
    shift: int
    node: Any
    notes: dict[Any, Any]


class Unit(NamedTuple):
    """A node of a document that may be met again in the next text: its reading, and what moved it since, if it has.

    ``move`` is an ``abl.syntax.incremental.relocation.Move``, which lives as long as the document.
    """

    reading: Reading
    move: Any


@dataclass(frozen=True, slots=True)
class Trail:
    """What ``abl.syntax.incremental.reparse`` must know of a parse besides its result.

    ``tangled``: a limit was reached, so that lines decide what becomes of others far away. ``unsure`` are offsets of
    lines whose structure was reported or depends on lines further below; ``blanked`` the comments within values, and
    what only YAML knows;
    ``units`` the nodes that may be met again, by id (see ``abl.syntax.incremental.reader_cache``).
    """

    mixed: bool
    tangled: bool
    unsure: tuple[int, ...]
    blanked: tuple[Span, ...]
    units: dict[int, Unit]


@dataclass(frozen=True, slots=True)
class Document:
    """One file. ``blocks`` is the lossless layer; ``findings`` what the parser noticed (see abl.analysis)."""

    source: Source
    agents: tuple[Agent, ...]
    fragments: tuple[Fragment, ...]
    blocks: tuple[Block, ...]
    comments: tuple[Comment, ...]
    findings: tuple[Finding, ...]
    unknown: tuple[Unknown, ...] = ()
    yaml: bool = False  # the YAML form of docs/spec 01 §1
    profiles: tuple[Section, ...] = ()
    tool_files: tuple[Section, ...] = ()
    trail: Trail | None = field(default=None, repr=False, compare=False)
