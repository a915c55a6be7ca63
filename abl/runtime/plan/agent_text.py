"""An agent as it is written: its tree with the places and expressions in it, from which plans are made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from abl.runtime.evaluation import Formula, condition, constant, value
from abl.runtime.plan.linking import Piece, placed
from abl.source import Source, Span
from abl.syntax import nodes


@dataclass(frozen=True, eq=False)
class AgentText:
    """One agent or profile document. ``source`` is its file; spans in events name it."""

    agent: nodes.Agent
    source: Source
    yaml: bool = False
    pieces: tuple[Piece, ...] = ()
    """What of the source stands in other documents, behind ``own`` characters (``linking``)."""
    own: int = 0
    _spans: dict[Span, dict[str, Any]] = field(default_factory=dict, repr=False)

    @property
    def name(self) -> str:
        """Name of the agent."""
        return self.agent.name.value if self.agent.name is not None else "Agent"

    def span(self, node: Any) -> dict[str, Any] | None:
        """Place of a node (anything with ``span``, or a span) in the shape of docs/spec 12 §4."""
        if node is None:
            return None
        span = node if isinstance(node, Span) else node.span
        found = self._spans.get(span)
        if found is None:
            if self.pieces and span.start >= self.own:
                found = placed(self.pieces, self.own, self.source, span)
            else:
                found = {"path": self.source.path, **self.source.range(span).as_dict()}
            self._spans[span] = found
        return found

    def written(self, text: nodes.Text) -> str:
        """A scalar as expression text: with its quotes, pipe blocks without their margin."""
        if text.style in {"double", "single"}:
            return self.source.text[text.span.start : text.span.end]
        return text.value

    def condition(self, text: nodes.Text | None) -> Formula:
        """A condition; an empty one is true."""
        return condition(self.written(text) if text is not None else "")

    def value(self, text: nodes.Text | None) -> Formula:
        """A value expression; null when nothing is written."""
        return value(self.written(text) if text is not None else "null")

    def assigned(self, text: nodes.Text | None) -> Formula:
        """The right side of a SET. In map form the quotes are YAML's: inside stands an expression, else a text."""
        if text is None or text.style == "bare":
            return self.value(text)
        formula = value(text.value) if text.style != "pipe" else constant(text.value)
        return formula if formula.node is not None else constant(text.value)
