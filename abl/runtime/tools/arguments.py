"""Arguments of a tool call: where each comes from and how it is made to fit (docs/spec 06 §5.8, 08 §7)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from abl.expressions.dates import read_moment
from abl.expressions.sizes import whole_size
from abl.expressions.values import read_number, text
from abl.language.entry import Entry
from abl.runtime.evaluation import value as value_formula
from abl.runtime.plan.declarations import enrichment, source_of
from abl.runtime.ports import ToolError
from abl.runtime.privacy.masking import Masker
from abl.syntax import nodes

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.program import Program
    from abl.runtime.state import Thread

MAX_ARGUMENTS = 512 * 1024
"""Characters of all arguments as JSON."""


@dataclass(slots=True)
class Arguments:
    """Resolved arguments with the source of each; a missing one is only noted (08 §8 step 2)."""

    values: dict[str, Any]
    sources: dict[str, str]
    missing: list[str]
    problem: ToolError | None = None
    sensitive: set[str] = field(default_factory=set)  # computed from sensitive values

    def shown(self, masker: Masker) -> dict[str, Any]:
        """The values for an event or a question."""
        return {
            name: masker.hidden(name, value) if name in self.sensitive else masker.shown(name, value)
            for name, value in self.values.items()
        }


def arguments_of(
    engine: Engine, thread: Thread, call: nodes.Call, local: Mapping[str, Any] | None
) -> tuple[dict[str, Any], frozenset[str]]:
    """The explicit arguments of a CALL, and which of them come from sensitive values.

    WITH wins over inline ones of the same name (06 §5.8).
    """
    program = engine.program(thread)
    tool = program.tools.get(call.tool.value) if call.tool is not None else None
    names = [p.name.value for p in tool.parameters] if tool is not None else []
    given: dict[str, nodes.Argument] = {}
    for at, argument in enumerate(call.arguments):
        if argument.name is not None:
            name = argument.name.value
        elif at < len(names):
            name = names[at]
        else:
            name = _name_of(argument, at)
        given[name] = argument
    given |= {argument.name.value: argument for argument in call.with_ if argument.name is not None}
    values = {name: _argument(engine, thread, argument, local) for name, argument in given.items()}
    secret = {name for name, argument in given.items() if engine.derives(thread, _reads(program, argument))}
    for name in secret:
        engine.recorder.add_derived(values[name])
    return values, frozenset(secret)


def _reads(program: Program, argument: nodes.Argument) -> list[str]:
    """Paths that an argument is computed from."""
    if argument.children:
        return [name for child in argument.children for name in _reads(program, child)]
    return list(program.value(argument.value).names)


def _name_of(argument: nodes.Argument, at: int) -> str:
    """Without a signature: the last name of a path, else ``arg1``, ``arg2`` …"""
    words = argument.value.value.strip() if argument.value is not None and argument.value.style == "bare" else ""
    last = words.rsplit(".", 1)[-1]
    return last if words.replace(".", "").replace("_", "a").isalnum() and not last[:1].isdigit() else f"arg{at + 1}"


def _argument(engine: Engine, thread: Thread, argument: nodes.Argument, local: Mapping[str, Any] | None) -> Any:
    if argument.children:
        return {
            child.name.value: _argument(engine, thread, child, local)
            for child in argument.children
            if child.name is not None
        }
    return engine.evaluate(thread, engine.program(thread).value(argument.value), local).value


def resolve(
    engine: Engine,
    thread: Thread,
    tool: nodes.Tool | None,
    explicit: dict[str, Any],
    sensitive: frozenset[str] = frozenset(),
) -> Arguments:
    """Declared source, explicit argument, default, session variable of the name; coerced to the declared type.

    ``sensitive`` names explicit ones that are computed from sensitive values.
    """
    if tool is None:
        return Arguments(explicit, dict.fromkeys(explicit, "explicit"), [], sensitive=set(sensitive))
    found = Arguments({}, {}, [], sensitive=set(sensitive))
    described = enrichment(tool)
    for parameter in tool.parameters:
        name = parameter.name.value
        value, source = _from_source(engine, thread, tool, name, found)
        if value is None:
            value, source = explicit.get(name), "explicit"
        elif name in explicit:
            why = f"{name} of {tool.name.value} comes from its source {source}; the argument is ignored"
            engine.recorder.emit("log", {"text": why, "level": "warn"})
        entry = described.get(name)
        if value is None and parameter.default is not None:
            value, source = parameter.default.value, "default"
        if value is None and entry is not None and "default" in entry:
            value, source = entry.text("default"), "default"
        if value is None:
            value, source = thread.variables.get(name), "variable"
        if value is None:
            wanted = entry.given("required") if entry is not None else None
            if parameter.required if wanted is None else wanted:
                found.missing.append(name)
            continue
        fits, value = coerced(value, parameter.type)
        if not fits and found.problem is None:
            wanted = parameter.type.text if parameter.type else "any"
            found.problem = ToolError(subtype="invalid_argument", message=f"{name} does not fit {wanted}")
        found.values[name], found.sources[name] = value, source
    for name, value in explicit.items():
        if name not in found.values and value is not None:
            found.values[name], found.sources[name] = value, "explicit"
    if whole_size(found.values) > MAX_ARGUMENTS:
        found.problem = ToolError(subtype="invalid_argument", message="arguments are larger than 512 KB")
    return found


def _from_source(engine: Engine, thread: Thread, tool: nodes.Tool, name: str, found: Arguments) -> tuple[Any, str]:
    """A parameter's own source: ``system``, ``runtime`` and ``expr`` paths are read, the others need the platform."""
    entry = enrichment(tool).get(name)
    if entry is None:
        return None, ""
    source, written = source_of(entry), entry.text("value")
    if source == "lookup":
        return _looked_up(engine, thread, (tool, name), entry, found), source
    if source in {"system", "runtime", "expr"} and written is not None:
        formula = value_formula(written)
        value = engine.evaluate(thread, formula).value
        if engine.derives(thread, formula.names):
            found.sensitive.add(name)
            engine.recorder.add_derived(value)
        return value, source
    return None, ""


def _looked_up(
    engine: Engine, thread: Thread, parameter: tuple[nodes.Tool, str], entry: Entry, found: Arguments
) -> Any:
    """What a table has behind the value of ``key``, an expression (07 §8)."""
    program, (tool, name) = engine.program(thread), parameter
    table = program.lookups.get(entry.text("table") or "")
    if table is None:
        engine.recorder.not_executed("lookup_table", "the table is not here", program.span(tool), parameter=name)
        return None
    formula = value_formula(entry.text("key") or name)
    if engine.derives(thread, formula.names):
        found.sensitive.add(name)
    value = table.value(engine.evaluate(thread, formula).value)
    if name in found.sensitive:
        engine.recorder.add_derived(value)
    return value


def coerced(value: Any, kind: nodes.TypeRef | None) -> tuple[bool, Any]:
    """(fits, value) after the conversions of docs/spec 08 §7."""
    name = kind.name if kind is not None else "any"
    match name:
        case "number" | "int" | "integer" | "float":
            number = read_number(value) if isinstance(value, str) else value
            return isinstance(number, int | float) and not isinstance(number, bool), number
        case "boolean" | "bool":
            if isinstance(value, str) and value.strip().lower() in {"true", "false"}:
                return True, value.strip().lower() == "true"
            return isinstance(value, bool), value
        case "date" | "datetime":
            return isinstance(value, str) and read_moment(value) is not None, value
        case "string":
            return not isinstance(value, dict | list), value if isinstance(value, str | dict | list) else text(value)
        case "array":
            parsed = _from_json(value)
            return True, parsed if isinstance(parsed, list) else [value]
        case "object":
            parsed = _from_json(value)
            return isinstance(parsed, dict), parsed
        case "enum":
            return not kind or not kind.options or value in kind.options, value
        case _:
            return True, value


def _from_json(value: Any) -> Any:
    if not isinstance(value, str) or value.lstrip()[:1] not in {"{", "["}:
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
