"""3xx about the declarations of MEMORY.session (docs/spec 03 §2, 05 §5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abl.analysis import fixes
from abl.analysis.conditions.types import canonical_type, fits
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes.entries import (
    declare_path,
    merge_entries,
    remove_property,
)
from abl.analysis.fixes.expiry import remembered
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix, Related
from abl.language.types import FLAG, NUMBER
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.vocabulary import PERSISTENT_ONLY_KEYS


def reset_of(variable: nodes.SessionVariable) -> str:
    reset: str = variable.typed.value("RESET")
    return reset


@rule(
    "ABL301", "session-variable-twice", "warning", "Session variable `{n}` declared twice", over=nodes.SessionVariable
)
def session_variable_twice(variable: nodes.SessionVariable, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `session:` has two entries of one name.
    Why: They are one variable; a property that both give is taken from the later.
    Bad:
        MEMORY:
          session:
            - open_loans
            - open_loans
              TYPE: number
    Good:
        MEMORY:
          session:
            - open_loans
              TYPE: number
    """
    first = agent.session.get(variable.name.value)
    if first is not None and first is not variable and variable.name.value:
        related = (Related(agent.source.path, first.name.span, "first entry"),)
        merged = merge_entries(agent, first, variable)
        yield found(variable.name.span, *merged, related=related, node=variable.path, n=variable.name.value)


@rule(
    "ABL303",
    "session-hides-scope",
    "error",
    "`{n}` is both a session variable and the first segment of a persistent path",
    over=nodes.SessionVariable,
)
def session_hides_scope(variable: nodes.SessionVariable, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A session variable has the name with which a persistent path begins, or that of a path of one segment.
    Why: What `user.name` then reads, the variable or the store, is not clear.
    Bad:
        MEMORY:
          session:
            - user
          persistent:
            - user.name
              SCOPE: user
    Good:
        MEMORY:
          session:
            - current_user
          persistent:
            - user.name
              SCOPE: user
    """
    name = variable.name.value
    if (same := agent.persistent.get(name)) is not None:
        related = (Related(agent.source.path, same.name.span, "persistent path"),)
        wording = "`{n}` is both a session variable and a persistent path"
        yield found(variable.name.span, related=related, node=variable.path, n=name, wording=wording)
        return
    below = agent.persistent_parents.get(name)
    if below is None:
        return
    path = agent.persistent[below]
    free = next(new for new in (f"current_{name}", f"session_{name}", f"my_{name}_value") if new not in agent.session)
    edits = {read.span.start for read in agent.reads if read.root == name and agent.path_of(read.path) is None}
    edits |= {w.span.start for w in agent.writes if w.root == name and agent.path_of(w.path) is None}
    changes = tuple(Edit(Span(at, at + len(name)), free) for at in sorted(edits))
    related = (Related(agent.source.path, path.name.span, "persistent path"),)
    yield found(variable.name.span, Fix(f"Rename to `{free}`", changes), related=related, node=variable.path, n=name)


@rule(
    "ABL304",
    "bad-reset",
    "error",
    "RESET must be per_session, per_step, per_activation or never",
    over=nodes.SessionVariable,
    needs="RESET",
)
def bad_reset(variable: nodes.SessionVariable, agent: AgentIndex) -> Iterator[Found]:
    """
    What: RESET has another value.
    Why: When the variable goes back to INITIAL is not known.
    Bad:
        MEMORY:
          session:
            - tries
              INITIAL: 0
              RESET: per_sesion
    Good:
        MEMORY:
          session:
            - tries
              INITIAL: 0
              RESET: per_session
    """
    yield from unfit(variable.reset, "session", "RESET", f"{variable.path}.RESET")


@rule(
    "ABL306",
    "reset-never",
    "warning",
    "`RESET: never` outlives the session; consider persistent memory",
    over=nodes.SessionVariable,
    needs="RESET",
)
def reset_never(variable: nodes.SessionVariable, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A session variable is never reset.
    Why: All sessions and users share one value until the process restarts. A fact store keeps it apart and for good.
    Bad:
        MEMORY:
          session:
            - visits
              INITIAL: 0
              RESET: never
    Good:
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              DEFAULT: 0
    """
    if variable.reset is not None and reset_of(variable) == "never":
        yield found(variable.reset.inner, *_kept_in_persistent(variable, agent), node=f"{variable.path}.RESET")


def _kept_in_persistent(variable: nodes.SessionVariable, agent: AgentIndex) -> tuple[Fix, ...]:
    """The path of a fact store, and a variable that each session has of its own: one without RESET."""
    reset = variable.prop("RESET")
    dropped = remove_property(agent, reset) if reset is not None else ()
    declared = declare_path(agent, f"user.{variable.name.value}") if dropped else ()
    return tuple(Fix(f"{fix.title} and remove `RESET`", (*fix.edits, *dropped[0].edits)) for fix in declared)


@rule(
    "ABL307",
    "initial-of-other-type",
    "warning",
    "INITIAL `{v}` is not a {type}",
    over=nodes.SessionVariable,
    needs="INITIAL",
)
def initial_of_other_type(variable: nodes.SessionVariable, agent: AgentIndex) -> Iterator[Found]:
    """
    What: INITIAL does not fit TYPE.
    Why: Comparisons and calculations then convert, or fail.
    Bad:
        MEMORY:
          session:
            - tries
              TYPE: number
              INITIAL: "0"
    Good:
        MEMORY:
          session:
            - tries
              TYPE: number
              INITIAL: 0
    """
    yield from unfit_literal(agent, variable.initial, variable.type, f"{variable.path}.INITIAL")


def unfit_literal(
    agent: AgentIndex, literal: nodes.Literal_ | None, declared: nodes.Text | None, node: str
) -> Iterator[Found]:
    """INITIAL or DEFAULT against TYPE (ABL307, ABL326), with the converted literal as a fix."""
    if literal is None or declared is None or literal.dynamic is not None or fits(literal.value, declared.value):
        return
    written = agent.source.text[slice(*literal.span)]
    better = _converted(literal.value, written, canonical_type(declared.value) or "")
    repairs = (fixes.replace(literal.span, better),) if better else ()
    yield found(literal.span, *repairs, node=node, v=written, type=declared.value)


def _converted(value: Any, written: str, wanted: str) -> str:
    """The literal in the wanted type, or an empty text where it has no obvious form there."""
    if wanted == "string" and isinstance(value, int | float):
        return f'"{written}"'
    text = value.strip() if isinstance(value, str) else ""
    if wanted == "number":
        return text if NUMBER.read_word(text) is not None else ""
    if wanted == "boolean":
        meant = FLAG.read_word(text)
        return str(meant).lower() if meant is not None else ""
    return "[]" if wanted == "array" and value in ("", "[]") else "{}" if wanted == "object" and text == "{}" else ""


@rule(
    "ABL308",
    "legacy-initial-value",
    "info",
    "`initial_value` is a legacy spelling of INITIAL",
    over=nodes.SessionVariable,
    tags=("deprecated",),
    needs="INITIAL",
)
def legacy_initial_value(variable: nodes.SessionVariable, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The first value of a variable is given as `initial_value`.
    Why: INITIAL is the word of today; both mean the same.
    Bad:
        MEMORY:
          session:
            - tries
              initial_value: 0
    Good:
        MEMORY:
          session:
            - tries
              INITIAL: 0
    """
    prop = variable.prop("INITIAL")
    if prop is not None and prop.written.upper() == "INITIAL_VALUE":
        yield found(prop.key_span, fixes.replace(prop.key_span, "INITIAL"), node=f"{variable.path}.INITIAL")


@rule(
    "ABL313",
    "persistent-key-in-session",
    "error",
    "`SCOPE`/`ACCESS`/`UNIT`/`DEFAULT` belong to persistent paths",
    over=nodes.SessionVariable,
)
def persistent_key_in_session(variable: nodes.SessionVariable, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A session variable has a property of persistent paths.
    Why: It has no effect here; the first value of a session variable is INITIAL, and it ends with the session. What
        is to outlive that is stored by a remember trigger, which takes a TTL.
    Bad:
        MEMORY:
          session:
            - tries
              DEFAULT: 0
    Good:
        MEMORY:
          session:
            - tries
              INITIAL: 0
    """
    for prop in variable.props:
        if prop.key == "TTL":
            repairs = (*remembered(agent, variable, prop), *remove_property(agent, prop))
            words = "A session variable has no `TTL`; a remember trigger stores its value with one"
            yield found(prop.key_span, *repairs, node=variable.path, wording=words)
        elif prop.key in PERSISTENT_ONLY_KEYS:
            repairs = remove_property(agent, prop)
            if prop.key == "DEFAULT" and variable.prop("INITIAL") is None:
                repairs = (fixes.replace(prop.key_span, "INITIAL"),)
            yield found(prop.key_span, *repairs, node=variable.path)
