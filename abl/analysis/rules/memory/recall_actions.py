"""3xx about what recall instructions do (docs/spec 03 §5, 05 §5)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.conformance.values import unfit
from abl.analysis.fixes.entries import add_property, remove_property
from abl.analysis.index.model import AgentIndex, first_line
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.memory.facts import access_of
from abl.diagnostics import Fix
from abl.syntax import nodes
from abl.syntax.vocabulary import RETIRED_RECALL_EVENTS

_IGNORED = {
    "prompt_llm": ("PATHS", "DOMAIN"),
    "inject_context": ("DOMAIN", "INSTRUCTION"),
    "load_memory": ("INSTRUCTION",),
}


def _action(recall: nodes.RecallInstruction) -> str:
    action: str = recall.typed.value("ACTION")
    return action


def _assumed(recall: nodes.RecallInstruction) -> bool:
    """True when ACTION is left out although PATHS is given, or is no word: ABL371 and ABL125 say so, nothing else."""
    action = recall.prop("ACTION")
    return recall.prop("PATHS") is not None if action is None else action.value is None


def _shorthand(recall: nodes.RecallInstruction) -> bool:
    """True for the retired form ``- ON_X: "text"``."""
    return recall.block is not None and recall.block.key in RETIRED_RECALL_EVENTS


@rule(
    "ABL366",
    "bad-recall-action",
    "error",
    "ACTION must be inject_context, load_memory or prompt_llm",
    over=nodes.RecallInstruction,
)
def bad_recall_action(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: ACTION has another value.
    Why: What to do with the memory is not known.
    Bad:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_contex
              PATHS: [user.branch]
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch]
    """
    yield from unfit(recall.action, "recall", "ACTION", f"{recall.path}.ACTION")


@rule("ABL367", "inject-without-paths", "error", "inject_context needs PATHS", over=nodes.RecallInstruction)
def inject_without_paths(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: inject_context does not say which paths to load.
    Why: Nothing is loaded.
    Bad:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch]
    """
    if _action(recall) != "inject_context" or recall.paths:
        return
    readable = [name for name, path in agent.persistent.items() if access_of(path) != "write"]
    paths, prop = f"[{', '.join(readable)}]", recall.prop("PATHS")
    repairs: tuple[Fix, ...] = ()
    if readable and prop is None:
        repairs = add_property(agent, recall, f"PATHS: {paths}", below=recall.prop("ACTION"))
    elif readable and prop is not None and prop.value is not None:
        repairs = (fixes.replace(prop.value.span, paths, preferred=False),)
    yield found(prop.key_span if prop is not None else first_line(recall), *repairs, node=recall.path)


@rule(
    "ABL368",
    "load-everything",
    "warning",
    "load_memory without DOMAIN or PATHS loads everything",
    over=nodes.RecallInstruction,
)
def load_everything(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: load_memory is not limited to a domain or to paths.
    Why: All facts of all domains come into the session.
    Bad:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: load_memory
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: load_memory
              DOMAIN: lending
    """
    if _action(recall) == "load_memory" and recall.prop("DOMAIN") is None and not recall.paths:
        domains = {path.domain.value for path in agent.persistent.values() if path.domain is not None}
        domains |= {name.split(".")[1] for name in agent.persistent if name.count(".") > 1}
        action = recall.prop("ACTION")
        lines = (f"DOMAIN: {name}" for name in sorted(domains)[:3])
        ways = [fix for line in lines for fix in add_property(agent, recall, line, below=action)]
        yield found(first_line(recall), *ways, node=recall.path)


@rule("ABL369", "prompt-without-instruction", "error", "prompt_llm needs INSTRUCTION", over=nodes.RecallInstruction)
def prompt_without_instruction(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: prompt_llm, which is also what a missing ACTION means, has no INSTRUCTION.
    Why: The model is told nothing.
    Bad:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: prompt_llm
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: prompt_llm
              INSTRUCTION: "Greet by name."
    """
    if _action(recall) != "prompt_llm" or _assumed(recall) or not recall.props or _shorthand(recall):
        return
    if recall.prop("INSTRUCTION") is None:
        repairs = add_property(agent, recall, 'INSTRUCTION: "…"', below=recall.prop("ACTION"))
        yield found(first_line(recall), *repairs, node=recall.path)


@rule("ABL370", "ignored-recall-key", "warning", "`{k}` is ignored by {action}", over=nodes.RecallInstruction)
def ignored_recall_key(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A recall instruction has a property that its action does not use.
    Why: The property has no effect; perhaps another action is meant.
    Bad:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: prompt_llm
              INSTRUCTION: "Greet by name."
              PATHS: [user.name]
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.name]
    """
    action = _action(recall)
    for key in _IGNORED.get(action, ()) if not _assumed(recall) else ():
        prop = recall.prop(key)
        if prop is not None:
            repairs = remove_property(agent, prop)
            if action == "prompt_llm" and recall.action is not None and recall.prop("INSTRUCTION") is None:
                better = "inject_context" if key == "PATHS" else "load_memory"
                change = fixes.replace(recall.action.inner, better, f"Change ACTION to {better}", preferred=False)
                repairs = (change, *repairs)
            yield found(prop.key_span, *repairs, node=recall.path, k=key, action=action)


@rule(
    "ABL371",
    "action-assumed",
    "warning",
    "ACTION omitted; `prompt_llm` assumed although PATHS is given",
    over=nodes.RecallInstruction,
)
def action_assumed(recall: nodes.RecallInstruction, agent: AgentIndex) -> Iterator[Found]:
    """
    What: PATHS is given but ACTION is not.
    Why: Without ACTION the model is prompted and no path is loaded.
    Bad:
        MEMORY:
          recall:
            - ON: session:start
              PATHS: [user.branch]
    Good:
        MEMORY:
          recall:
            - ON: session:start
              ACTION: inject_context
              PATHS: [user.branch]
    """
    if _assumed(recall):
        prop = recall.prop("PATHS")
        where = prop.key_span if prop is not None else first_line(recall)
        yield found(where, *add_property(agent, recall, "ACTION: inject_context"), node=recall.path)
