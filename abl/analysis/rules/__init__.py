"""One module per family of rules, in rooms by section. Importing this package registers them all."""

from abl.analysis.rules import agents, constraints, content, document, expressions, flow, gather, memory, tools

__all__ = ["agents", "constraints", "content", "document", "expressions", "flow", "gather", "memory", "tools"]
