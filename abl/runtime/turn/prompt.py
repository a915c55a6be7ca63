"""The request to a model, and the same as text for people (docs/spec 06 §4.1, 09 §2, 11 §1)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from abl.language import PLACES
from abl.language.entry import Entry
from abl.runtime.agents import pipeline, profiles
from abl.runtime.agents.handoff_context import LIMIT
from abl.runtime.events.recorder import Recorder, note, shortened
from abl.runtime.memory import tools as memory_tools
from abl.runtime.memory.block_context import memory_context
from abl.runtime.plan.declarations import declaration
from abl.runtime.plan.flow import StepPlan
from abl.runtime.turn.guidance import guidance

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.plan.program import Program
    from abl.runtime.state import Thread
    from abl.syntax import nodes

SETTINGS = frozenset(name for name, key in PLACES["execution"].keys.items() if key.runs == "simulated")
HISTORY = 20
"""Messages that a request carries; ``EXECUTION.conversation_history_window`` sets another number."""
CALLS = "_model_calls"
"""Where a thread keeps the calls that the model has made since the user's message."""


@dataclass(slots=True)
class Prompt:
    """A request: ``data`` is what the model gets, ``memory`` the report on what blocks put in."""

    data: dict[str, Any]
    memory: dict[str, Any] | None
    notes: list[dict[str, str]] = field(default_factory=list)

    def shown(self, recorder: Recorder) -> dict[str, Any]:
        """The request as an event shows it: sensitive values hidden, long texts cut, with the findings."""
        data: dict[str, Any] = shortened(recorder.shown(self.data))
        return {**data, "notes": self.notes} if self.notes else data


def prompt_of(engine: Engine, thread: Thread, step: StepPlan | None) -> Prompt:
    """Goal, persona, limitations, memory, recalled notes, tools, rules, variables (masked), history and calls."""
    program = engine.program(thread)
    agent = program.agent
    memory = memory_context(engine, thread)
    notes: list[dict[str, str]] = []
    goal = (step.setting("GOAL") if step is not None else None) or agent.goal
    behaviour = step.setting("BEHAVIOR") if step is not None else None

    def rendered(text: nodes.Text | None) -> str | None:
        if text is None:
            return None
        found = engine.render(thread, text.value)
        if found.missing:
            message = "nothing to show for " + ", ".join(found.missing)
            notes.append(note("RUN004", "template.unresolved", message))
        return found.text

    offered = pipeline.filtered(engine, thread, tools_of(engine, thread, step))
    data = {
        "goal": rendered(goal) or "",
        "behavior": rendered(behaviour),
        "instructions": _instructions(engine, thread, rendered(section_text(program, "INSTRUCTIONS"))),
        "system_prompt": rendered(section_text(program, "SYSTEM_PROMPT")),
        "persona": _persona(program, rendered(agent.persona)),
        "limitations": [rendered(text) for text in agent.limitations],
        "user_memory": memory.user_memory,
        "system_reminders": _reminders(engine, thread, memory.system_reminders),
        "recalled": list(thread.notes.values()),
        "tools": list(offered),
        "declarations": list(offered.values()),
        "fields": [f.name for f in program.fields],
        "constraints": rule_texts(program, step),
        "variables": engine.masker(thread).below({**thread.variables, **recalled(engine, thread)}, whole=True),
        "messages": [
            _as_seen(message)
            for message in _history(engine, thread)[
                -(program.execution.given("conversation_history_window") or HISTORY) :
            ]
        ],
        "settings": _settings(program),
        "calls": list(thread.system.get(CALLS, ())),
    }
    return Prompt(data, memory.report, notes)


def _history(engine: Engine, thread: Thread) -> list[dict[str, str]]:
    """The conversation as far as the agent receives it (09 §5)."""
    return engine.state.history[thread.system.get(LIMIT, 0) :]


def _persona(program: Program, own: str | None) -> str | None:
    """PERSONA with the expertise of IDENTITY behind it (09 §2)."""
    section = program.agent.section("IDENTITY")
    expertise = Entry.at("identity", section.block).texts("expertise") if section is not None else ()
    return "\n".join(text for text in (own or "", f"Expertise: {', '.join(expertise)}") if text) if expertise else own


def _settings(program: Program) -> dict[str, Any]:
    """What EXECUTION says to the model and of which model, by key in lower case."""
    execution = program.execution
    found = {name.lower(): execution.value(name) for name in execution.written if name in SETTINGS}
    if "models" in found:
        models = execution.below("models")
        found["models"] = {name.lower(): models.value(name) for name in models.written}
    return found


def _as_seen(message: dict[str, str]) -> dict[str, str]:
    """A message of the history as a model sees it: MODEL_CONTEXT stands in place of its text (06 §5.1)."""
    if "for_model" not in message:
        return message
    return {**{key: value for key, value in message.items() if key != "for_model"}, "text": message["for_model"]}


def _instructions(engine: Engine, thread: Thread, own: str | None) -> str | None:
    """INSTRUCTIONS, then those of the profiles that hold (09 §12), manner and terms."""
    more = [engine.render(thread, text).text for text in profiles.instructions(engine, thread)]
    more += guidance(engine.program(thread))
    return "\n".join([*([own] if own else []), *more]) or own


def _reminders(engine: Engine, thread: Thread, kept: Any) -> Any:
    """Those of the memory, then what the pipeline says of the message (09 §4)."""
    more = [{"content": hint} for hint in pipeline.hints(engine, thread)]
    return [*(kept or ()), *more] if more else kept


def recalled(engine: Engine, thread: Thread) -> dict[str, Any]:
    """Facts that the agent may read and that have a value, by path: declared ones, and those that a recall gave."""
    values = {path: engine.facts.read(thread, path)[1] for path in engine.facts.readable(thread)}
    return {path: value for path, value in values.items() if value is not None}


def section_text(program: Program, keyword: str) -> nodes.Text | None:
    """The text of a section that holds nothing else."""
    section = program.agent.section(keyword)
    return section.value if section is not None else None


def tools_of(engine: Engine, thread: Thread, step: StepPlan | None) -> dict[str, dict[str, Any]]:
    """What the model may call, by name: the agent's tools, then those of the memory systems, as the step allows."""
    program = engine.program(thread)
    fallback = program.messages["tool_fallback_desc"]
    offered = {name: declaration(tool, fallback) for name, tool in program.tools.items()}
    offered |= {name: tool.declaration() for name, tool in memory_tools.available(engine, thread).items()}
    hidden = profiles.hidden_tools(engine, thread)
    offered = {name: tool for name, tool in offered.items() if name not in hidden} if hidden else offered
    allowed = allowed_tools(step)
    return offered if allowed is None else {name: tool for name, tool in offered.items() if name in allowed}


def allowed_tools(step: StepPlan | None) -> set[str] | None:
    """AVAILABLE_TOOLS of a step; None = all."""
    setting = step.step.setting("AVAILABLE_TOOLS") if step is not None else None
    if setting is None:
        return None
    return set(step.step.value("AVAILABLE_TOOLS") or ()) if step is not None else None


def rule_texts(program: Program, step: StepPlan | None) -> list[str]:
    """The rules in words: the agent's, those of the step, and the step's lines that are no rules (04 §7)."""
    rules = [*program.rules, *(program.step_rules(step.name) if step is not None else ())]
    sentences = program.step_sentences(step.name) if step is not None else ()
    return [f"{rule.kind} {rule.record['condition_text']}" for rule in rules] + list(sentences)


# For people -------------------------------------------------------------------------------------------------------

TITLES = (
    ("system_prompt", "System prompt"), ("goal", "Goal"), ("behavior", "Behaviour"), ("instructions", "Instructions"),
    ("persona", "Persona"), ("limitations", "Limitations"), ("user_memory", "User memory"),
    ("system_reminders", "Reminders for this turn"), ("recalled", "Recalled notes"), ("declarations", "Tools"),
    ("fields", "Fields to collect"), ("constraints", "Rules"), ("variables", "Variables"), ("messages", "Conversation"),
    ("calls", "Calls since the last message"),
)  # fmt: skip
REPLACED = frozenset({"goal", "persona", "limitations"})
"""What SYSTEM_PROMPT takes the place of (09 §2)."""


def sections(request: dict[str, Any]) -> list[dict[str, str]]:
    """The request as ``{"key", "title", "text"}`` in the order of docs/spec 09 §2; empty parts are left out."""
    replaced = REPLACED if request.get("system_prompt") else frozenset()
    return [
        {"key": key, "title": title, "text": _text(request[key])}
        for key, title in TITLES
        if request.get(key) and key not in replaced
    ]


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(_line(item) for item in value)
    return "\n".join(f"{name} = {json.dumps(item, ensure_ascii=False)}" for name, item in value.items())


def _line(item: Any) -> str:
    if not isinstance(item, dict):
        return f"- {item}"
    if "parameters" in item:
        return f"- {item['name']}({', '.join(item['parameters']['properties'])}): {item['description']}"
    if "from" in item:
        return f"{item['from']}: {item['text']}"
    if "content" in item:
        return str(item["content"])
    return "- " + json.dumps(item, ensure_ascii=False)
