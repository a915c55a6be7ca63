"""3xx about the paths that recall loads (docs/spec 03 §5, 05 §5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.fixes.entries import add_property, declare_path, is_without_scope
from abl.analysis.index.model import AgentIndex
from abl.analysis.index.project import Index
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Fix, Severity
from abl.source import Span
from abl.syntax import nodes

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_TTL = re.compile(r"([1-9][0-9]{0,10})([smhd])")


@rule(
    "ABL372",
    "undeclared-recall-path",
    "warning",
    "Recall path `{p}` is not declared under persistent. Did you mean `{y}`?",
    over=nodes.RecallInstruction,
    project=True,
)
def undeclared_recall_path(recall: nodes.RecallInstruction, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: PATHS lists a path that `persistent:` does not. When another agent of the project declares it, a note.
    Why: The path has no DEFAULT here, and a mistyped one loads nothing.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - user.branch
              SCOPE: user
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.brnch]
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - user.branch
              SCOPE: user
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch]
    """
    for name in recall.paths or ():
        path = name.value
        if not path or "/" in path or agent.path_of(path) is not None:
            continue
        if path in agent.persistent_parents or is_without_scope(path, agent):
            continue
        best, renames = fixes.rename_to(name.span, path, agent.persistent)
        declare = declare_path(agent, path, preferred=not renames) if "." in path else ()
        renames = tuple(Fix(fix.title, fix.edits) for fix in renames)
        severity: Severity | None = "info" if path in project.declared_paths else None
        yield found(name.span, *renames, *declare, severity=severity, node=recall.path, p=path, y=best)


@rule("ABL373", "slash-in-path", "warning", "Recall path uses `/`", over=nodes.RecallInstruction)
def slash_in_path(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A path is written with slashes.
    Why: Segments are separated by dots; with a slash nothing is loaded.
    Bad:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user/branch]
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch]
    """
    for name in recall.paths or ():
        if "/" in name.value:
            dotted = name.value.strip("/").replace("/", ".")
            yield found(name.span, fixes.replace(name.span, dotted), node=recall.path)


@rule(
    "ABL374",
    "recalled-path-expires",
    "info",
    "Recalled `{p}` expires after {ttl}; may be absent",
    off=True,
    over=nodes.RecallInstruction,
)
def recalled_path_expires(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A recalled fact has a TTL, and either lives less than a day or has no DEFAULT.
    Why: After the TTL the path is unset, as in the first session.
    Bad:
        MEMORY:
          persistent:
            - user.branch
              SCOPE: user
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
              TTL: "90d"
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch]
    Good:
        MEMORY:
          persistent:
            - user.branch
              SCOPE: user
              DEFAULT: "central"
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
              TTL: "90d"
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch]
    """
    for name in recall.paths or ():
        path = agent.persistent.get(name.value)
        ttl = _shortest_ttl(name.value, agent)
        if path is None or ttl is None:
            continue
        seconds, written = ttl
        if path.prop("DEFAULT") is None or seconds < _SECONDS["d"]:
            repairs = add_property(agent, path, 'DEFAULT: ""') if path.prop("DEFAULT") is None else ()
            yield found(name.span, *repairs, node=recall.path, p=name.value, ttl=written)


def _shortest_ttl(path: str, agent: AgentIndex) -> tuple[int, str] | None:
    """Seconds and spelling of the shortest TTL that a trigger gives the path; None when one keeps it for good."""
    found_ = [_TTL.fullmatch(written) for written in agent.derive(_ttls).get(path, ())]
    times = [(int(match[1]) * _SECONDS[match[2]], match[0]) for match in found_ if match is not None]
    return min(times, default=None) if len(times) == len(found_) else None


def _ttls(agent: AgentIndex) -> dict[str, list[str]]:
    """The TTL that each trigger gives its target, by target; empty where it gives none."""
    by_target: dict[str, list[str]] = {}
    for trigger in agent.first(nodes.RememberTrigger):
        target = trigger.store.target if trigger.store is not None else None
        if target is not None:
            by_target.setdefault(target.value, []).append(trigger.ttl.value if trigger.ttl is not None else "")
    return by_target


@rule(
    "ABL375",
    "path-listed-twice",
    "warning",
    "Path listed twice in PATHS",
    over=nodes.RecallInstruction,
    tags=("unnecessary",),
)
def path_listed_twice(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: PATHS has one path more than once.
    Why: It is loaded once; perhaps another path was meant.
    Bad:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch, user.branch]
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch, user.name]
    """
    paths = recall.paths or ()
    seen: set[str] = set()
    for before, name in zip((None, *paths), paths, strict=False):
        if name.value in seen and before is not None:
            between = agent.source.text[before.span.end : name.span.end]
            cut = fixes.replace(Span(before.span.end, name.span.end), "", "Remove the second")
            yield found(name.span, *((cut,) if "\n" not in between else ()), node=recall.path)
        seen.add(name.value)
