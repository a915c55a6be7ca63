"""3xx about the declarations of MEMORY.persistent (docs/spec 03 §3, 05 §5)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes.entries import add_property, merge_entries, remove_property
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.memory.session_memory import unfit_literal
from abl.diagnostics import Edit, Fix, Related
from abl.language.memory import SCOPE_OF_SEGMENT
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.vocabulary import MEMORY_SHORTHANDS, SESSION_ONLY_KEYS


def listed_only(path: nodes.PersistentPath) -> bool:
    """True for a path that is in a READS or WRITES list, where it has no properties."""
    return path.block is not None and path.block.key.upper() in MEMORY_SHORTHANDS


@rule("ABL302", "persistent-path-twice", "error", "Persistent path `{p}` declared twice", over=nodes.PersistentPath)
def persistent_path_twice(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `persistent:` has two entries of one path.
    Why: Which scope, type and default count is not clear.
    Bad:
        MEMORY:
          persistent:
            - user.name
              SCOPE: user
            - user.name
              TYPE: string
    Good:
        MEMORY:
          persistent:
            - user.name
              SCOPE: user
              TYPE: string
    """
    first = agent.persistent.get(path.name.value)
    if first is None or first is path or not path.name.value or listed_only(path) or listed_only(first):
        return
    related = (Related(agent.source.path, first.name.span, "first entry"),)
    merged = merge_entries(agent, first, path)
    yield found(path.name.span, *merged, related=related, node=path.path, p=path.name.value)


@rule(
    "ABL312",
    "session-key-in-persistent",
    "error",
    "`RESET`/`INITIAL` belong to session variables",
    over=nodes.PersistentPath,
)
def session_key_in_persistent(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A persistent path has RESET or INITIAL.
    Why: Facts are not reset; what is read while there is none is DEFAULT.
    Bad:
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              INITIAL: 0
    Good:
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              DEFAULT: 0
    """
    for prop in path.props:
        if prop.key in SESSION_ONLY_KEYS:
            repairs = remove_property(agent, prop)
            if prop.key == "INITIAL" and path.prop("DEFAULT") is None:
                repairs = (fixes.replace(prop.key_span, "DEFAULT"),)
            yield found(prop.key_span, *repairs, node=path.path)


@rule(
    "ABL320",
    "one-segment-path",
    "warning",
    "Persistent path of one segment needs SCOPE, or a scope in front of it, e.g. `user.{n}`",
    over=nodes.PersistentPath,
)
def one_segment_path(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A persistent path is a single word, and no SCOPE says whose it is.
    Why: The first segment of a path names its scope. A path without one needs SCOPE.
    Bad:
        MEMORY:
          persistent:
            - name
    Good:
        MEMORY:
          persistent:
            - user.name
              SCOPE: user
    """
    name = path.name.value
    if not name or "." in name or path.scope is not None:
        return
    prefix = "user"
    places = {path.name.span.start}
    if name not in agent.session:
        read = [(each.path, each.span) for each in agent.reads if each.root == name]
        written = [(each.path, each.span) for each in agent.writes if each.root == name]
        places |= {span.start for dotted, span in read + written if agent.path_of(dotted) in (None, path)}
    edits = tuple(Edit(Span(at, at), f"{prefix}.") for at in sorted(places))
    yield found(path.name.span, Fix(f"Rename to `{prefix}.{name}`", edits, preferred=True), node=path.path, n=name)


@rule("ABL321", "bad-scope", "error", "SCOPE must be user, project or execution_tree", over=nodes.PersistentPath)
def bad_scope(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: SCOPE has another value.
    Why: Who shares the fact is not known.
    Bad:
        MEMORY:
          persistent:
            - workflow.case
              SCOPE: workflow
    Good:
        MEMORY:
          persistent:
            - workflow.case
              SCOPE: execution_tree
    """
    yield from unfit(path.scope, "persistent", "SCOPE", f"{path.path}.SCOPE")


@rule(
    "ABL322",
    "scope-beside-path",
    "warning",
    "Path says `{a}` but SCOPE is `{b}`; SCOPE wins",
    over=nodes.PersistentPath,
)
def scope_beside_path(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The first segment names one scope and SCOPE another.
    Why: SCOPE counts, and everybody who reads the path is misled.
    Bad:
        MEMORY:
          persistent:
            - user.loan_cap
              SCOPE: project
    Good:
        MEMORY:
          persistent:
            - project.loan_cap
              SCOPE: project
    """
    segment = path.name.value.partition(".")[0]
    said, scope = SCOPE_OF_SEGMENT.get(segment), path.scope
    given = path.typed.given("SCOPE")
    if scope is None or said is None or given is None or given == said:
        return
    change = fixes.replace(scope.inner, said, f"Change SCOPE to {said}", preferred=False)
    yield found(scope.inner, change, node=f"{path.path}.SCOPE", a=segment, b=given)


@rule("ABL323", "unstated-scope", "warning", "State SCOPE explicitly for `{p}`", over=nodes.PersistentPath)
def unstated_scope(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A path that begins with project, workflow or execution_tree has no SCOPE.
    Why: Some platforms take the scope `user` then, whatever the path says.
    Bad:
        MEMORY:
          persistent:
            - project.loan_cap
              TYPE: number
    Good:
        MEMORY:
          persistent:
            - project.loan_cap
              SCOPE: project
              TYPE: number
    """
    scope = SCOPE_OF_SEGMENT.get(path.name.value.partition(".")[0])
    if path.prop("SCOPE") is None and scope is not None and scope != "user" and "." in path.name.value:
        repairs = add_property(agent, path, f"SCOPE: {scope}", preferred=True)
        yield found(path.name.span, *repairs, node=path.path, p=path.name.value)


@rule(
    "ABL324",
    "segment-without-scope",
    "warning",
    "First segment `{s}` names no scope; user scope assumed",
    over=nodes.PersistentPath,
)
def segment_without_scope(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A path has no SCOPE, and its first segment is neither user, project, workflow nor execution_tree.
    Why: The fact belongs to the user then, which may not be meant.
    Bad:
        MEMORY:
          persistent:
            - branch.opening_hours
              TYPE: string
    Good:
        MEMORY:
          persistent:
            - branch.opening_hours
              SCOPE: user
              TYPE: string
    """
    segment, dot, _ = path.name.value.partition(".")
    if dot and path.prop("SCOPE") is None and segment not in SCOPE_OF_SEGMENT:
        repairs = add_property(agent, path, "SCOPE: user", preferred=True)
        yield found(path.name.span, *repairs, node=path.path, s=segment)


@rule("ABL325", "bad-access", "error", "ACCESS must be read, write or readwrite", over=nodes.PersistentPath)
def bad_access(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ACCESS has another value.
    Why: Whether the agent may read or write the fact is not known.
    Bad:
        MEMORY:
          persistent:
            - user.name
              SCOPE: user
              ACCESS: rw
    Good:
        MEMORY:
          persistent:
            - user.name
              SCOPE: user
              ACCESS: readwrite
    """
    yield from unfit(path.access, "persistent", "ACCESS", f"{path.path}.ACCESS")


@rule("ABL326", "default-of-other-type", "warning", "DEFAULT `{v}` is not a {type}", over=nodes.PersistentPath)
def default_of_other_type(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: DEFAULT does not fit TYPE.
    Why: The value has one type before the first write and another after it.
    Bad:
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              TYPE: number
              DEFAULT: "0"
    Good:
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              TYPE: number
              DEFAULT: 0
    """
    yield from unfit_literal(agent, path.default, path.type, f"{path.path}.DEFAULT")


@rule("ABL327", "two-defaults", "error", "`DEFAULT` and `DEFAULT_VALUE` both given", over=nodes.PersistentPath)
def two_defaults(path: nodes.PersistentPath, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A path has both spellings of DEFAULT.
    Why: They are one property, and it is not clear which value is meant.
    Bad:
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              DEFAULT: 0
              DEFAULT_VALUE: 1
    Good:
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              DEFAULT: 0
    """
    given = [prop for prop in path.props if prop.key == "DEFAULT"]
    if len({prop.written.upper() for prop in given}) > 1:
        first, last = given[0], given[-1]
        same = first.value is not None and last.value is not None and first.value.value == last.value.value
        keep = (remove_property(agent, prop, preferred=same) for prop in (last, first))
        yield found(last.key_span, *(fix for repair in keep for fix in repair), node=path.path)
