"""One pass over an agent's tree that fills its ``AgentIndex``: what is read, written and referred to, and where."""

from __future__ import annotations

import re

from abl.analysis.collect.profiles import ProfileCollector
from abl.analysis.collect.records import AgentRef
from abl.analysis.collect.targets import targets_of
from abl.analysis.conformance import places
from abl.analysis.index.model import AgentIndex
from abl.syntax import nodes, vocabulary
from abl.syntax.lines.texts import slice_of
from abl.syntax.nodes import Block, same_key
from abl.syntax.readers.content import content_of
from abl.syntax.readers.entries import item_head

# Sections whose typed nodes say everything that is read or set in them.
_TYPED_SECTIONS = vocabulary.words(
    """AGENT SUPERVISOR VERSION DESCRIPTION LANGUAGE GOAL PERSONA INSTRUCTIONS SYSTEM_PROMPT EXECUTION TOOLS GATHER FLOW
    MEMORY CONSTRAINTS HANDOFF COMPLETE ON_START HOOKS MESSAGES TEMPLATES ACTION_HANDLERS RICH_CONTENT ACTIONS
    GUARDRAILS ATTACHMENTS BEHAVIOR_PROFILE"""
)
_TEXT_SECTIONS = ("GOAL", "PERSONA", "INSTRUCTIONS", "SYSTEM_PROMPT")
_AFTER_HUMAN = {
    **dict.fromkeys(vocabulary.BRANCH_CONDITIONS, places.condition("IF")),
    "SET": places.SET,
    "STORE": places.Slot("store"),
}
_HANDOFF_NAMED = frozenset({"TO", "WHEN", "PRIORITY", "PASS", "SUMMARY", "HISTORY", "SET", "EXPECT_RETURN"})
_IF = re.compile(r"\s*IF\s", re.IGNORECASE)
_ACTION = re.compile(r":\s*(?:COMPLETE|HANDOFF|CONTINUE|RESPOND)\b", re.IGNORECASE)


def collect(agent: nodes.Agent, document: nodes.Document) -> AgentIndex:
    """The index of one agent, fragment or other tree of a document."""
    units = document.trail.units if document.trail is not None else {}
    collector = _Collector(document.source, units, document.yaml)
    collector.walk(agent)
    return AgentIndex(document.source, agent, isinstance(agent, nodes.Fragment), collector.finish())


class _Collector(ProfileCollector):
    """Walks the sections of an agent."""

    def walk(self, agent: nodes.Agent) -> None:
        if agent.memory:
            self.memory(agent.memory)
        for tool in agent.tools:
            self.unit(tool, self.tool)
        if agent.gather:
            self.gather(agent.gather)
        self.directives(agent.on_start)
        for _, directives in agent.hooks:
            self.directives(directives)
        if agent.constraints:
            self.constraints(agent.constraints)
        if agent.flow:
            self.flow(agent.flow)
        for handoff in agent.handoffs:
            self.unit(handoff, self.handoff)
        for completion in agent.completions:
            self.unit(completion, self.completion)
        for action_handler in agent.action_handlers:
            self.action_handler(action_handler)
        outer = self.locals
        for name, text in (*agent.messages, *agent.templates):
            self.locals = outer | vocabulary.MESSAGE_PLACEHOLDERS.get(name.value, frozenset())
            self.template(text, f"MESSAGES.{name.value}", agent)
        self.locals = outer
        if isinstance(agent, nodes.Fragment):
            self.directives(agent.directives)
            if agent.profile is not None:
                self.described(agent.profile)
        self.sections(agent)

    def sections(self, agent: nodes.Agent) -> None:
        for section in agent.sections:
            self.seen(section)
            for name in targets_of(section.keyword, section.block):
                self.part.agent_refs.append(AgentRef(name, section.keyword, section))
            for node in section.described:
                self.unit(node, self.described)
            if section.keyword in _TEXT_SECTIONS:
                self.template(section.value, section.keyword, section)
            elif section.keyword in places.SECTIONS:
                self.at_places(section.block, places.SECTIONS[section.keyword], section)
            elif section.keyword not in _TYPED_SECTIONS:
                self.mention(section.span)
            if section.keyword == "ON_ERROR" and section.block is not None:
                self.shown_below(section.block, "message", section.path)
            if section.keyword == "HOOKS" and section.block is not None:
                self.unknown_hooks(section.block)
            if section.keyword == "TOOLS" and section.block is not None:
                self.shared_by_tools(section, section.block)
            if section.keyword == "ESCALATE" and section.block is not None:
                self.after_a_human(section, section.block)

    def unknown_hooks(self, block: Block) -> None:
        """What is below a misspelt hook may still set what is read elsewhere."""
        for child in block.children:
            if child.key.lower() not in vocabulary.HOOKS:
                self.mention(child.span)

    def shared_by_tools(self, section: nodes.Section, block: Block) -> None:
        """What the tools of a file share (08 §9)."""
        for child in block.children:
            if child.colon and same_key(child.key) in places.SHARED:
                self.at_places(child, places.SENT, section)

    def after_a_human(self, section: nodes.Section, block: Block) -> None:
        """on_human_complete: ``- IF condition: ACTION``, or IF with a block below it (09 §7)."""
        for part in block.children:
            for number, item in enumerate(part.children if same_key(part.key) == "onhumancomplete" else ()):
                self._human_branch(item, section, f"{section.path}.{part.key}[{number}]")

    def _human_branch(self, item: Block, section: nodes.Section, path: str) -> None:
        text = item.value
        if not item.colon and text is not None and text.value.lstrip()[:1] == "{":
            for member in content_of(item).members:
                self.by_shape(member, _AFTER_HUMAN.get(member.key.upper(), places.Slot("quoted", "RESPOND")), section)
        elif item.colon and item.key.upper() in vocabulary.BRANCH_CONDITIONS:
            self.at_places(item_head(item)[0], places.condition("IF"), section)
        elif text is not None:
            begin = _IF.match(text.value) if not item.colon else None
            action = _ACTION.search(text.value)
            end = action.start() if action is not None else len(text.value.rstrip(": ")) if begin is not None else 0
            if begin is not None:
                self.expression(slice_of(text, begin.end(), end), "condition", "IF", section)
            self.quoted_in(slice_of(text, end, len(text.value)), "RESPOND", section)
        for line in item.children:
            key = line.key.upper() if line.colon else ""
            self.at_places(line, _AFTER_HUMAN.get(key, places.Slot("quoted", "RESPOND")), section)

    def memory(self, memory: nodes.Memory) -> None:
        self.seen(memory)
        for variable in memory.session:
            self.unit(variable, self.session_variable)
        for path in memory.persistent:
            self.unit(path, self.persistent_path)
        for trigger in memory.remember:
            self.unit(trigger, self.remember)
        for recall in memory.recall:
            self.unit(recall, self.recall)

    def session_variable(self, variable: nodes.SessionVariable) -> None:
        self.seen(variable)
        self.write(variable.name, "session", variable, variable.type.value if variable.type else None)
        if variable.initial and variable.initial.dynamic:
            self.expression(variable.initial.dynamic, "value", "INITIAL", variable)

    def persistent_path(self, path: nodes.PersistentPath) -> None:
        self.seen(path)
        self.write(path.name, "persistent", path, path.type.value if path.type else None)

    def remember(self, trigger: nodes.RememberTrigger) -> None:
        self.seen(trigger)
        self.expression(trigger.when, "condition", "REMEMBER", trigger)
        if trigger.store:
            self.seen(trigger.store)
            self.expression(trigger.store.value, "value", "STORE", trigger.store)
            self.write(trigger.store.target, "remember", trigger.store)

    def recall(self, recall: nodes.RecallInstruction) -> None:
        self.seen(recall)
        self.template(recall.instruction, "INSTRUCTION", recall)
        for name in recall.paths or ():
            self.write(name, "recall", recall)

    def constraints(self, constraints: nodes.Constraints) -> None:
        self.seen(constraints)
        for phase in constraints.phases:
            self.seen(phase)
        for rule in constraints.rules:
            self.unit(rule, self.rule)

    def handoff(self, handoff: nodes.Handoff) -> None:
        self.seen(handoff)
        if handoff.to:
            self.part.agent_refs.append(AgentRef(handoff.to, "HANDOFF", handoff))
        self.expression(handoff.when, "condition", "HANDOFF", handoff)
        self.template(handoff.summary, "SUMMARY", handoff)
        for at, assignment in enumerate(handoff.sets):
            self.seen(assignment)
            with self.within([above.target.value for above in handoff.sets[:at] if above.target is not None]):
                self.value_or_template(assignment.value, "CONTEXT.SET", assignment)
        for name in handoff.passes:
            self.read(name, handoff)
        for prop in handoff.props:
            if prop.key in places.HANDOFF:
                self.at_places(prop.block, places.HANDOFF[prop.key], handoff)
            elif prop.key not in _HANDOFF_NAMED:
                self.at_places(prop.block, places.OPAQUE, handoff)

    def completion(self, completion: nodes.Completion) -> None:
        self.seen(completion)
        self.expression(completion.when, "condition", "COMPLETE", completion)
        self.template(completion.respond, "RESPOND", completion)
        self.directives(completion.actions)
        for prop in completion.props:
            self.shown_in((prop.block,), "message", completion.path)
            if prop.key in places.COMPLETION:
                self.at_places(prop.block, places.COMPLETION[prop.key], completion)
