"""3xx about when remember triggers fire (docs/spec 03 §4, 05 §5)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.implication import reverses_order
from abl.analysis.conditions.intervals import limits_of
from abl.analysis.conditions.judgement import conjuncts, holds_unset, never_set, steady_shape
from abl.analysis.fixes.flags import in_flags
from abl.analysis.fixes.memory_entries import declare_variable
from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.analysis.index.project import Index
from abl.analysis.index.views import origins
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.memory.stores import appends, stored_value
from abl.diagnostics import Related
from abl.expressions import nodes as en
from abl.limits import MAX_COMPARED_RULES
from abl.syntax import nodes


def _when(trigger: nodes.RememberTrigger, agent: AgentIndex) -> ExpressionUse | None:
    return next(iter(agent.expressions_of(trigger)), None)


@rule(
    "ABL349",
    "trigger-never-fires",
    "warning",
    "Trigger can never fire: `{name}` is never set",
    over=nodes.RememberTrigger,
    project=True,
)
def trigger_never_fires(trigger: nodes.RememberTrigger, agent: AgentIndex, project: Index) -> Iterator[Found]:
    """
    What: WHEN waits for a name that nothing sets.
    Why: Nothing is ever stored.
    Bad:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - branch
              INITIAL: "central"
          persistent:
            - user.branch
              SCOPE: user
          remember:
            - WHEN: brnch IS SET
              STORE: branch -> user.branch
    Good:
        AGENT: Desk
        GOAL: "Lend books"
        MEMORY:
          session:
            - branch
              INITIAL: "central"
          persistent:
            - user.branch
              SCOPE: user
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
    """
    use = _when(trigger, agent)
    if use is None or use.reading.node is None:
        return
    returned = agent.derive(_returned)
    names = [name.path for name in use.reading.names if name.path.partition(".")[0] not in returned]
    unset = {path for path in names if never_set(agent, project, path)}
    if not unset or holds_unset(use.reading, unset.__contains__) is not False:
        return
    for name in use.reading.names:
        if name.path in unset:
            span = use.span(name.start, name.end)
            _, renames = fixes.rename_to(span, name.path, agent.derive(_candidates))
            declare = declare_variable(agent, name.path, '"…"') if name.path not in agent.session else ()
            yield found(span, *renames, *declare, node=f"{trigger.path}.WHEN", name=name.path)
            return


def _returned(agent: AgentIndex) -> frozenset[str]:
    """Fields that tools return: they are read by name after a call (06 §5.8)."""
    types = [tool.returns for tool in agent.tools.values() if tool.returns is not None]
    return frozenset([field for each in types for field, _, _ in each.fields])


def _candidates(agent: AgentIndex) -> list[str]:
    return sorted({write.path for _, write in agent.items(origins)})


@rule("ABL350", "trigger-always-fires", "warning", "Trigger fires every turn", over=nodes.RememberTrigger)
def trigger_always_fires(trigger: nodes.RememberTrigger, agent: AgentIndex) -> Iterator[Found]:
    """
    What: WHEN of a trigger is true whatever the state.
    Why: It is considered at the end of every turn; usually a condition was forgotten.
    Bad:
        MEMORY:
          remember:
            - WHEN: true
              STORE: branch -> user.branch
    Good:
        MEMORY:
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
    """
    use = _when(trigger, agent)
    constant = use.reading.constant if use is not None else None
    if use is not None and constant is not None and constant.holds:
        yield found(use.whole, node=f"{trigger.path}.WHEN")


@rule(
    "ABL351",
    "overlapping-triggers",
    "warning",
    "Two triggers write `{p}` under overlapping conditions; the later wins",
    over=AgentIndex,
)
def overlapping_triggers(agent: AgentIndex) -> Iterator[Found]:
    """
    What: Two triggers overwrite one path, and whenever one fires the other does, too.
    Why: The value of the earlier is lost at once.
    Bad:
        MEMORY:
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
            - WHEN: branch IS SET AND is_new == true
              STORE: "new" -> user.branch
    Good:
        MEMORY:
          remember:
            - WHEN: branch IS SET
              STORE: branch -> user.branch
            - WHEN: branch IS SET AND is_new == true
              STORE: is_new -> user.is_new
    """
    earlier: dict[str, list[nodes.RememberTrigger]] = {}
    for trigger in agent.all(nodes.RememberTrigger):
        store = trigger.store
        if store is None or store.target is None or appends(store):
            continue
        others = earlier.setdefault(store.target.value, [])
        other = next((o for o in others if _overlap(o, trigger, agent)), None)
        if other is not None and other.store is not None and other.store.target is not None:
            related = (Related(agent.source.path, other.store.target.span, "the earlier write"),)
            yield found(store.target.span, related=related, node=trigger.path, p=store.target.value)
        if len(others) < MAX_COMPARED_RULES:
            others.append(trigger)


def _overlap(one: nodes.RememberTrigger, two: nodes.RememberTrigger, agent: AgentIndex) -> bool:
    """True when one condition surely holds whenever the other does."""
    first, second = _when(one, agent), _when(two, agent)
    if first is None or second is None or first.reading.node is None or second.reading.node is None:
        return False
    if steady_shape(first.reading.node) == steady_shape(second.reading.node):
        return True
    a, b = ({steady_shape(part) for part in conjuncts(use.reading.node)} for use in (first, second) if use.reading.node)
    if a <= b or b <= a:
        return True
    if reverses_order(first.reading.node) or reverses_order(second.reading.node):
        return False
    low, high = limits_of(first.reading.node), limits_of(second.reading.node)
    return low is not None and high is not None and (low.implies(high) or high.implies(low))


@rule(
    "ABL356",
    "compound-remember",
    "info",
    "Compound condition / expression value may not work in remember on the platform",
    over=nodes.RememberTrigger,
    tags=("portability",),
)
def compound_remember(trigger: nodes.RememberTrigger, agent: AgentIndex) -> Iterator[Found]:
    """
    What: WHEN joins conditions or calls a function, or the value is computed.
    Why: The platform understands one comparison, IS SET or a name here; a flag that SET computes works everywhere.
    Bad:
        MEMORY:
          remember:
            - WHEN: branch IS SET AND is_member == true
              STORE: branch -> user.branch
    Good:
        MEMORY:
          remember:
            - WHEN: store_branch == true
              STORE: branch -> user.branch
    """
    when = _when(trigger, agent)
    value = stored_value(trigger.store, agent) if trigger.store is not None else None
    for use in (when, value):
        if use is not None and any(_is_computed(node) for node in use.reading.nodes):
            yield found(use.whole, *in_flags(trigger, when, value, agent, _is_computed), node=trigger.path)
            return


def _is_computed(node: en.Node) -> bool:
    return isinstance(node, en.Logical | en.Call | en.Method | en.Binary | en.Ternary) or (
        isinstance(node, en.Unary) and node.op != "-"
    )


@rule(
    "ABL357",
    "empty-counts-as-set",
    "info",
    "Empty text counts as set here, but not in the platform's remember",
    over=nodes.RememberTrigger,
    tags=("portability",),
)
def empty_counts_as_set(trigger: nodes.RememberTrigger, agent: AgentIndex) -> Iterator[Found]:
    """
    What: WHEN asks whether a text variable that can become empty IS SET.
    Why: Here the empty text is a value and is stored; the platform treats it as not set.
    Bad:
        MEMORY:
          session:
            - note
              TYPE: string
              INITIAL: ""
          remember:
            - WHEN: note IS SET
              STORE: note -> user.note
    Good:
        MEMORY:
          session:
            - note
              TYPE: string
              INITIAL: ""
          remember:
            - WHEN: note != ""
              STORE: note -> user.note
    """
    use = _when(trigger, agent)
    test = use.reading.node if use is not None else None
    if use is None or not isinstance(test, en.Test) or test.op not in ("IS SET", "IS NOT SET"):
        return
    path = ".".join(test.left.parts) if isinstance(test.left, en.Path) else ""
    if path and agent.types.of_path(path) == "string" and not _only_collected(path, agent):
        text = use.reading.slice(test.left)
        better = text if test.op == "IS SET" else f'{text} IS NOT SET OR {text} == ""'  # a name is portable, AND is not
        yield found(use.whole, fixes.replace(use.whole, better, preferred=False), node=f"{trigger.path}.WHEN")


def _only_collected(path: str, agent: AgentIndex) -> bool:
    """What is gathered is never the empty text, as an empty answer is asked again; what tools return hardly ever is."""
    writes = agent.sources_of(path.partition(".")[0])
    return bool(writes) and all(write.kind in ("gather", "as") for write in writes)
