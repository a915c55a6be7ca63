"""The part of the walk over what is below tools: results, transforms, requests (docs/spec 08 §2-§7)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from abl.analysis.collect.actions import ActionCollector
from abl.analysis.conformance import places
from abl.language import value_of_text
from abl.syntax import nodes, vocabulary
from abl.syntax.nodes import Block, Content, Property, same_key
from abl.syntax.readers.actions import read_directives
from abl.syntax.readers.content import content_of
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import condition_text, item_head

_DO: Final = "action_handler"
"""Where the same directives are legal as in ``do``."""
_EVALUATED: Final = ("system", "runtime", "expr")
_SCOPE: Final = {"ON_RESULT": "result", "ON_ERROR": "error"}


class ToolCollector(ActionCollector):
    """Walks the properties of tools."""

    def tool(self, tool: nodes.Tool) -> None:
        """A tool; its parameters are known in what is made of them."""
        self.seen(tool)
        parameters = [parameter.name.value for parameter in tool.parameters]
        for prop in tool.props:
            if prop.key in _SCOPE:
                with self.within((_SCOPE[prop.key],)):
                    self._outcome(prop, tool)
            elif prop.key == "PROCESS":
                self._process(content_of(prop.block), parameters, tool)
            elif prop.key == "PARAMETERS":
                self._parameters(content_of(prop.block), tool)
            elif prop.key in places.TOOL:
                with self.within(parameters if prop.key not in _OF_THE_SESSION else ()):
                    self.at_places(prop.block, places.TOOL[prop.key], tool)

    def _outcome(self, prop: Property, tool: nodes.Tool) -> None:
        """``set`` and ``do`` of on_result and on_error, in authored order."""
        content = content_of(prop.block)
        for number, member in enumerate(content.members):
            match same_key(member.key):
                case "set":
                    self.by_shape(member, places.SET, tool)
                case "do" if member.block is not None:
                    self._do(member.block, f"{tool.path}.{prop.key}[{number}]", tool)
                case _:
                    self.by_shape(member, places.OPAQUE, tool)
        if content.text is not None:
            self.mention(prop.block.span)

    def _do(self, block: Block, path: str, tool: nodes.Tool) -> None:
        """A ``do`` list; its exits are those of the steps that call the tool."""
        actions = self.read_below(_read_do, block, path)
        self.seen(nodes.DoList(span=block.span, path=path, actions=actions))
        self.in_tool = tool.name.value
        for action in actions:
            if isinstance(action, nodes.Branch):
                self.branches((action,), "goto")
            else:
                self.directives((action,))
        self.in_tool = ""

    def _process(self, process: Content, parameters: Iterable[str], tool: nodes.Tool) -> None:
        """``params`` over the parameters, ``result`` over what the tool returned (08 §5)."""
        for half in process.members:
            before = same_key(half.key) == "before"
            given = half.get("params") if before else None
            computed = [member.key for member in given.members] if given is not None else []
            with self.within((*parameters, *computed) if before else ("result",)):
                for member in half.members:
                    self.by_shape(member, places.PROCESS.get(same_key(member.key), places.OPAQUE), tool)

    def _parameters(self, parameters: Content, tool: nodes.Tool) -> None:
        """Where the values of parameters come from (08 §4)."""
        for entry in (*parameters.members, *parameters.items):
            source = value_of_text("parameter", "source", entry.text_of("source", "default_source"))
            for member in entry.members:
                key = same_key(member.key)
                if (key == "value" and source in _EVALUATED) or (key == "key" and source == "lookup"):
                    certain = source in ("expr", "lookup")
                    self.by_shape(member, places.Slot("formula", "PARAMETER", certain=certain), tool)
                elif key in ("properties", "items"):
                    self._parameters(member, tool)
                elif key not in _OF_PARAMETERS:
                    self.by_shape(member, places.OPAQUE, tool)


_OF_THE_SESSION: Final = frozenset({"CONTEXT_ACCESS", "MODEL_CONTEXT"})
_OF_PARAMETERS: Final = frozenset(
    {"name", "type", "description", "required", "default", "source", "defaultsource", "table", "hidden", "visibility"}
)


def _read_do(ctx: Context, block: Block, path: str) -> tuple[nodes.Branch | nodes.Directive, ...]:
    """A ``do`` list: directives, and branches between them."""
    found: list[nodes.Branch | nodes.Directive] = []
    plain: list[Block] = []
    for item in block.children:
        key = item.key.upper() if item.colon else ""
        if key in vocabulary.BRANCH_CONDITIONS or key == "ELSE":
            found += read_directives(ctx, plain, _DO, f"{path}.{len(found)}")
            found.append(_read_branch(ctx, item, key, f"{path}.{len(found)}"))
            plain = []
        else:
            plain.append(_with_all_below(item) if key == "DELEGATE" else item)
    return (*found, *read_directives(ctx, plain, _DO, f"{path}.{len(found)}"))


def _with_all_below(item: Block) -> Block:
    """An entry whose further keys, such as INPUT, belong to its first."""
    return Block(item.key, item.key_span, item.value, item.children, item.span, item.line_span, item.column)


def _read_branch(ctx: Context, item: Block, key: str, path: str) -> nodes.Branch:
    """An entry with IF, WHEN or ELSE."""
    lines, condition = item.children, None
    if key == "ELSE":
        head, rest = item_head(item)
        lines = (*head.children, *rest)
    else:
        condition = condition_text(ctx, item.value)
    return nodes.Branch(
        span=item.span,
        path=path,
        block=item,
        condition=condition,
        is_else=key == "ELSE",
        actions=read_directives(ctx, lines, _DO, path),
    )
