"""The tools of the memory systems that a model is offered (docs/spec 11 §1–§3).

A tool is there when its port is given and the agent has no tool of its own with that name; calls take the whole call
sequence (docs/spec 08 §8).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from abl.expressions.values import type_tag
from abl.runtime.memory.block_policy import MOST_REMINDERS
from abl.runtime.memory.ports import BLOCK_SCOPES, BLOCK_TYPES, Attributed, BlockRefused, RecordRefused, search
from abl.runtime.plan.declarations import object_schema
from abl.runtime.ports import ToolError, ToolResult

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread

Run = Callable[["Engine", "Thread", Mapping[str, Any]], Any]
TEXT: dict[str, Any] = {"type": "string"}


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """One tool; ``parameters`` is a JSON Schema and ``run`` raises what its port raises."""

    name: str
    port: str  # blocks | records | bank
    description: str
    parameters: Mapping[str, Any]
    run: Run

    def declaration(self) -> dict[str, Any]:
        """As a model sees it."""
        return {"name": self.name, "description": self.description, "parameters": dict(self.parameters)}

    def problem(self, args: Mapping[str, Any]) -> ToolError | None:
        """What is wrong with the arguments: ``missing_argument`` or ``invalid_argument``."""
        known: Mapping[str, Any] = self.parameters["properties"]
        missing = [name for name in self.parameters["required"] if name not in args]
        if missing:
            return ToolError(subtype="missing_argument", message=f"{self.name} needs {', '.join(missing)}")
        for name, value in args.items():
            if name not in known:
                message = f"{self.name} has no {name}; it has {', '.join(known) or 'no parameters'}"
                return ToolError(subtype="invalid_argument", message=message)
            wanted = _misfit(known[name], value)
            if wanted is not None:
                return ToolError(
                    subtype="invalid_argument", message=f"{name} is {_kind(known[name], value)}; give {wanted}"
                )
        return None


def available(engine: Engine, thread: Thread) -> dict[str, MemoryTool]:
    """The memory tools of an agent, by name, in a fixed order."""
    memories, own = engine.memories, engine.program(thread).tools
    given = {
        "blocks": memories.blocks is not None and engine.state.user is not None,
        "records": memories.records is not None,
        "bank": memories.bank is not None,
    }
    return {name: tool for name, tool in TOOLS.items() if given[tool.port] and name not in own}


def run(engine: Engine, thread: Thread, tool: MemoryTool, args: Mapping[str, Any]) -> ToolResult:
    """The tool's answer; what a port refuses is a failed call whose envelope says why."""
    port: object = getattr(engine.memories, tool.port)
    if isinstance(port, Attributed):
        started = engine.recorder.events[-1]
        port.attribute({
            "agent": thread.agent, "session": engine.state.session_id, "turn": engine.state.turn,
            "event": started["seq"], "span": started["span"],
        })  # fmt: skip
    try:
        return ToolResult(tool.run(engine, thread, args), mode="memory")
    except BlockRefused as refused:
        details = {"current": asdict(refused.current) if refused.current is not None else None}
        return _refused(refused.code, refused.message, details if refused.code == "conflict" else {})
    except RecordRefused as refused:
        return _refused(refused.code, refused.message, {"errors": refused.errors} if refused.errors else {})


def secret_problem(
    engine: Engine, tool: MemoryTool, args: Mapping[str, Any], sensitive: Collection[str] = ()
) -> ToolError | None:
    """What is wrong with a content to be stored that holds something sensitive: blocks, stores and banks keep no such
    value, since they show what they hold to all who may read them (docs/spec 11). ``sensitive``: arguments that do.
    """
    content = args.get("content") if "content" in tool.parameters["properties"] else None
    if content is None or ("content" not in sensitive and engine.recorder.shown(content) == content):
        return None
    message = f"the content for {tool.name} holds a sensitive value, which is kept in facts only; leave it out"
    return ToolError(subtype="sensitive", code="sensitive", message=message)


def _refused(code: str, message: str, details: dict[str, Any]) -> ToolResult:
    envelope = ToolError(subtype=code, code=code, message=message).envelope()
    envelope["error"].update(details)
    return ToolResult(envelope, mode="memory")


def _kind(schema: Mapping[str, Any], value: Any) -> str:
    """What a value that does not fit is. Not the value itself, which may be one that nobody is to see."""
    fits = type_tag(value) == "string" and "enum" in schema
    return "another text than it may be" if fits else str(type_tag(value))


def _misfit(schema: Mapping[str, Any], value: Any) -> str | None:
    """What a value should have been, None when it fits."""
    if "enum" in schema:
        return None if value in schema["enum"] else " or ".join(map(str, schema["enum"]))
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if type_tag(value) in {"string", "date", "datetime"} and "string" in kinds:
        return None
    if type_tag(value) in kinds:
        return None
    whole = "integer" in kinds and isinstance(value, int) and not isinstance(value, bool)
    if whole and schema["minimum"] <= value <= schema["maximum"]:
        return None
    if "integer" in kinds:
        return f"a whole number from {schema['minimum']} to {schema['maximum']}"
    return " or ".join(kinds)


# Blocks -----------------------------------------------------------------------------------------------------------


def _owner(engine: Engine) -> str:
    if engine.state.user is None:
        raise BlockRefused("unavailable", "there is no signed-in user")
    return engine.state.user


def _update_memory(engine: Engine, thread: Thread, args: Mapping[str, Any]) -> Any:
    scope = args.get("scope", "user")
    port = engine.memories.blocks
    if port is None:
        raise BlockRefused("unavailable", "there are no memory blocks")
    written = port.update(
        _owner(engine),
        block_type=args["block_type"],
        content=args["content"],
        scope=scope,
        agent=thread.agent if scope == "agent" else None,
        expected_updated_at=args["expected_updated_at"],
    )
    return asdict(written)


def _recall_memory(engine: Engine, thread: Thread, args: Mapping[str, Any]) -> Any:
    port = engine.memories.blocks
    if port is None:
        raise BlockRefused("unavailable", "there are no memory blocks")
    found = port.recall(_owner(engine), args["query"], agent=thread.agent, limit=args.get("limit", 10), min_score=None)
    return [asdict(match) for match in found]


# Records ----------------------------------------------------------------------------------------------------------


def _get_content(engine: Engine, thread: Thread, args: Mapping[str, Any]) -> Any:
    return _records(engine).get_content(args["technical_name"], args.get("projections"))


def _set_content(engine: Engine, thread: Thread, args: Mapping[str, Any]) -> Any:
    written = _records(engine).set_content(args["technical_name"], args["content"])
    engine.memories.changed()
    return written


def _delete_content(engine: Engine, thread: Thread, args: Mapping[str, Any]) -> Any:
    removed = _records(engine).delete_content(args["technical_name"])
    engine.memories.changed()
    return removed


def _records(engine: Engine) -> Any:
    if engine.memories.records is None:
        raise RecordRefused("unavailable", "there are no memory stores")
    return engine.memories.records


# Bank -------------------------------------------------------------------------------------------------------------


def _memory_read(engine: Engine, thread: Thread, args: Mapping[str, Any]) -> Any:
    return engine.memories.bank.read(thread.agent) if engine.memories.bank is not None else ""


def _memory_write(engine: Engine, thread: Thread, args: Mapping[str, Any]) -> Any:
    if engine.memories.bank is not None:
        engine.memories.bank.write(thread.agent, args["content"])
    return "ok"


def _memory_search(engine: Engine, thread: Thread, args: Mapping[str, Any]) -> Any:
    bank = engine.memories.bank
    return search(bank, thread.agent, args["query"]) if bank is not None else ""


_STORE = {"technical_name": {"type": "string", "description": "Technical name of the memory store."}}
TOOLS: dict[str, MemoryTool] = {
    tool.name: tool
    for tool in (
        MemoryTool(
            "update_memory",
            "blocks",
            "Replaces one memory block of the user as a whole; one line is one entry. It fails with the current block "
            "when the block was changed since it was read.",
            object_schema(
                {
                    "block_type": {
                        "enum": list(BLOCK_TYPES),
                        "description": "core is always in view, archival is only found by recall_memory.",
                    },
                    "content": {"type": "string", "description": "The whole new text of the block."},
                    "scope": {
                        "enum": list(BLOCK_SCOPES),
                        "default": "user",
                        "description": "user: for all agents, agent: only for this one.",
                    },
                    "expected_updated_at": {
                        "type": ["string", "null"],
                        "description": "updated_at of the block as it was read last; null to create it.",
                    },
                },
                ["block_type", "content", "expected_updated_at"],
            ),
            _update_memory,
        ),
        MemoryTool(
            "recall_memory",
            "blocks",
            "Finds lines of the user's archival memory that fit a query, the best first.",
            object_schema(
                {"query": TEXT, "limit": {"type": "integer", "minimum": 1, "maximum": MOST_REMINDERS, "default": 10}},
                ["query"],
            ),
            _recall_memory,
        ),
        MemoryTool(
            "get_content",
            "records",
            "Reads the record of a memory store, null when there is none.",
            object_schema(
                {
                    **_STORE,
                    "projections": {
                        "type": "object",
                        "description": "Dotted paths to 1 (take) or 0 (leave out), not both.",
                    },
                },
                ["technical_name"],
            ),
            _get_content,
        ),
        MemoryTool(
            "set_content",
            "records",
            "Creates the record of a memory store or merges into it; fields that are not given stay.",
            object_schema({**_STORE, "content": {"type": "object"}}, ["technical_name", "content"]),
            _set_content,
        ),
        MemoryTool(
            "delete_content",
            "records",
            "Removes the record of a memory store.",
            object_schema(_STORE, ["technical_name"]),
            _delete_content,
        ),
        MemoryTool("memory_read", "bank", "Reads your own memory text.", object_schema({}, []), _memory_read),
        MemoryTool(
            "memory_write",
            "bank",
            "Replaces your own memory text.",
            object_schema({"content": TEXT}, ["content"]),
            _memory_write,
        ),
        MemoryTool(
            "memory_search",
            "bank",
            "Gives the lines of your own memory that contain a text, ignoring case.",
            object_schema({"query": TEXT}, ["query"]),
            _memory_search,
        ),
    )
}
