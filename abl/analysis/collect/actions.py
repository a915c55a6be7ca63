"""The part of the walk over what a flow does: steps, directives, branches, ON_FAIL, handlers (docs/spec 06, 07)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from abl.analysis.collect.content import ContentCollector, is_shown
from abl.analysis.collect.places import names_in
from abl.analysis.collect.records import AgentRef, StepKind, ToolRef
from abl.analysis.collect.targets import delegated_to, targets_of
from abl.analysis.conformance import places
from abl.analysis.index.languages import is_path
from abl.syntax import nodes
from abl.syntax.nodes import Name
from abl.syntax.readers.content import content_of
from abl.syntax.readers.outcomes import in_order

_CONDITION_SETTINGS = frozenset({"WHEN", "EXIT_WHEN", "COMPLETE_WHEN"})
_TEXT_SETTINGS = frozenset({"GOAL", "BEHAVIOR", "MODEL_CONTEXT"})
_TRANSITION_KINDS: dict[str, StepKind] = {
    "THEN": "then",
    "GOTO": "goto",
    "TRANSITION": "goto",
    "ON_EXHAUSTED": "exhausted",
    "ON_TIMEOUT": "timeout",
}
_OUTCOME_KINDS: dict[str, StepKind] = {"ON_SUCCESS": "on_success", "ON_FAILURE": "on_failure"}
_BLOCK_EXITS: dict[str, dict[str, StepKind]] = {
    "AWAIT_ATTACHMENT": {"ON_TIMEOUT": "timeout"},
    "SECURE_INPUT": {
        "ON_SUCCESS": "on_success",
        "ON_TIMEOUT": "timeout",
        "ON_CANCEL": "on_failure",
        "ON_FAIL": "on_fail",
    },
}
_WORDS = re.compile(r"\w+")
_NAMELESS = frozenset({"RESPOND", "MESSAGE_KEY", "STREAMING"})
_PLAIN_SETTINGS = frozenset(
    {"REASONING", "MAX_ATTEMPTS", "MAX_TURNS", "CORRECTIONS", "MESSAGE_KEY", "CLEAR_INTERACTION_LANGUAGE"}
)


class ActionCollector(ContentCollector):
    """Walks actions in document order; ``step`` is the step they are in."""

    def on_fail(self, action: nodes.OnFail, kind: StepKind) -> None:
        self.seen(action)
        self.template(action.message, "ON_FAIL", action)
        self.template(action.reason, "REASON", action)
        if action.form == "handoff" and action.target:
            self.part.agent_refs.append(AgentRef(action.target, "ON_FAIL", action, self.step))
        if action.form in ("step", "then"):
            self.step_ref(action.target, kind, action, "ON_FAIL")
        self.step_ref(action.goto, kind, action, "GOTO")
        if action.then and kind != "constraint" and action.then_word is None:
            self.step_ref(action.then, kind, action, "THEN")
        self.part.cleared.extend((name, action) for name in action.clear)
        for assignment in action.sets:
            self.assignment(assignment)
        self.branches(action.branches, kind)

    def flow(self, flow: nodes.Flow) -> None:
        self.seen(flow)
        for handler in flow.digressions:
            self.intent(handler, "digression")
        for step in flow.steps:
            self.unit(step, self.flow_step)

    def flow_step(self, step: nodes.Step) -> None:
        self.seen(step)
        self.step = step.name.value
        self.directives(in_order(step.directives))
        self.step = None

    def directives(self, directives: Iterable[nodes.Directive], kind: StepKind | None = None) -> None:
        for directive in directives:
            self.seen(directive)
            self.directive(directive, kind)

    def directive(self, directive: nodes.Directive, kind: StepKind | None) -> None:
        match directive:
            case nodes.SetVariables():
                for assignment in directive.assignments:
                    self.assignment(assignment)
            case nodes.Respond():
                self.template(directive.text, directive.keyword, directive)
                self.opaque(directive, "step" if kind is None and self.step is not None else "message")
            case nodes.Transition():
                self.transition(directive, kind)
            case nodes.Gather():
                self.gather(directive)
            case nodes.Call():
                self.call(directive)
            case nodes.Check():
                self.expression(directive.condition, "condition", "CHECK", directive)
                if directive.on_fail:
                    self.on_fail(directive.on_fail, "on_fail")
            case nodes.OnInput():
                self.branches(directive.branches, "on_input")
            case nodes.Clear():
                self.part.cleared.extend((name, directive) for name in directive.names)
            case nodes.Transform():
                self.transform(directive)
            case nodes.Log():
                self.template(directive.text, "LOG", directive)
            case nodes.IntentHandlers():
                for handler in directive.handlers:
                    self.intent(handler, "sub_intent" if directive.keyword == "SUB_INTENTS" else "digression")
            case nodes.ActionHandlers():
                for action_handler in directive.handlers:
                    self.action_handler(action_handler)
            case nodes.Outcome():
                self.branches(directive.branches, _OUTCOME_KINDS.get(directive.keyword, "on_result"))
                if directive.on_fail:
                    self.on_fail(directive.on_fail, "on_fail")
            case nodes.Setting():
                self.setting(directive, "step" if kind is None and self.step is not None else "message")
            case _:
                self.mention(directive.span)

    def transition(self, directive: nodes.Transition, kind: StepKind | None) -> None:
        self.template(directive.reason, "REASON", directive)
        if directive.agent:
            ref = AgentRef(directive.agent, directive.keyword, directive, self.step, self.in_tool)
            self.part.agent_refs.append(ref)
        else:
            self.step_ref(
                directive.target, kind or _TRANSITION_KINDS.get(directive.keyword, "goto"), directive, directive.keyword
            )

    def setting(self, setting: nodes.Setting, where: str) -> None:
        if setting.keyword == "ON_ERROR":
            refs = [AgentRef(name, "ON_ERROR", setting) for name in targets_of("ON_ERROR", setting.block)]
            self.part.agent_refs.extend(refs)
        elif setting.keyword == "DELEGATE" and setting.block is not None:
            names = delegated_to(content_of(setting.block))
            self.part.agent_refs.extend(AgentRef(name, "DELEGATE", setting, self.step) for name in names)
        if setting.keyword in _CONDITION_SETTINGS:
            self.expression(setting.value, "condition", setting.keyword, setting)
        elif setting.keyword in _TEXT_SETTINGS:
            self.template(setting.value, setting.keyword, setting)
        elif setting.keyword == "STEP_CONSTRAINTS":
            for entry in setting.rules:
                self.step_rule(entry)
        elif is_shown(setting.keyword):
            if setting.block is not None:
                self.shown(setting.block, where, setting.path)
        elif setting.keyword in places.SETTINGS:
            self.at_places(setting.block, places.SETTINGS[setting.keyword], setting)
        elif setting.keyword == "SET_INTERACTION_LANGUAGE":
            self.interaction_language(setting)
        elif setting.keyword not in _PLAIN_SETTINGS:
            self.mention(setting.span)
            if setting.keyword == "AVAILABLE_TOOLS" and setting.block is not None:
                names = names_in(content_of(setting.block), keys=False)
                self.part.tool_refs.extend(ToolRef(name, None, setting.keyword, self.step) for name in names)
        if setting.keyword in _BLOCK_EXITS and setting.block is not None:
            self.block_exits(setting, setting.block)
        if setting.keyword == "ON_ERROR" and setting.block is not None:
            self.shown_below(setting.block, "message", setting.path)

    def interaction_language(self, setting: nodes.Setting) -> None:
        """A language tag, a path, or a text with placeholders (09 §9)."""
        text = setting.value
        if text is not None and is_path(text):
            self.expression(text, "value", "LANGUAGE", setting)
        else:
            self.template(text, "LANGUAGE", setting)

    def step_rule(self, entry: nodes.Rule | nodes.Sentence) -> None:
        """An entry of STEP_CONSTRAINTS: a rule, which joins the agent's while the step runs, or a text (04 §7)."""
        if isinstance(entry, nodes.Sentence):
            self.template(entry.text, "STEP_CONSTRAINTS", entry)
        else:
            self.rule(entry)

    def rule(self, rule: nodes.Rule) -> None:
        """A rule of the agent, or of a step."""
        self.seen(rule)
        self.expression(rule.condition, "condition", rule.kind.value.upper(), rule)
        for when in rule.whens or ((rule.when,) if rule.when else ()):
            self.expression(when, "condition", "GATE", rule)
        if rule.before and rule.before.tool:
            self.part.tool_refs.append(ToolRef(rule.before.tool, None, "BEFORE", self.step))
        if rule.on_fail:
            self.on_fail(rule.on_fail, "constraint")

    def block_exits(self, setting: nodes.Setting, block: nodes.Block) -> None:
        """The steps that AWAIT_ATTACHMENT and SECURE_INPUT lead to, and the tool that gets the secret."""
        exits = _BLOCK_EXITS[setting.keyword]
        for child in block.children:
            key = child.key.upper()
            if child.value is None:
                continue
            words = [Name(m[0], child.value.span_of(*m.span())) for m in _WORDS.finditer(child.value.value)]
            if key in exits and words:
                known = words[1:] if words[0].value in ("THEN", "GOTO") else words
                self.step_ref(next(iter(known), None), exits[key], setting, key)
            elif setting.keyword == "SECURE_INPUT" and words and (key == "CALL" or words[0].value == "CALL"):
                tool = words[0] if key == "CALL" else next(iter(words[1:]), None)
                self.part.tool_refs.extend([ToolRef(tool, None, setting.keyword, self.step)] if tool else [])

    def opaque(self, respond: nodes.Respond, where: str) -> None:
        """What else is written below a message or beside it: how it is shown, another text for the model.

        Keys in the column of the message belong to ``where`` it stands, those below to the message.
        """
        for prop in respond.props:
            beside = respond.block is not None and prop.block.column == respond.block.column
            if is_shown(prop.key):
                self.shown(prop.block, where if beside else "message", respond.path)
            elif prop.key.upper() in ("TEXT", "DEFAULT", "MODEL_CONTEXT"):
                self.template(prop.value, prop.key, respond)
            elif prop.key.upper() not in _NAMELESS:
                self.mention(prop.block.span)

    def transform(self, transform: nodes.Transform) -> None:
        if transform.source:
            self.read(transform.source, transform)
        item = (transform.item.value,) if transform.item else ()
        with self.within(item):
            self.expression(transform.filter, "condition", "FILTER", transform)
            for argument in transform.mapping:
                self.expression(argument.value, "value", "MAP", transform)
        self.expression(transform.limit, "value", "TRANSFORM_LIMIT", transform)
        self.write(transform.into, "transform", transform, "array")

    def gather(self, gather: nodes.Gather) -> None:
        self.seen(gather)
        self.template(gather.prompt, "PROMPT", gather)
        for field in gather.fields:
            self.seen(field)
            self.template(field.prompt, "PROMPT", field)
            self.template(field.retry_prompt, "RETRY_PROMPT", field)
            self.write(field.name, "gather", field, field.type.value if field.type else None)
            for prop in field.props:
                self.field_property(prop, field)

    def field_property(self, prop: nodes.Property, field: nodes.GatherField) -> None:
        """A property of a field that no typed node names (07 §2)."""
        match prop.key:
            case "ACTIVATION":
                self.at_places(prop.block, {"when": places.condition("ACTIVATION"), "": places.NOTHING}, field)
            case "VALIDATE":
                if field.typed.value("VALIDATION_PROCESS") in (None, "CODE"):
                    self.validated(content_of(prop.block), field.name.value, field)
            case "RICH_CONTENT":
                self.shown(prop.block, "message", field.path)
            case key if key in places.FIELD:
                self.at_places(prop.block, places.FIELD[key], field)

    def call(self, call: nodes.Call) -> None:
        if call.tool:
            self.part.tool_refs.append(ToolRef(call.tool, call, call.keyword, self.step))
        guard = call.prop("WHEN")
        if guard is not None:  # of ON_START and hooks (docs/spec 09 §9)
            self.expression(guard.value, "condition", "WHEN", call)
        self.arguments(call.arguments, "ARGUMENT", call)
        self.arguments(call.with_, "WITH", call)
        self.write(call.as_, "as", call)
        self.branches(call.on_success, "on_success")
        self.branches(call.on_failure, "on_failure")
        self.branches(call.on_result, "on_result")
        if call.on_fail:
            self.on_fail(call.on_fail, "on_fail")

    def arguments(self, arguments: Iterable[nodes.Argument], place: str, call: nodes.Call) -> None:
        for argument in arguments:
            self.seen(argument)
            self.value_or_template(argument.value, place, call)
            self.arguments(argument.children, place, call)

    def branches(self, branches: Iterable[nodes.Branch], kind: StepKind) -> None:
        for branch in branches:
            self.seen(branch)
            self.expression(branch.condition, "condition", "IF", branch)
            self.directives(branch.actions, kind)

    def intent(self, handler: nodes.IntentHandler, kind: StepKind) -> None:
        self.seen(handler)
        self.expression(handler.condition, "condition", "CONDITION", handler)
        self.directives(handler.actions, kind)

    def action_handler(self, handler: nodes.ActionHandler) -> None:
        self.seen(handler)
        self.expression(handler.condition, "condition", "CONDITION", handler)
        self.directives(handler.actions, "goto")
