"""What the index of an agent collects from each of its parts, and from the properties of a node."""

from __future__ import annotations

from abl.analysis.collect.records import Write
from abl.analysis.incremental.parts import Part, owned
from abl.analysis.incremental.runs import Run
from abl.language import key_at
from abl.source import Span
from abl.syntax import nodes


def first_line(node: nodes.Node) -> Span:
    """The first line of a node, without what is nested below it."""
    return node.block.line_span if node.block is not None else node.span


def value_of(node: nodes.Node, key: str) -> nodes.Text | None:
    """The value of a property by canonical key."""
    prop = node.prop(key)
    return prop.value if prop is not None else None


def is_true(node: nodes.Node, key: str) -> bool:
    """True for a switch that is set, as the runtime reads it (docs/spec 01 §3)."""
    prop, declared = node.prop(key), key_at(node.PLACE, key)
    return prop is not None and declared is not None and declared.type.read(prop.block) is True


def owners(run: Run) -> dict[int, int]:
    """The number of the part of each node with expressions, by the node's identity."""
    return {owner: number for number, inside in run.each(owned) for owner in inside}


def mentions(part: Part) -> frozenset[str]:
    """Words of sections without a typed node."""
    return frozenset(part.mentions)


def origins_by_root(run: Run) -> dict[str, list[tuple[int, Write]]]:
    """What ``origins`` gives for each part, with the part's number, by first segment."""
    found: dict[str, list[tuple[int, Write]]] = {}
    for number, writes in run.each(origins):
        for root, write in writes:
            found.setdefault(root, []).append((number, write))
    return found


def origins(part: Part) -> list[tuple[str, Write]]:
    """Every write but bare declarations, with the first segment of its path."""
    return [(write.root, write) for write in part.writes if write.kind != "session" or _has_initial(write.node)]


def given_roots(part: Part) -> frozenset[str]:
    """First segments of what ``origins`` gives."""
    return frozenset([root for root, _ in part.derive(origins)])


def set_roots(part: Part) -> frozenset[str]:
    """The same without facts that are only declared."""
    return frozenset([root for root, write in part.derive(origins) if write.kind != "persistent"])


def collected(part: Part) -> frozenset[str]:
    """Names that a COLLECT of some ON_FAIL asks for."""
    return frozenset([name.value for action in part.all(nodes.OnFail) for name in action.collect or ()])


def sensitive(part: Part) -> frozenset[str]:
    """Paths and fields that are declared SENSITIVE."""
    paths = [path.name.value for path in part.all(nodes.PersistentPath) if is_true(path, "SENSITIVE")]
    return frozenset([*paths, *(f.name.value for f in part.all(nodes.GatherField) if is_true(f, "SENSITIVE"))])


def options(part: Part) -> list[tuple[str, tuple[nodes.Literal_, ...]]]:
    """Fields by name with the options they list."""
    return [(field.name.value, field.options or ()) for field in part.all(nodes.GatherField)]


def reasoning(part: Part) -> list[tuple[str, bool]]:
    """Steps by name with whether a model acts in them."""
    return [(step.name.value, bool(step.reasoning)) for step in part.all(nodes.Step)]


def _has_initial(node: nodes.Node) -> bool:
    initial = node.initial if isinstance(node, nodes.SessionVariable) else None
    return initial is not None and (initial.value is not None or initial.dynamic is not None)
