"""``outline``: a document as a tree of named parts for the left pane of an editor."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from abl.source import Position, Span
from abl.syntax import nodes, parse

_SHOWN = 40


class Entry(NamedTuple):
    """A named part of a document. ``path`` is the AST path (docs/spec 01 §10); ``detail`` a short text such as a number
    of entries; ``start`` and the exclusive ``end`` are places in the text."""

    name: str
    kind: str
    detail: str
    start: Position
    end: Position
    path: str
    children: tuple[Entry, ...]


def outline(files: Mapping[str, str], path: str, line: int = 1, column: int = 1) -> list[dict[str, Any]]:
    """The parts of the document at ``path`` as JSON, outer first, in file order; empty for an unknown path.

    Each is ``{name, kind, detail, range, path, children}``, as in ``Entry``; ``range`` is JSON of docs/spec 12 §2.
    Kinds: agent, supervisor, fragment, profile, tools, section, group, variable, path, trigger, recall, phase, rule,
    step, tool, field, handoff, completion, hook, message, template, text. The position is ignored: it is a parameter
    only so that all functions of an editor are called alike.
    """
    text = files.get(path)
    return [_as_dict(entry) for entry in entries(parse(text, path))] if text is not None else []


def entries(document: nodes.Document) -> tuple[Entry, ...]:
    """The parts of a document, outer first, in file order. They can be compared with those of another text."""
    builder = _Outline(document)
    agents: list[nodes.Agent] = [*document.agents, *document.fragments]
    found = [builder.agent(agent) for agent in agents]
    found += [builder.file(section, "profile") for section in document.profiles]
    found += [builder.file(section, "tools") for section in document.tool_files]
    return tuple(sorted(found, key=lambda entry: entry.start))


def _as_dict(entry: Entry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "kind": entry.kind,
        "detail": entry.detail,
        "range": {"start": entry.start._asdict(), "end": entry.end._asdict()},
        "path": entry.path,
        "children": [_as_dict(child) for child in entry.children],
    }


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…"


def _count(number: int, word: str = "") -> str:
    return f"{number} {word}".rstrip()


class _Outline:
    """Builds entries for one document."""

    def __init__(self, document: nodes.Document) -> None:
        self.starts = document.source.line_starts

    def entry(  # noqa: PLR0917  the six parts of an entry, always in this order
        self, name: str, kind: str, span: Span, path: str, detail: str = "", children: Sequence[Entry] = ()
    ) -> Entry:
        """One entry of the tree."""
        start, end = span
        first, last = bisect_right(self.starts, start), bisect_right(self.starts, end)
        begins, ends = (
            Position(first, start - self.starts[first - 1] + 1),
            Position(last, end - self.starts[last - 1] + 1),
        )
        return Entry(name, kind, detail, begins, ends, path, tuple(children))

    def agent(self, agent: nodes.Agent) -> Entry:
        """An agent with its sections, or a fragment with its sections and directives."""
        fragment = isinstance(agent, nodes.Fragment)
        kind = "fragment" if fragment else agent.kind
        name = agent.name.value if agent.name is not None else "Fragment" if fragment else "(no name)"
        children = [
            self.section(agent, section)
            for section in agent.sections
            if section.keyword not in ("AGENT", "SUPERVISOR") and agent.section(section.keyword) is section
        ]
        if isinstance(agent, nodes.Fragment):
            children += [self.directive(directive) for directive in agent.directives]
            if agent.section("CONSTRAINTS") is None and agent.constraints is not None:
                children += self.rules(agent.constraints.rules)
        return self.entry(name, kind, agent.span, agent.path, kind, children)

    def file(self, section: nodes.Section, kind: str) -> Entry:
        """A profile document or a tool file."""
        content = section.content
        children = [self.section(content, part) for part in content.sections] if content is not None else []
        name = section.value.value if section.value is not None else section.keyword
        return self.entry(name, kind, section.span, section.path, kind, children)

    def section(self, agent: nodes.Agent, section: nodes.Section) -> Entry:
        """A section with what it declares."""
        children = list(self._children(agent, section.keyword))
        detail = self._detail(agent, section, children)
        return self.entry(section.keyword, "section", section.span, section.path, detail, children)

    def _detail(self, agent: nodes.Agent, section: nodes.Section, children: list[Entry]) -> str:
        if section.keyword == "FLOW":
            return _count(len(children), "step" if len(children) == 1 else "steps")
        if section.keyword == "MEMORY":
            return ""
        if children:
            return _count(len(children))
        if section.value is not None:
            return _short(section.value.value)
        return _count(len(section.block.children)) if section.block is not None else ""

    def _children(self, agent: nodes.Agent, keyword: str) -> Iterable[Entry]:
        if keyword == "MEMORY" and agent.memory is not None:
            return self.memory(agent.memory)
        if keyword == "CONSTRAINTS" and agent.constraints is not None:
            return self.constraints(agent.constraints)
        if keyword == "FLOW" and agent.flow is not None:
            return self.flow(agent.flow)
        if keyword == "TOOLS":
            return [self.entry(t.name.value, "tool", t.span, t.path, _signature(t)) for t in agent.tools]
        if keyword == "GATHER" and agent.gather is not None:
            return [self.field(field) for field in agent.gather.fields]
        if keyword == "HANDOFF":
            return [self.handoff(handoff) for handoff in agent.handoffs]
        if keyword == "COMPLETE":
            return [self.entry(_text(c.when), "completion", c.span, c.path) for c in agent.completions]
        if keyword == "HOOKS":
            return [self.hook(agent, name, directives) for name, directives in agent.hooks if directives]
        if keyword in ("MESSAGES", "TEMPLATES"):
            kind = keyword[:-1].lower()
            texts = agent.messages if keyword == "MESSAGES" else agent.templates
            return [
                self.entry(n.value, kind, Span(n.span.start, t.span.end), f"{keyword.lower()}.{n.value}")
                for n, t in texts
            ]
        return ()

    # MEMORY and CONSTRAINTS -------------------------------------------------------------------------------------

    def memory(self, memory: nodes.Memory) -> list[Entry]:
        """The four groups of MEMORY that have entries."""
        groups: list[tuple[str, list[Entry]]] = [
            ("session", [self._declared(v, "variable") for v in memory.session]),
            ("persistent", [self._declared(p, "path") for p in memory.persistent]),
            ("remember", [self._trigger(t) for t in memory.remember]),
            ("recall", [self.entry(_text(r.on), "recall", r.span, r.path, _text(r.action)) for r in memory.recall]),
        ]
        return [self._group(memory, name, entries) for name, entries in groups if entries]

    def _group(self, memory: nodes.Memory, name: str, entries: list[Entry]) -> Entry:
        block = memory.block
        children = block.children if block is not None else ()
        span = next((child.span for child in children if child.key.lower() == name), memory.span)
        return self.entry(name, "group", span, f"{memory.path}.{name}", _count(len(entries)), entries)

    def _declared(self, node: nodes.SessionVariable | nodes.PersistentPath, kind: str) -> Entry:
        return self.entry(node.name.value, kind, node.span, node.path, _text(node.type))

    def _trigger(self, trigger: nodes.RememberTrigger) -> Entry:
        target = trigger.store.target if trigger.store is not None else None
        name = target.value if target is not None else _text(trigger.when)
        return self.entry(name, "trigger", trigger.span, trigger.path, _text(trigger.ttl))

    def constraints(self, constraints: nodes.Constraints) -> list[Entry]:
        """Rules, below their phase where there is more than one."""
        phases = [phase for phase in constraints.phases if phase.rules]
        grouped = {id(rule) for phase in phases for rule in phase.rules}
        loose = [rule for rule in constraints.rules if id(rule) not in grouped]
        if len(phases) <= 1:
            return self.rules(constraints.rules)
        return self.rules(loose) + [
            self.entry(p.name.value, "phase", p.span, p.path, _count(len(p.rules)), self.rules(p.rules)) for p in phases
        ]

    def rules(self, rules: Iterable[nodes.Rule]) -> list[Entry]:
        """Rules: the condition as name, the kind as detail."""
        return [self.entry(_text(rule.condition), "rule", rule.span, rule.path, rule.kind.value) for rule in rules]

    # FLOW and the rest ------------------------------------------------------------------------------------------

    def flow(self, flow: nodes.Flow) -> list[Entry]:
        """Steps in definition order."""
        entry = flow.entry
        return [
            self.entry(step.name.value, "step", step.span, step.path, "entry" if step.name.value == entry else "")
            for step in flow.steps
        ]

    def field(self, field: nodes.GatherField) -> Entry:
        """A gather field."""
        detail = _text(field.type) if field.required else f"{_text(field.type)} optional".lstrip()
        return self.entry(field.name.value, "field", field.span, field.path, detail)

    def handoff(self, handoff: nodes.Handoff) -> Entry:
        """A handoff by its target."""
        name = handoff.to.value if handoff.to is not None else ""
        return self.entry(name, "handoff", handoff.span, handoff.path, _text(handoff.when))

    def hook(self, agent: nodes.Agent, name: str, directives: tuple[nodes.Directive, ...]) -> Entry:
        """A hook with its number of directives."""
        span = Span(directives[0].span.start, directives[-1].span.end)
        return self.entry(name, "hook", span, f"hooks.{name}", _count(len(directives)))

    def directive(self, directive: nodes.Directive) -> Entry:
        """A directive of a fragment."""
        text = directive.block.value if directive.block is not None else None
        return self.entry(directive.keyword, "text", directive.span, directive.path, _text(text))


def _text(text: nodes.Text | None) -> str:
    return _short(text.value) if text is not None else ""


def _signature(tool: nodes.Tool) -> str:
    return _short(", ".join(parameter.name.value for parameter in tool.parameters))
