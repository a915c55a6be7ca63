"""Validation of collected values (docs/spec 07 §4): structured, functions, expressions; sentences need a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abl.expressions.regex import compile_pattern
from abl.expressions.values import to_number
from abl.language.written import listed
from abl.runtime.evaluation import Formula, value
from abl.runtime.gather.recognise import EMAIL
from abl.runtime.plan.fields import FieldPlan
from abl.syntax.readers.validations import FUNCTION, functions

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a value fits, and the rule that failed; ``executed`` is False for a sentence only a model can judge."""

    fits: bool
    rule: str | None = None
    error: str | None = None
    executed: bool = True


def validate(engine: Engine, thread: Thread, field: FieldPlan, found: Any) -> Verdict:
    """Judge a value of the right type."""
    if field.temporal in {"future", "past"} and field.type in {"date", "datetime"} and isinstance(found, str):
        day, today = found[:10], engine.now().date().isoformat()
        if (day < today) if field.temporal == "future" else (day > today):
            return Verdict(False, f"temporal: {field.temporal}")
    if field.structured is not None:
        return _structured(engine, thread, field, found)
    rule = (field.validate or "").strip()
    if not rule:
        return Verdict(True)
    match field.validation_process:
        case "LLM":
            return Verdict(True, rule, executed=False)
        case "REGEX" if FUNCTION.match(rule) is None:
            return Verdict(_pattern(rule, found), rule)
        case _:
            return _rule(engine, thread, field, found, rule)


def max_retries(field: FieldPlan) -> int | None:
    """Failed attempts allowed; that of a structured rule wins."""
    own = field.structured.value("max_retries") if field.structured is not None else None
    return own if own is not None else field.max_retries


def _rule(engine: Engine, thread: Thread, field: FieldPlan, found: Any, rule: str) -> Verdict:
    calls = functions(rule)
    if calls is not None:
        failed = next((f"{name}({argument})" for name, argument in calls if not _call(name, argument, found)), None)
        return Verdict(failed is None, failed)
    formula = value(rule)
    if formula.node is not None and _mentions(formula, field.name):
        outcome = engine.evaluate(thread, formula, {field.name: found, "value": found})
        return Verdict(outcome.holds, rule)
    return Verdict(True, rule, executed=False)


def _mentions(formula: Formula, name: str) -> bool:
    return any(path.split(".", 1)[0] in {name, "value"} for path in formula.names)


def _structured(engine: Engine, thread: Thread, field: FieldPlan, found: Any) -> Verdict:
    rules = field.structured
    if rules is None:
        return Verdict(True)
    rule, error = rules.text("rule") or "", rules.text("error")
    match rules.value("type"):
        case "pattern":
            return Verdict(_pattern(rule, found), rule, error)
        case "range":
            low, _, high = rule.strip().lstrip("-").partition("-")
            low = f"-{low}" if rule.strip().startswith("-") else low
            fits = all(_call("min", low, item) and _call("max", high, item) for item in _items(found))
            return Verdict(fits, rule, error)
        case "enum":
            allowed = rules.value("rule") or ()
            return Verdict(_among(allowed, found), ", ".join(allowed), error)
        case "llm":
            return Verdict(True, rule, executed=False)
        case _:
            verdict = _rule(engine, thread, field, found, rule)
            return Verdict(verdict.fits, verdict.rule, error, verdict.executed)


def _items(found: Any) -> Iterator[Any]:
    """The values a bound applies to: items of a list, both ends of a range, else the value."""
    if isinstance(found, list):
        yield from found
    elif isinstance(found, dict) and {"low", "high"} <= found.keys():
        yield from (end for end in (found["low"], found["high"]) if end is not None)
    else:
        yield found


def _call(name: str, argument: str, found: Any) -> bool:
    argument = argument.strip()
    match name:
        case "min" | "max":
            bound = to_number(argument)
            numbers = [to_number(item) for item in _items(found)]
            if bound is None or any(n is None for n in numbers):
                return False
            return all((n >= bound if name == "min" else n <= bound) for n in numbers if n is not None)
        case "enum":
            return _among(listed(argument), found)
        case "email":
            return isinstance(found, str) and EMAIL.fullmatch(found) is not None
        case _:
            return _pattern(argument.strip().strip("\"'"), found)


def _among(allowed: Iterable[str], found: Any) -> bool:
    known = {each.casefold() for each in allowed}
    return all(str(item).casefold() in known for item in _items(found))


def _pattern(pattern: str, found: Any) -> bool:
    """Search, as ``matches`` does; an invalid pattern accepts nothing."""
    pattern = pattern.strip()
    if len(pattern) > 1 and pattern.startswith("/") and pattern.endswith("/"):
        pattern = pattern[1:-1]
    compiled = compile_pattern(pattern)
    return compiled is not None and all(compiled.search(str(item)) is not None for item in _items(found))
