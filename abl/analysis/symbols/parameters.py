"""Names of the parameters of tools: in signatures, in what is made of them, in calls (docs/spec 08 §1-§6, 06 §5.8).

Such a name is that of its tool, a dot and its own: ``find_book.title``. The places hold the last word.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Final

from abl.analysis.collect.places import names_in
from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Content, Name
from abl.syntax.readers.content import content_of

_IN_ADDRESS: Final = re.compile(r"(?<![{$])\{(\w+)\}(?!\})")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_INPUT: Final = "input."


def parameters_of(agent: AgentIndex) -> tuple[tuple[Name, bool], ...]:
    """Every name of a parameter, and whether it is declared there; the name holds that of the tool."""
    found: dict[Span, tuple[Name, bool]] = {}
    for tool, name, declares in _parameters(agent):
        found.setdefault(name.span, (Name(f"{tool}.{name.value}", name.span), declares))
    return tuple(found.values())


def _parameters(agent: AgentIndex) -> Iterator[tuple[str, Name, bool]]:
    within: dict[Span, list[ExpressionUse]] = {}
    for use in agent.expressions if agent.tools else ():
        if isinstance(use.owner, nodes.Tool):
            within.setdefault(use.owner.span, []).append(use)
    for tool in agent.all(nodes.Tool):
        known = {parameter.name.value for parameter in tool.parameters}
        yield from ((tool.name.value, parameter.name, True) for parameter in tool.parameters)
        for name in (*_in_properties(tool), *_in_expressions(within.get(tool.span, ()))):
            if name.value in known:
                yield tool.name.value, name, False
    for call in agent.all(nodes.Call):
        for argument in (*call.arguments, *call.with_) if call.tool is not None else ():
            if call.tool is not None and argument.name is not None:
                yield call.tool.value, argument.name, False
    yield from _in_secure_inputs(agent)


def _in_secure_inputs(agent: AgentIndex) -> Iterator[tuple[str, Name, bool]]:
    """What the one CALL of SECURE_INPUT gives (06 §5.11)."""
    for setting in agent.all(nodes.Setting):
        if setting.keyword == "SECURE_INPUT" and setting.block is not None:
            content = content_of(setting.block)
            call = content.get("call")
            tool = _WORD.search(call.word_of()) if call is not None else None
            for given in (content.get("with"), call.get("with") if call is not None else None):
                yield from ((tool[0], name, False) for name in _keys(given) if tool is not None)


def _in_properties(tool: nodes.Tool) -> Iterator[Name]:
    """Keys that are parameters, lists of them, and ``{id}`` in an address."""
    for prop in tool.props:
        content = content_of(prop.block)
        match prop.key:
            case "PARAMETERS":
                yield from _keys(content)
            case "PROCESS":
                before = content.get("before")
                yield from _keys(before.get("params") if before is not None else None)
            case "CONFIRMATION":
                listed = content.get("immutable_params")
                yield from names_in(listed, keys=False) if listed is not None else ()
            case "PARAM_MAPPING":
                for member in content.members:
                    yield from names_in(member, keys=False)
            case "ENDPOINT" if content.text is not None:
                for match in _IN_ADDRESS.finditer(content.text.value):
                    yield Name(match[1], content.text.span_of(*match.span(1)))


def _in_expressions(uses: Collection[ExpressionUse]) -> Iterator[Name]:
    """What expressions and placeholders of a tool read by its name, or as ``input.title``."""
    for use in uses:
        for name in use.reading.names:
            skipped = len(_INPUT) if name.path.startswith(_INPUT) else 0
            word = name.path[skipped:].partition(".")[0]
            if skipped or word in use.locals:
                start = name.start + skipped
                yield Name(word, use.span(start, start + len(word)))


def _keys(content: Content | None) -> Iterator[Name]:
    return (Name(member.key, member.key_span) for member in content.members) if content is not None else iter(())
