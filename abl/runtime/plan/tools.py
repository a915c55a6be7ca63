"""Blocks of a tool prepared for running: ``on_result`` / ``on_error`` and ``process`` (docs/spec 08 §5, §7)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abl.language import plain
from abl.language.written import unquoted
from abl.runtime.evaluation import Formula, condition
from abl.syntax import nodes, vocabulary
from abl.syntax.readers.actions import read_directives
from abl.syntax.readers.context import Context
from abl.syntax.readers.entries import condition_text, item_head
from abl.syntax.readers.flow_style import expanded, expanded_item

if TYPE_CHECKING:
    from abl.runtime.plan.agent_text import AgentText

PLACE = "action_handler"
"""Where the same directives are legal as in ``do``."""
ON_FAIL = re.compile(
    r"(block|reask|warn|fallback)\s*+\((.*)\)|(use_original)(?:\s*\(\s*\))?", re.DOTALL | re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Choice:
    """Branches of a ``do`` list, of which the first that holds runs; a condition None always holds."""

    branches: tuple[tuple[nodes.Text | None, tuple[nodes.Directive, ...]], ...]


Step = nodes.Directive | Choice


@dataclass(frozen=True, slots=True)
class OutcomePlan:
    """``set`` and ``do`` of on_result or on_error, in authored order; ``unknown`` are other keys."""

    steps: tuple[Step, ...]
    unknown: tuple[nodes.Block, ...]


def outcome_plan(program: AgentText, found: nodes.Property) -> OutcomePlan:
    """The plan of an on_result or on_error block."""
    ctx = Context(program.source, program.source.text, yaml=program.yaml)
    steps: list[Step] = []
    unknown: list[nodes.Block] = []
    for at, child in enumerate(expanded(ctx, line) for line in expanded(ctx, found.block).children):
        path = f"{program.name}.{found.key}[{at}]"
        match child.key.lower():
            case "set":
                steps += read_directives(ctx, [child], PLACE, path)
            case "do":
                steps += _steps(ctx, child.children, path)
            case _:
                unknown.append(child)
    return OutcomePlan(tuple(steps), tuple(unknown))


def _steps(ctx: Context, items: Iterable[nodes.Block], path: str) -> list[Step]:
    """Directives and, of branches that follow each other, one choice."""
    steps: list[Step] = []
    plain: list[nodes.Block] = []
    branches: list[tuple[nodes.Text | None, tuple[nodes.Directive, ...]]] = []

    def close() -> None:
        nonlocal plain, branches
        if branches:
            steps.append(Choice(tuple(branches)))
        if plain:
            steps.extend(read_directives(ctx, plain, PLACE, f"{path}.{len(steps)}"))
        plain, branches = [], []

    for item in (expanded_item(ctx, line) for line in items):
        key = item.key.upper() if item.colon else ""
        if key not in vocabulary.BRANCH_CONDITIONS and key != "ELSE":
            if branches:
                close()
            plain.append(item)
            continue
        if plain or (key != "ELSE" and branches and branches[-1][0] is None):
            close()
        branches.append(_branch(ctx, item, key, f"{path}.{len(steps)}.{len(branches)}"))
    close()
    return steps


def _branch(
    ctx: Context, item: nodes.Block, key: str, path: str
) -> tuple[nodes.Text | None, tuple[nodes.Directive, ...]]:
    if key == "ELSE":
        head, rest = item_head(item)
        return None, read_directives(ctx, (*head.children, *rest), PLACE, path)
    return condition_text(ctx, item.value), read_directives(ctx, item.children, PLACE, path)


# process ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OnFail:
    """What a failed transform does: block, reask, warn, use_original or fallback, with its text."""

    kind: str = "block"
    text: str = ""


@dataclass(frozen=True, slots=True)
class ProcessPlan:
    """One half of ``process``: ``computed`` are ``params`` (before) or ``result`` (after)."""

    stage: str  # before | after
    computed: tuple[tuple[str, Formula], ...] = ()
    required: tuple[Formula, ...] = ()
    on_fail: OnFail = OnFail()
    uses: str | None = None
    block: nodes.Block | None = None


def process_plan(program: AgentText, tool: nodes.Tool, stage: str) -> ProcessPlan | None:
    """``process.before`` or ``process.after`` of a tool, None without one."""
    ctx = Context(program.source, program.source.text, yaml=program.yaml)
    found = tool.prop("PROCESS")
    halves = expanded(ctx, found.block).children if found is not None else ()
    half = next((expanded(ctx, child) for child in halves if plain(child.key) == stage), None)
    if half is None:
        return None
    parts = {plain(child.key): child for child in half.children}
    computed = parts.get("params" if stage == "before" else "result")
    assigned = expanded(ctx, computed).children if computed is not None else ()
    formulas = [(child.key, program.assigned(child.value)) for child in assigned]
    on_fail = parts.get("onfail")
    uses = parts.get("use")
    return ProcessPlan(
        stage=stage,
        computed=tuple(formulas),
        required=tuple(_conditions(program, ctx, parts.get("require"))),
        on_fail=_on_fail(on_fail.value) if on_fail is not None and on_fail.value is not None else OnFail(),
        uses=uses.value.value.strip() if uses is not None and uses.value is not None else None,
        block=half,
    )


def _conditions(program: AgentText, ctx: Context, block: nodes.Block | None) -> list[Formula]:
    """One condition, or a list of them in brackets or with dashes."""
    if block is None:
        return []
    listed = expanded(ctx, block, names=True)
    texts = [child.value for child in listed.children] if listed.children else [listed.value]
    return [condition(program.written(text)) for text in texts if text is not None]


def _on_fail(text: nodes.Text) -> OnFail:
    """``block("m")`` and its like; any other text blocks with it."""
    written = text.value.strip()
    match = ON_FAIL.fullmatch(written)
    if match is None:
        return OnFail("block", written)
    return OnFail(match[3].lower()) if match[3] else OnFail(match[1].lower(), unquoted(match[2].strip()))
