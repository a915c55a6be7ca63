"""3xx about how persistent paths are used: access, defaults, other agents (docs/spec 03 §3, 05 §5)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from abl.analysis import fixes
from abl.analysis.conditions.types import canonical_type, same_type
from abl.analysis.fixes.entries import add_property, remember
from abl.analysis.index.documents import DocumentIndex
from abl.analysis.index.model import AgentIndex, Read
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.memory.persistent import listed_only
from abl.diagnostics import Fix, Related
from abl.expressions import nodes as en
from abl.language import value_of_text
from abl.language.memory import scope_by_segment
from abl.source import Span
from abl.syntax import nodes

_FALLBACKS = frozenset({"COALESCE", "FIRST_NON_EMPTY", "HAS", "IF", "LENGTH"})
_DEFAULTS = {"string": '""', "number": "0", "boolean": "false", "array": "[]", "object": "{}"}
_WRITING = frozenset({"remember", "set", "as", "transform", "gather"})


def scope_of(path: nodes.PersistentPath) -> str:
    """The effective scope (docs/spec 03 §3)."""
    return path.typed.given("SCOPE") or scope_by_segment(path.name.value)


def access_of(path: nodes.PersistentPath) -> str:
    """ACCESS as it is meant, readwrite when it is not given."""
    access: str = value_of_text("persistent", "ACCESS", path.access)
    return access


def _open_access(path: nodes.PersistentPath) -> tuple[Fix, ...]:
    if path.access is None or listed_only(path):
        return ()
    return (fixes.replace(path.access.inner, "readwrite", "Change ACCESS to readwrite", preferred=False),)


@rule(
    "ABL332",
    "no-default",
    "hint",
    "No DEFAULT and no COALESCE where `{p}` is used; null on first session",
    over=AgentIndex,
)
def no_default(agent: AgentIndex) -> Iterator[Found]:
    """
    What: A value from the store is used without DEFAULT and without asking whether it is there.
    Why: In a user's first session there is none: messages show nothing, calculations count it as 0.
    Bad:
        MEMORY:
          persistent:
            - user.name
              SCOPE: user
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello, {{user.name}}."
            THEN: COMPLETE
    Good:
        MEMORY:
          persistent:
            - user.name
              SCOPE: user
              DEFAULT: "reader"
        FLOW:
          greet:
            REASONING: false
            RESPOND: "Hello, {{user.name}}."
            THEN: COMPLETE
    """
    bare = {
        name: path
        for name, path in agent.persistent.items()
        if path.default is None and path.prop("DEFAULT") is None and scope_of(path) != "execution_tree"
    }
    if not bare:
        return
    asked = {read.path for read in agent.reads if _asks(read)}
    written = {write.path for write in agent.writes if write.kind == "set"}
    reported: set[str] = set()
    for read in agent.reads:
        declared = agent.path_of(read.path)
        name = declared.name.value if declared is not None else ""
        if name in reported or name not in bare or name in asked or read.path in asked or name in written:
            continue
        if read.use is not None and read.use.place in ("TAG", "SET", "WITH", "ARGUMENT", "STORE"):
            reported.add(name)
            kind = bare[name].type
            default = _DEFAULTS.get(canonical_type(kind.value) or "", '""') if kind is not None else '""'
            repairs = add_property(agent, bare[name], f"DEFAULT: {default}")
            yield found(bare[name].name.span, *repairs, node=bare[name].path, p=name)


def _asks(read: Read) -> bool:
    """True where the absence of the value is provided for."""
    if read.use is None:
        return False
    if read.use.role in ("if", "each"):
        return True
    for node in read.use.reading.nodes:
        asks = isinstance(node, en.Test) and node.op.startswith(("IS", "EMPTY"))
        falls_back = isinstance(node, en.Call) and node.name.upper() in _FALLBACKS
        if (asks or falls_back) and any(isinstance(n, en.Path) and n.parts[0] == read.root for n in en.walk(node)):
            return True
    return False


@rule("ABL333", "write-to-read-only", "error", "Write to read-only `{p}`", over=AgentIndex)
def write_to_read_only(agent: AgentIndex) -> Iterator[Found]:
    """
    What: SET or remember writes a path whose ACCESS is read.
    Why: The write is refused.
    Bad:
        MEMORY:
          persistent:
            - project.loan_cap
              SCOPE: project
              ACCESS: read
        FLOW:
          raise_cap:
            REASONING: false
            SET: project.loan_cap = 9
            THEN: COMPLETE
    Good:
        MEMORY:
          persistent:
            - project.loan_cap
              SCOPE: project
              ACCESS: readwrite
        FLOW:
          raise_cap:
            REASONING: false
            SET: project.loan_cap = 9
            THEN: COMPLETE
    """
    closed = [path for path in agent.persistent.values() if access_of(path) == "read"]
    for write in agent.writes if closed else ():
        path = agent.path_of(write.path) if write.kind in _WRITING else None
        if path is not None and access_of(path) == "read":
            yield found(write.span, *_open_access(path), node=write.node.path, p=path.name.value)
    for span, target in _completion_targets(agent) if closed else ():
        path = agent.path_of(target)
        if path is not None and access_of(path) == "read":
            yield found(span, *_open_access(path), p=path.name.value)


def _completion_targets(agent: AgentIndex) -> Iterator[tuple[Span, str]]:
    """Paths that STORE of COMPLETE entries writes (docs/spec 09)."""
    for completion in agent.all(nodes.Completion):
        prop = completion.prop("STORE")
        value = prop.value if prop is not None else None
        if value is not None and "->" in value.value:
            start = value.value.rindex("->") + 2
            target = value.value[start:].strip()
            at = value.value.index(target, start) if target else start
            yield value.span_of(at, at + len(target)), target


@rule("ABL334", "read-of-write-only", "error", "Read of write-only `{p}`", over=AgentIndex)
def read_of_write_only(agent: AgentIndex) -> Iterator[Found]:
    """
    What: An expression, message or recall reads a path whose ACCESS is write.
    Why: It reads nothing there.
    Bad:
        MEMORY:
          persistent:
            - user.note
              SCOPE: user
              ACCESS: write
        FLOW:
          tell:
            REASONING: false
            RESPOND: "Your note: {{user.note}}"
            THEN: COMPLETE
    Good:
        MEMORY:
          persistent:
            - user.note
              SCOPE: user
              ACCESS: readwrite
              DEFAULT: ""
        FLOW:
          tell:
            REASONING: false
            RESPOND: "Your note: {{user.note}}"
            THEN: COMPLETE
    """
    if not any(access_of(path) == "write" for path in agent.persistent.values()):
        return
    places = [(read.path, read.span, read.owner) for read in agent.reads if not _is_access(read)]
    places += [(write.path, write.span, write.node) for write in agent.writes if write.kind == "recall"]
    for name, span, owner in places:
        path = agent.path_of(name)
        if path is not None and access_of(path) == "write":
            yield found(span, *_open_access(path), node=owner.path, p=path.name.value)


def _is_access(read: Read) -> bool:
    """True in `context_access` of a tool, which ABL828 checks."""
    return read.use is None and isinstance(read.owner, nodes.Tool)


def _short_targets(agent: AgentIndex) -> frozenset[str]:
    """Targets of STORE without their scope, which ABL345 reports."""
    return frozenset(store.target.value for store in agent.all(nodes.Store) if store.target is not None)


@rule("ABL335", "path-never-written", "info", "`{p}` is never written in this project", over=AgentIndex, project=True)
def path_never_written(agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: A path may be written, but no remember trigger and no SET of the project writes it.
    Why: Declaring stores nothing; reads always give DEFAULT.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - user.branch
              SCOPE: user
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - branch
          persistent:
            - user.branch
              SCOPE: user
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
    """
    short = agent.derive(_short_targets)
    for name, path in agent.persistent.items():
        if "." not in name or access_of(path) != "readwrite" or scope_of(path) == "project":
            continue
        last = name.rpartition(".")[2]
        if name not in project.stored_paths and last not in agent.mentions and last not in short:
            yield found(path.name.span, later=partial(remember, agent, name), node=path.path, p=name)


@rule(
    "ABL336",
    "path-clash",
    "warning",
    "Path `{p}` also declared with another SCOPE/TYPE in agent {a}",
    over=nodes.PersistentPath,
    project=True,
)
def path_clash(path: nodes.PersistentPath, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: Two agents of the project declare one path with different SCOPE or TYPE.
    Why: They share the fact only if the scopes agree, and each expects another kind of value.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              TYPE: number

        AGENT: Librarian
        GOAL: "Help"
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              TYPE: string
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              TYPE: number

        AGENT: Librarian
        GOAL: "Help"
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              TYPE: number
    """
    for other_agent, other in project.declared_kinds.get(path.name.value, ()):
        if other_agent.agent is agent.agent:
            continue
        typed = path.type is None or other.type is None or same_type(path.type.value, other.type.value)
        if scope_of(path) != scope_of(other) or not typed:
            related = (Related(other_agent.source.path, other.name.span, "the other declaration"),)
            who = other_agent.name or other_agent.source.path
            yield found(path.name.span, related=related, node=path.path, p=path.name.value, a=who)
            return


@rule("ABL337", "needs-user", "info", "User-scoped memory needs an authenticated user", off=True, over=DocumentIndex)
def needs_user(document: DocumentIndex) -> Iterator[Found]:
    """
    What: The document uses facts of a user. Said once per document.
    Why: Without an authenticated user reads give DEFAULT and writes are dropped.
    Bad:
        MEMORY:
          persistent:
            - user.branch
              SCOPE: user
    Good:
        MEMORY:
          persistent:
            - project.branch
              SCOPE: project
    """
    for agent in document.agents:
        for path in agent.first(nodes.PersistentPath):
            if path.name.value and scope_of(path) == "user":
                yield found(agent.here(path).name.span, node=path.path)
                return
