"""3xx about STORE: the value, its type, lists (docs/spec 03 §4, 05 §5)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conditions.types import canonical_type, same_type
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes.entries import set_property
from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.analysis.registry import Found, found, rule
from abl.diagnostics import Edit, Fix
from abl.expressions import nodes as en
from abl.language import type_at
from abl.language.written import word
from abl.source import Span
from abl.syntax import nodes


def stored_value(store: nodes.Store, agent: AgentIndex) -> ExpressionUse | None:
    """The expression that STORE evaluates."""
    return next((use for use in agent.expressions_of(store) if use.mode == "value"), None)


def appends(store: nodes.Store) -> bool:
    """True for a STORE that adds to a list."""
    return bool(store.typed.value("operation") == "append")


def _unknown_operation(store: nodes.Store) -> bool:
    """True where it is not known how the value is stored: ABL352."""
    return store.operation is not None and store.typed.given("operation") is None


@rule("ABL348", "stored-type", "warning", "Value type {a} does not match declared {b} of `{p}`", over=nodes.Store)
def stored_type(store: nodes.Store, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A trigger stores a value of another type than the path declares. A single value for an array path replaces the
    whole list.
    Why: The value is stored as it is, and whoever reads the path gets what they do not expect.
    Bad:
        MEMORY:
          session:
            - title
              TYPE: string
          persistent:
            - user.history
              SCOPE: user
              TYPE: array
          remember:
            - WHEN: title IS SET
              STORE: title -> user.history
    Good:
        MEMORY:
          session:
            - title
              TYPE: string
          persistent:
            - user.history
              SCOPE: user
              TYPE: array
          remember:
            - WHEN: title IS SET
              STORE:
                value: title
                target: user.history
                operation: append
    """
    path = agent.persistent.get(store.target.value) if store.target is not None else None
    use = stored_value(store, agent)
    if path is None or path.type is None or use is None or use.reading.node is None or appends(store):
        return
    if _unknown_operation(store):
        return  # ABL352
    kind = agent.types.of(use.reading.node)
    if kind in (None, "null") or same_type(kind or "", path.type.value):
        return
    if kind in ("date", "datetime") and canonical_type(path.type.value) == "string":
        return
    repairs = _as_append(store, agent) if canonical_type(path.type.value) == "array" else ()
    yield found(use.whole, *repairs, node=store.path, a=kind, b=path.type.value, p=path.name.value)


def _added(use: ExpressionUse, target: str) -> str | None:
    """What a value adds to the list that it is stored in: ``b`` in ``list + b``, or a part of what the list holds."""
    node, read = use.reading.node, use.reading.slice
    if isinstance(node, en.Path):
        return read(node) if ".".join(node.parts) != target else None
    return read(node.right) if isinstance(node, en.Binary) and node.op == "+" and read(node.left) == target else None


def _as_append(store: nodes.Store, agent: AgentIndex, added: str = "") -> tuple[Fix, ...]:
    block, value, target = store.block, store.value, store.target
    if block is None or block.value is None or value is None or target is None or not store.arrow:
        return ()
    start = block.key_span.end + 1
    if agent.source.text[start - 1 : block.value.span.start].strip() != ":":
        return ()
    indent = fixes.indent_of(agent.source, block.key_span.start)
    pad = indent + ("    " if block.item else "  ")
    written = added or agent.source.text[slice(*value.span)]
    lines = f"\n{pad}value: {written}\n{pad}target: {target.value}\n{pad}operation: append"
    return (Fix("Append to the list", (Edit(Span(start, block.value.span.end), lines),)),)


@rule("ABL352", "bad-operation", "error", "`operation` must be overwrite, set or append", over=nodes.Store)
def bad_operation(store: nodes.Store, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `operation` of a STORE block has another value.
    Why: How to combine the value with what is stored is not known.
    Bad:
        MEMORY:
          remember:
            - WHEN: title IS SET
              STORE:
                value: title
                target: user.history
                operation: add
    Good:
        MEMORY:
          remember:
            - WHEN: title IS SET
              STORE:
                value: title
                target: user.history
                operation: append
    """
    yield from unfit(store.operation, "store", "operation", f"{store.path}.operation")


@rule("ABL353", "modifier-without-append", "warning", "`unique`/`maxSize` need `operation: append`", over=nodes.Store)
def modifier_without_append(store: nodes.Store, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A STORE block has `unique` or `maxSize` but does not append.
    Why: Both are about a list that grows; overwriting ignores them.
    Bad:
        MEMORY:
          remember:
            - WHEN: title IS SET
              STORE:
                value: title
                target: user.history
                maxSize: 10
    Good:
        MEMORY:
          remember:
            - WHEN: title IS SET
              STORE:
                value: title
                target: user.history
                operation: append
                maxSize: 10
    """
    prop = store.prop("UNIQUE") or store.prop("MAXSIZE")
    if prop is None or appends(store) or _unknown_operation(store):
        return
    indent = fixes.indent_of(agent.source, prop.key_span.start)
    line = f"{indent}operation: append"
    repairs = (
        (fixes.insert_line_above(agent.source, prop.key_span, line, "Insert `operation: append`", preferred=False),)
        if store.operation is None
        else set_property(agent, store, "OPERATION", "append")
    )
    yield found(prop.key_span, *repairs, node=store.path)


@rule("ABL354", "append-to-single", "warning", "append target `{p}` is not an array", over=nodes.Store)
def append_to_single(store: nodes.Store, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A trigger appends to a path whose TYPE is not array.
    Why: What is stored becomes a list even so, and readers expect a single value.
    Bad:
        MEMORY:
          persistent:
            - user.history
              SCOPE: user
              TYPE: string
          remember:
            - WHEN: title IS SET
              STORE:
                value: title
                target: user.history
                operation: append
    Good:
        MEMORY:
          persistent:
            - user.history
              SCOPE: user
              TYPE: array
          remember:
            - WHEN: title IS SET
              STORE:
                value: title
                target: user.history
                operation: append
    """
    path = agent.persistent.get(store.target.value) if store.target is not None else None
    if path is None or path.type is None or store.target is None or not appends(store):
        return
    if canonical_type(path.type.value) not in (None, "array"):
        change = fixes.replace(path.type.span, "array", f"Make `{path.name.value}` an array", preferred=False)
        yield found(store.target.span, change, node=store.path, p=path.name.value)


@rule("ABL355", "bad-max-size", "error", "maxSize must be a positive whole number", over=nodes.Store)
def bad_max_size(store: nodes.Store, agent: AgentIndex) -> Iterator[Found]:
    """
    What: `maxSize` is no whole number of at least 1.
    Why: How many elements to keep is not known.
    Bad:
        MEMORY:
          remember:
            - WHEN: title IS SET
              STORE:
                value: title
                target: user.history
                operation: append
                maxSize: 0
    Good:
        MEMORY:
          remember:
            - WHEN: title IS SET
              STORE:
                value: title
                target: user.history
                operation: append
                maxSize: 10
    """
    size = store.max_size
    if size is not None and word(size) and type_at("store", "maxSize").read_word(word(size)) is None:
        yield found(size.inner, node=f"{store.path}.maxSize")


@rule("ABL359", "store-reads-target", "warning", "STORE reads its own target", over=nodes.Store)
def store_reads_target(store: nodes.Store, agent: AgentIndex) -> Iterator[Found]:
    """
    What: The value of STORE is computed from what the target holds.
    Why: Each write changes the value, so the trigger stores again in every turn.
    Bad:
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              DEFAULT: 0
          remember:
            - WHEN: done == true
              STORE: user.visits + 1 -> user.visits
    Good:
        MEMORY:
          persistent:
            - user.visits
              SCOPE: user
              DEFAULT: 0
          remember:
            - WHEN: done == true
              STORE: visits_now -> user.visits
    """
    use = stored_value(store, agent)
    if use is None or store.target is None or appends(store):
        return
    target = store.target.value
    for name in use.reading.names:
        if name.path == target or name.path.startswith(f"{target}."):
            path = agent.persistent.get(target)
            is_list = path is not None and path.type is not None and canonical_type(path.type.value) == "array"
            added = _added(use, target) if is_list else None
            repairs = _as_append(store, agent, added) if added is not None else ()
            yield found(use.span(name.start, name.end), *repairs, node=store.path)
            return
