"""One pass over an agent's tree that fills its ``AgentIndex``: what is read, written and referred to, and where."""

from __future__ import annotations

from abl.analysis.collect_actions import ActionCollector
from abl.analysis.collect_targets import targets_of
from abl.analysis.model import AgentIndex
from abl.analysis.records import AgentRef, ToolRef
from abl.syntax import nodes, vocabulary

# Sections whose typed nodes say everything that is read or set in them.
_TYPED_SECTIONS = vocabulary.words(
    """AGENT SUPERVISOR VERSION DESCRIPTION LANGUAGE GOAL PERSONA LIMITATIONS IDENTITY INSTRUCTIONS SYSTEM_PROMPT
    EXECUTION TOOLS GATHER FLOW MEMORY CONSTRAINTS HANDOFF COMPLETE ON_START HOOKS MESSAGES TEMPLATES ACTION_HANDLERS"""
)
_TEXT_SECTIONS = ("GOAL", "PERSONA", "INSTRUCTIONS", "SYSTEM_PROMPT")
_HANDOFF_NAMED = frozenset({"TO", "WHEN", "PRIORITY", "CONTEXT", "PASS", "SUMMARY", "HISTORY", "SET", "EXPECT_RETURN"})
_OPAQUE_TOOL_KEYS = frozenset(
    {"ON_RESULT", "ON_ERROR", "CONTEXT_ACCESS", "PARAMETERS", "PARAMS", "PROCESS", "ENDPOINT", "HEADERS"}
)


def collect(agent: nodes.Agent, document: nodes.Document) -> AgentIndex:
    """The index of one agent, fragment or other tree of a document."""
    collector = _Collector(document.source, document.trail.units if document.trail is not None else {})
    collector.walk(agent)
    return AgentIndex(document.source, agent, isinstance(agent, nodes.Fragment), collector.finish())


class _Collector(ActionCollector):
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
        for name, text in (*agent.messages, *agent.templates):
            self.template(text, f"MESSAGES.{name.value}", agent)
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
            elif section.keyword not in _TYPED_SECTIONS and section.keyword != "BEHAVIOR_PROFILE":
                self.mention(section.span)
            if section.keyword == "ON_ERROR" and section.block is not None:
                self.shown_below(section.block, "message", section.path)

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

    def tool(self, tool: nodes.Tool) -> None:
        self.seen(tool)
        for prop in tool.props:
            if prop.key.upper() in _OPAQUE_TOOL_KEYS:
                self.mention(prop.block.span)

    def constraints(self, constraints: nodes.Constraints) -> None:
        self.seen(constraints)
        for phase in constraints.phases:
            self.seen(phase)
        for rule in constraints.rules:
            self.unit(rule, self.rule)

    def rule(self, rule: nodes.Rule) -> None:
        self.seen(rule)
        self.expression(rule.condition, "condition", rule.kind.value.upper(), rule)
        for when in rule.whens or ((rule.when,) if rule.when else ()):
            self.expression(when, "condition", "GATE", rule)
        if rule.before and rule.before.tool:
            self.part.tool_refs.append(ToolRef(rule.before.tool, None, "BEFORE", None))
        if rule.on_fail:
            self.on_fail(rule.on_fail, "constraint")

    def handoff(self, handoff: nodes.Handoff) -> None:
        self.seen(handoff)
        if handoff.to:
            self.part.agent_refs.append(AgentRef(handoff.to, "HANDOFF", handoff))
        self.expression(handoff.when, "condition", "HANDOFF", handoff)
        self.template(handoff.summary, "SUMMARY", handoff)
        for assignment in handoff.sets:
            self.seen(assignment)
            self.value_or_template(assignment.value, "CONTEXT.SET", assignment)
        for name in handoff.passes:
            self.read(name, handoff)
        for prop in handoff.props:
            if prop.key not in _HANDOFF_NAMED:
                self.mention(prop.block.span)

    def completion(self, completion: nodes.Completion) -> None:
        self.seen(completion)
        self.expression(completion.when, "condition", "COMPLETE", completion)
        self.template(completion.respond, "RESPOND", completion)
        self.directives(completion.actions)
        for prop in completion.props:
            if prop.key.upper() in ("STORE", "ACTIONS", "FORMATS", "VOICE"):
                self.mention(prop.block.span)
            self.shown_in((prop.block,), "message", completion.path)
