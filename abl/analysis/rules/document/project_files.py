"""What is told of ``project.yaml`` (docs/spec 12 §3.1, 10 §9)."""

from __future__ import annotations

from collections.abc import Iterable

from abl.analysis.index.project import Index
from abl.analysis.project_file.reading import ENTRY_PLACES, Named, ProjectFile
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix, Severity
from abl.syntax.recovery.suggest import closest


@rule("ABL1081", "unreadable-project-file", "error", "The project file {why}")
def unreadable_project_file() -> None:
    """
    What: project.yaml is no YAML, too long, or holds something other than keys and values.
    Why: Nothing of it is known, so entry agent, mocks and settings of the project do not hold.
    Bad:
        - entry: Desk
    Good:
        entry: Desk
    """


@rule("ABL1082", "unknown-project-key", "error", "Unknown key `{k}` in {place}. Did you mean `{y}`?")
def unknown_project_key() -> None:
    """
    What: project.yaml has a key that nothing reads.
    Why: What stands behind it has no effect; most often the key is misspelt.
    Bad:
        entyr: Desk
    Good:
        entry: Desk
    """


@rule("ABL1083", "repeated-project-key", "error", "`{k}` is given twice in {place}, first in line {line}")
def repeated_project_key() -> None:
    """
    What: A mapping of project.yaml has the same key twice.
    Why: YAML keeps only one of them, and which one differs between readers.
    Bad:
        entry: Desk
        entry: Shelf
    Good:
        entry: Desk
    """


@rule("ABL1084", "bad-project-value", "error", "`{field}` is {value}; {right}")
def bad_project_value() -> None:
    """
    What: A value of project.yaml is of the wrong type, or none of the words that may stand there.
    Why: It cannot be used: `abl run` and `abl test` stop at it.
    Bad:
        policy: skip
    Good:
        policy: skip_unset
    """


@rule(
    "ABL1085",
    "unknown-project-name",
    "warning",
    "There is no {kind} `{name}`. Did you mean `{y}`?",
    over=ProjectFile,
    project=True,
)
def unknown_project_name(file: ProjectFile, index: Index) -> Iterable[Found]:
    """
    What: project.yaml names an agent or a tool that the project does not have, or a bank that its `banks` do not have;
    for the entry agent it is an error.
    Why: No conversation can begin with a missing agent, the mocks of a missing tool answer nothing, and a bank of
    another name is empty.
    Bad:
        entry: Dsk
    Good:
        entry: Desk
    """
    banks = frozenset(file.value("banks") or ())
    if banks:
        yield from (_unknown(n, banks) for n in file.names if n.kind == "bank" and n.name not in banks)
    if not any(True for _ in index.each()):
        return  # the file alone: its project is not known
    tools = index.shared_tools.union(*[agent.tools for agent in index.each()])
    known = {"agent": frozenset(index.agents), "tool": frozenset(tools)}
    declared = [named for named in file.names if named.kind in known]
    yield from (_unknown(named, known[named.kind]) for named in declared if named.name not in known[named.kind])


def _unknown(named: Named, names: frozenset[str]) -> Found:
    near = closest(named.name, names)
    fixes = [Fix(f"Write {name}", (Edit(named.span, name),), len(near) == 1) for name in near]
    severity: Severity | None = "error" if named.place in ENTRY_PLACES else None
    return found(named.span, *fixes, severity=severity, kind=named.kind, name=named.name, y=near[0] if near else "")
