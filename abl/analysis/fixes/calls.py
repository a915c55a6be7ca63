"""Quick fixes for calls of tools and their arguments, and for the declarations of tools (docs/spec 10 §4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from abl.analysis import fixes
from abl.analysis.conditions.types import canonical_type
from abl.analysis.fixes import braces
from abl.analysis.fixes.entries import has_own_lines, is_yaml
from abl.analysis.fixes.steps import beside, cased_like
from abl.analysis.index.model import AgentIndex
from abl.diagnostics import Edit, Fix
from abl.language.types import FLAG
from abl.source import Span
from abl.syntax import nodes

_NUMBER: Final = re.compile(r"-?\d+(?:\.\d+)?")
_SAMPLES: Final = {"string": '"…"', "number": "0", "boolean": "false", "array": "[]", "object": "{}"}
_SWITCHES: Final = {"on": "true", "1": "true", "off": "false", "0": "false"}
"""Words of other notations for a switch."""
_BINDINGS: Final = {
    "endpoint": ('"https://example.com"',),
    "method": ("GET", "POST"),
    "runtime": ("javascript", "python"),
    "table": ("table_name",),
}
"""What the author is to change, or to choose from; anything else is a text to be written."""


# Arguments ------------------------------------------------------------------------------------------------------


def add_arguments(
    agent: AgentIndex,
    call: nodes.Call,
    parameters: Sequence[nodes.Parameter],
    variables: Collection[str],
    *,
    preferred: bool,
) -> tuple[Fix, ...]:
    """Values for parameters: the variable of the same name if there is one, else one to be written."""
    texts = [_argument_for(parameter, variables) for parameter in parameters]
    row, title = ", ".join(texts), f"Insert {listed(texts)}"
    if is_yaml(agent):  # its quotes are not those of the expression
        texts = [text.replace('"…"', "\"'…'\"") for text in texts]
    if call.with_:
        last = call.with_[-1].block
        if last is None or not (has_own_lines(agent.source, last.span) or braces.extent(agent.source, last.span)):
            return ()
        pad = " " * (last.column - 1)
        lines = "\n".join(pad + text for text in texts)
        return (fixes.insert_line_below(agent.source, last.span, lines, title, preferred=preferred),)
    if call.arguments:
        return (fixes.insert(call.arguments[-1].span.end, f", {row}", title, preferred=preferred),)
    if call.tool is None or call.block is None or call.prop("WITH") is not None:
        return ()
    at = call.tool.span.end
    behind = agent.source.text[at : agent.source.line_span(agent.source.position(at).line).end]
    if behind[:1] in ('"', "'"):
        return ()
    if behind.strip() or not has_own_lines(agent.source, call.block.span):
        empty = behind.startswith("()")
        return (fixes.insert(at + empty, row if empty else f"({row})", title, preferred=preferred),)
    pad = " " * (agent.source.position(call.block.key_span.start).column + 1)
    lines = f"{pad}{cased_like(agent, call.block, 'WITH')}:" + "".join(f"\n{pad}  {text}" for text in texts)
    return (fixes.insert_line_below(agent.source, call.tool.span, lines, title, preferred=preferred),)


def _argument_for(parameter: nodes.Parameter, variables: Collection[str]) -> str:
    name = parameter.name.value
    kind = canonical_type(parameter.type.name) if parameter.type is not None else None
    return f"{name}: {name if name in variables else _SAMPLES.get(kind or 'string', 'null')}"


def listed(texts: Sequence[str]) -> str:
    """Texts in backquotes as a sentence has them: ``a``, ``b`` and ``c``."""
    *first, last = [f"`{text}`" for text in texts]
    return f"{', '.join(first)} and {last}" if first else last


def remove_surplus(call: nodes.Call, kept: int) -> Fix:
    """Only the first positional arguments of a call."""
    row = call.arguments
    positional = [number for number, argument in enumerate(row) if argument.name is None]
    edits = []
    for number in positional[kept:]:
        if number:
            edits.append(Edit(Span(row[number - 1].span.end, row[number].span.end), ""))
        else:
            edits.append(Edit(Span(row[0].span.start, row[1].span.start if len(row) > 1 else row[0].span.end), ""))
    count = len(edits)
    return Fix(f"Remove {count} argument{'' if count == 1 else 's'}", tuple(_joined(edits)))


def _joined(edits: Sequence[Edit]) -> Iterator[Edit]:
    """Removals that overlap as one."""
    start, end = edits[0].span
    for edit in edits[1:]:
        if edit.span.start > end:
            yield Edit(Span(start, end), "")
            start = edit.span.start
        end = edit.span.end
    yield Edit(Span(start, end), "")


def convert(span: Span, value: object, wanted: str) -> tuple[Fix, ...]:
    """A literal as one of the wanted type, where it says what that is."""
    kind = canonical_type(wanted)
    text: str | None = None
    if kind == "number":
        text = _number_in(value)
    elif kind == "boolean":
        word = str(value).strip() if isinstance(value, str | int | float) else ""
        meant = FLAG.read_word(_SWITCHES.get(word.lower(), word))
        text = str(meant).lower() if meant is not None else None
    elif kind == "array" and isinstance(value, int | float):
        text = f"[{str(value).lower()}]"
    return (fixes.replace(span, text, preferred=False),) if text is not None else ()


def _number_in(value: object) -> str | None:
    """The one number that a text holds; ``1,200`` is one."""
    if isinstance(value, bool):
        return str(int(value))
    numbers = _NUMBER.findall(re.sub(r"(?<=\d),(?=\d{3}\b)", "", value)) if isinstance(value, str) else []
    return numbers[0] if len(numbers) == 1 else None


# Declarations ---------------------------------------------------------------------------------------------------


def required_first(agent: AgentIndex, tool: nodes.Tool) -> tuple[Fix, ...]:
    """The required parameters in front of the optional ones, where no call depends on their order."""
    spans = [parameter.span for parameter in tool.parameters]
    line = agent.source.position(tool.name.span.start).line
    if any(agent.source.position(span.end).line != line for span in spans):
        return ()
    if tool.name.value in agent.derive(_called_by_position):
        return ()
    ordered = sorted(tool.parameters, key=lambda parameter: not parameter.required)
    texts = [agent.source.text[slice(*parameter.span)] for parameter in ordered]
    edits = [Edit(span, text) for span, text in zip(spans, texts, strict=True)]
    changed = tuple(edit for edit in edits if agent.source.text[slice(*edit.span)] != edit.text)
    return (Fix("Required parameters first", changed),)


def _called_by_position(agent: AgentIndex) -> frozenset[str]:
    """The tools of which a call has an argument without a name."""
    return frozenset(
        [
            call.tool.value
            for call in agent.all(nodes.Call)
            if call.tool is not None and any(argument.name is None for argument in call.arguments)
        ]
    )


def add_binding(agent: AgentIndex, tool: nodes.Tool, key: str) -> Iterator[Fix]:
    """A property of a binding, to be written or chosen, below the type."""
    prop = tool.prop("TYPE")
    for value in _BINDINGS.get(key, ('"…"',)) if prop is not None else ():
        if prop is not None:
            yield from beside(agent, prop.block, key, value)
