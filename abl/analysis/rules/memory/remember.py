"""3xx about remember triggers: their parts, target and lifetime (docs/spec 03 §4, 05 §5)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance import lost_members
from abl.analysis.conformance.closed_places import LOOKED_THROUGH, Whole
from abl.analysis.fixes.entries import add_property, declare_path, is_without_scope
from abl.analysis.index.model import AgentIndex, first_line
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.memory.facts import scope_of
from abl.diagnostics import Fix
from abl.limits import MAX_TTL_DAYS
from abl.syntax import nodes

_TTL = re.compile(r"[1-9][0-9]*[smhd]")
_PER_DAY = {"s": 86_400, "m": 1_440, "h": 24, "d": 1}
_LONGEST = f"{MAX_TTL_DAYS}d"
_MOST_DIGITS = 1_000
_LOOSE_TTL = re.compile(r"\s*([1-9][0-9]*)\s*([a-z]+)\s*", re.IGNORECASE)
_UNITS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), (1, "s")),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), (1, "m")),
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours"), (1, "h")),
    **dict.fromkeys(("d", "day", "days"), (1, "d")),
    **dict.fromkeys(("w", "week", "weeks"), (7, "d")),
}


@rule("ABL340", "remember-without-when", "error", "`WHEN` is missing in remember trigger", over=nodes.RememberTrigger)
def remember_without_when(trigger: nodes.RememberTrigger, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A remember trigger does not say when it stores.
    Why: It never stores anything.
    Bad:
        MEMORY:
          remember:
            - STORE: branch -> user.branch
    Good:
        MEMORY:
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
    """
    if trigger.prop("WHEN") is None and trigger.props:
        uses = agent.expressions_of(trigger.store) if trigger.store is not None else ()
        name = next((read.path for use in uses for read in use.reading.names), "name")
        yield found(first_line(trigger), *add_property(agent, trigger, f"WHEN: {name} IS SET"), node=trigger.path)


@rule("ABL341", "remember-without-store", "error", "`STORE` is missing in remember trigger", over=nodes.RememberTrigger)
def remember_without_store(trigger: nodes.RememberTrigger, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A remember trigger does not say what it stores.
    Why: Nothing is stored.
    Bad:
        MEMORY:
          remember:
            - WHEN: branch IS SET
    Good:
        MEMORY:
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
    """
    if trigger.prop("STORE") is None and trigger.props:
        names = [name.root for use in agent.expressions_of(trigger) for name in use.reading.names]
        name = names[0] if names else "name"
        repairs = add_property(agent, trigger, f"STORE: {name} -> user.{name}")
        yield found(first_line(trigger), *repairs, node=trigger.path)


@rule("ABL342", "store-without-arrow", "error", "STORE must be `value -> target`")
def store_without_arrow() -> None:
    """
    What: STORE has neither an arrow nor a block with `value` and `target`.
    Why: Where the value should go is not said, so nothing is stored.
    Bad:
        MEMORY:
          remember:
            - WHEN: name IS SET
              STORE: name
    Good:
        MEMORY:
          remember:
            - WHEN: name IS SET
              STORE: name -> user.name
    """


@rule("ABL343", "store-side-missing", "error", "STORE {side} is missing")
def store_side_missing() -> None:
    """
    What: One side of the arrow in STORE is empty.
    Why: Without a value or without a target nothing is stored.
    Bad:
        MEMORY:
          remember:
            - WHEN: name IS SET
              STORE: name ->
    Good:
        MEMORY:
          remember:
            - WHEN: name IS SET
              STORE: name -> user.name
    """


@rule(
    "ABL344",
    "undeclared-target",
    "warning",
    "Remember target `{p}` is not declared under persistent. Did you mean `{y}`?",
    over=nodes.Store,
)
def undeclared_target(store: nodes.Store, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A trigger stores under a path that `persistent:` does not list.
    Why: It is stored even so, but without TYPE, DEFAULT and ACCESS; a mistyped path goes unnoticed.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - user.branch
              SCOPE: user
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.brnch
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          persistent:
            - user.branch
              SCOPE: user
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
    """
    target = store.target
    if target is None or "." not in target.value or agent.path_of(target.value) is not None:
        return
    if target.value.partition(".")[0] in agent.session or is_without_scope(target.value, agent):
        return
    best, renames = fixes.rename_to(target.span, target.value, agent.persistent)
    declare = declare_path(agent, target.value, preferred=not renames)
    renames = tuple(Fix(fix.title, fix.edits) for fix in renames)
    yield found(target.span, *renames, *declare, node=store.path, p=target.value, y=best)


@rule(
    "ABL345",
    "target-in-session",
    "error",
    "Remember target must be a persistent path, not session variable `{n}`",
    over=nodes.Store,
)
def target_in_session(store: nodes.Store, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A trigger stores into a session variable, or under a single word.
    Why: Session data ends with the session; only paths such as `user.branch` are facts.
    Bad:
        MEMORY:
          session:
            - home_branch
          remember:
            - WHEN: branch IS SET
              STORE: branch -> home_branch
    Good:
        MEMORY:
          session:
            - home_branch
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
    """
    target = store.target
    root = target.value.partition(".")[0] if target is not None else ""
    if target is None or store.value is None or not root or agent.path_of(target.value) is not None:
        return  # without a value what is wrong with STORE is reported as that
    if "." not in target.value or root in agent.session:
        free = "." not in target.value and root not in agent.session
        repair = (fixes.replace(target.span, f"user.{root}"),) if free else ()
        yield found(target.span, *repair, node=store.path, n=root)


@rule(
    "ABL346",
    "bad-ttl",
    "error",
    'TTL `{v}` is not a duration like "90d" (units s m h d{most})',
    over=nodes.RememberTrigger,
)
def bad_ttl(trigger: nodes.RememberTrigger, agent: AgentIndex) -> Iterator[Found]:
    """
    What: TTL is no whole number of at least 1 followed by one of the units s, m, h, d, or is more than 365000 days.
    Why: Platforms ignore a TTL they cannot read, and the fact then never expires. No date is a thousand years away.
    Bad:
        MEMORY:
          remember:
            - WHEN: name IS SET
              STORE: name -> user.name
              TTL: "90 days"
    Good:
        MEMORY:
          remember:
            - WHEN: name IS SET
              STORE: name -> user.name
              TTL: "90d"
    """
    ttl = trigger.ttl
    if ttl is None:
        return
    well_formed = bool(_TTL.fullmatch(ttl.value))
    too_long = well_formed and _too_long(ttl.value)
    if well_formed and not too_long:
        return
    better = _LONGEST if too_long else _normal_ttl(ttl.value)
    repair = (fixes.replace(ttl.span, f'"{better}"', f"Write {better}"),) if better else ()
    yield found(
        ttl.span, *repair, node=f"{trigger.path}.TTL", v=ttl.value, most=f", at most {_LONGEST}" if too_long else ""
    )


def _too_long(ttl: str) -> bool:
    """Whether a well-formed duration is beyond the bound; its digits may be more than a number can be read from."""
    most = MAX_TTL_DAYS * _PER_DAY[ttl[-1]]
    return len(ttl) - 1 > len(str(most)) or int(ttl[:-1]) > most


def _normal_ttl(written: str) -> str:
    """The duration that was meant, or an empty text."""
    match = _LOOSE_TTL.fullmatch(written.strip("“”„‘’ "))
    unit = _UNITS.get(match[2].lower()) if match and len(match[1]) < _MOST_DIGITS else None
    better = f"{int(match[1]) * unit[0]}{unit[1]}" if match and unit else ""
    return _LONGEST if better and _too_long(better) else better


@rule(
    "ABL347",
    "ttl-in-tree",
    "info",
    "An execution_tree fact also ends with its tree",
    over=nodes.RememberTrigger,
    off=True,
)
def ttl_in_tree(trigger: nodes.RememberTrigger, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A trigger gives a TTL to a fact of the execution tree.
    Why: The fact ends with its tree, usually long before the TTL.
    Bad:
        MEMORY:
          persistent:
            - workflow.case
              SCOPE: execution_tree
          remember:
            - WHEN: case IS SET
              STORE: case -> workflow.case
              TTL: "90d"
    Good:
        MEMORY:
          persistent:
            - workflow.case
              SCOPE: execution_tree
          remember:
            - WHEN: case IS SET
              STORE: case -> workflow.case
    """
    target = trigger.store.target if trigger.store is not None else None
    path = agent.path_of(target.value) if target is not None else None
    if trigger.ttl is not None and path is not None and scope_of(path) == "execution_tree":
        yield found(trigger.ttl.span, node=f"{trigger.path}.TTL")


@rule("ABL358", "bad-object", "error", "Object value cannot be read: {reason}", over=LOOKED_THROUGH)
def bad_object(whole: Whole, agent: AgentIndex) -> Iterator[Found]:
    """
    What: An object in braces is malformed, for instance a key without `:`.
    Why: The value cannot be computed, so nothing is stored; of a property, what the member says has no effect.
    Bad:
        MEMORY:
          remember:
            - WHEN: done == true
              STORE: {id: loan_id, at now} -> user.history
    Good:
        MEMORY:
          remember:
            - WHEN: done == true
              STORE: {id: loan_id, at: now} -> user.history
    """
    yield from lost_members.in_braces(whole, agent.own_source)
