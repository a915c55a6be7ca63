"""Directive lists: what steps, branches, handlers, hooks and ON_START do (docs/spec 06 §3, §5-§7).

A list is read in two passes: ``abl.syntax.readers.directive_groups`` puts the lines that belong to a directive with it,
and each directive is then read by its reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from abl.source import Span
from abl.syntax import vocabulary
from abl.syntax.lines.texts import first_word, rest_behind
from abl.syntax.nodes import (
    ActionHandlers,
    Argument,
    Block,
    Branch,
    Call,
    Check,
    Directive,
    IntentHandlers,
    Name,
    OnInput,
    Outcome,
    Respond,
    Setting,
    Text,
    Transition,
)
from abl.syntax.readers.calls import call_header
from abl.syntax.readers.constraints import read_step_rules
from abl.syntax.readers.context import Context
from abl.syntax.readers.directive_groups import grouped
from abl.syntax.readers.directive_lines import flat, keyed, properties_of
from abl.syntax.readers.entries import (
    condition_text,
    entries_of,
    flag,
    item_head,
    name_from,
)
from abl.syntax.readers.flow_style import expanded, expanded_item
from abl.syntax.readers.gather import read_gather
from abl.syntax.readers.handlers import read_action_handlers, read_intents
from abl.syntax.readers.on_fail import read_on_fail, reason_of
from abl.syntax.readers.state import read_arguments, read_clear, read_log, read_set, read_transform
from abl.syntax.recovery import findings
from abl.syntax.recovery.colons import mended
from abl.syntax.recovery.else_if import as_if
from abl.syntax.recovery.suggest import closest

_TEMPLATE = re.compile(r"TEMPLATE\(\s*+([^()\s]*+)\s*+\)")
_CALL_PARTS: Final = vocabulary.CALL_PARTS | {"ON_FAIL"}
_NOTHING: Final = frozenset({"", "null", "~"})
"""How YAML writes a key without a value, as in ``{ELSE: null, THEN: step}``."""
_BRANCH_STARTS: Final = vocabulary.BRANCH_CONDITIONS | {"ELSE"}


def read_directives(ctx: Context, blocks: Iterable[Block], place: str, path: str) -> tuple[Directive, ...]:
    """Directives in authored order. ``place`` names the legal keys (``vocabulary.KEYS_BY_PLACE``).

    Unknown keys of a step stay as ``Setting``, because a rule with its own code judges them (ABL620); elsewhere they
    are reported (ABL106).
    """
    found: list[Directive] = []
    counts: dict[str, int] = {}
    for group in grouped(ctx, flat(blocks), place):
        key = group.key
        number = counts.get(key, 0)
        counts[key] = number + 1
        at = f"{path}.{key}[{number}]" if number else f"{path}.{key}"
        reader = _READERS.get(key, _read_setting) if key != "WHEN" or place != "step" else _read_setting
        found.append(reader(ctx, group.block, group.parts, key, at))
    return tuple(found)


def _with_keys(ctx: Context, blocks: Iterable[Block], legal: vocabulary.Words, owner: str) -> tuple[Block, ...]:
    """What belongs to a directive, each with its key; a line without one is reported."""
    found: list[Block] = []
    for written in blocks:
        block = keyed(ctx, written, legal)
        if block.colon:
            found.append(block)
        else:
            ctx.skip(block, f"This is no part of {owner}", "")
    return tuple(found)


# One reader for each directive ----------------------------------------------------------------------------------

Parts = Sequence[Block]


def _read_setting(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    if block.children:
        block = mended(ctx, block)
    return Setting(span=block.span, path=path, block=block, keyword=key, key_span=block.key_span, value=block.value)


def _read_step_constraints(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    return Setting(
        span=block.span,
        path=path,
        block=block,
        keyword=key,
        key_span=block.key_span,
        value=block.value,
        rules=read_step_rules(ctx, block, path),
    )


def _read_respond(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    text = block.value
    below = _with_keys(ctx, (*block.children, *parts), vocabulary.RESPOND_KEYS, key)
    template: Name | None = None
    if text is not None and text.style == "bare" and text.raw.startswith("TEMPLATE("):
        match = _TEMPLATE.fullmatch(ctx.text, *text.span)
        if match is not None:
            template = Name(match[1], Span(match.start(1), match.end(1)))
        elif ")" not in text.raw:
            bracket = text.span.start + len("TEMPLATE")
            place = Span(bracket, bracket + 1)
            ctx.report(findings.unclosed_bracket(place, "(", ctx.line_of(bracket), text.span.end, ")"))
    return Respond(
        span=_span(block, parts),
        path=path,
        block=block,
        props=properties_of(below),
        keyword=key,
        key_span=block.key_span,
        text=text,
        template=template,
    )


def _read_state_set(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    return read_set(ctx, block, key, path)


def _read_state_clear(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    return read_clear(ctx, block, key, path)


def _read_state_transform(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    return read_transform(ctx, block, key, path, parts)


def _read_state_log(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    return read_log(ctx, block, key, path)


def _read_step_gather(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    return read_gather(ctx, block, key, path, parts=parts)


def _read_check(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    below = [child for child in (*block.children, *parts) if child.key.upper() == "ON_FAIL"]
    on_fail = read_on_fail(ctx, below[-1], f"{path}.ON_FAIL", read_branches) if below else None
    return Check(
        span=_span(block, parts),
        path=path,
        block=block,
        props=properties_of(below),
        keyword=key,
        key_span=block.key_span,
        condition=condition_text(ctx, block.value),
        on_fail=on_fail,
    )


def _read_outcome(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    on_fail = read_on_fail(ctx, block, path, read_branches) if key == "ON_FAIL" else None
    branches = read_branches(ctx, block, path) if key != "ON_FAIL" else ()
    return Outcome(
        span=block.span,
        path=path,
        block=block,
        keyword=key,
        key_span=block.key_span,
        branches=branches,
        on_fail=on_fail,
    )


def _read_when(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    """WHEN as a setting, or with nested lines the branch of a hook (09 §9)."""
    if not block.children:
        return _read_setting(ctx, block, parts, key, path)
    actions = read_directives(ctx, block.children, "hook", path)
    branch = Branch(span=block.span, path=path, block=block, condition=block.value, is_else=False, actions=actions)
    return Outcome(span=block.span, path=path, block=block, keyword=key, key_span=block.key_span, branches=(branch,))


def _read_on_input(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    return OnInput(
        span=block.span,
        path=path,
        block=block,
        keyword=key,
        key_span=block.key_span,
        branches=read_branches(ctx, block, path),
    )


def _read_transition(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    return _transition(ctx, block, key, path, value=block.value, below=(*block.children, *parts))


def _read_ending(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    """``HANDOFF: Agent``, ``COMPLETE: true`` or ``ESCALATE: reason`` as an action of a handler."""
    if key == "COMPLETE" and flag(block.value) is False:
        return _read_setting(ctx, block, parts, key, path)
    name = Name(key, block.key_span)
    agent = name_from(block.value) if key == "HANDOFF" else None
    reason = block.value if key == "ESCALATE" else None
    return Transition(
        span=block.span,
        path=path,
        block=block,
        keyword=key,
        key_span=block.key_span,
        target=name,
        reason=reason,
        agent=agent,
    )


def _transition(
    ctx: Context, block: Block, key: str, path: str, *, value: Text | None, below: Iterable[Block] = ()
) -> Transition:
    target = agent = reason = None
    if value is not None:
        target = Name(value.value, value.inner) if value.style != "bare" else first_word(value)
        rest = rest_behind(ctx.text, value, target) if value.style == "bare" else None
        if rest is not None and target.value.upper() == "HANDOFF":
            agent = first_word(rest) if rest.style == "bare" else name_from(rest)
        elif rest is not None and target.value.upper() == "ESCALATE":
            reason = reason_of(ctx, value, rest)
        elif rest is not None:
            target = Name(value.value, value.inner)
    for child in below:
        if child.key.upper() == "REASON":
            reason = child.value
    return Transition(
        span=block.span,
        path=path,
        block=block,
        keyword=key,
        key_span=block.key_span,
        target=target,
        reason=reason,
        agent=agent,
    )


def _span(block: Block, parts: Parts) -> Span:
    return Span(block.span.start, max(block.span.end, parts[-1].span.end)) if parts else block.span


# CALL -----------------------------------------------------------------------------------------------------------


def _read_call(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    tool, arguments, as_, inline_with = call_header(ctx, block.value, path) if block.value else (None, (), None, ())
    below = _with_keys(ctx, (*block.children, *parts), _CALL_PARTS, "CALL")
    with_: list[Argument] = list(inline_with)
    branches: dict[str, tuple[Branch, ...]] = {}
    on_fail = None
    for child in below:
        part = vocabulary.canonical_key(child.key)
        if part == "WITH":
            with_.extend(read_arguments(ctx, child, f"{path}.WITH"))
        elif part == "AS":
            as_ = name_from(child.value) or as_
        elif part in vocabulary.RESULT_BLOCKS:
            branches[part] = branches.get(part, ()) + read_branches(ctx, child, f"{path}.{part}")
        elif part == "ON_FAIL":
            on_fail = read_on_fail(ctx, child, f"{path}.ON_FAIL", read_branches)
    return Call(
        span=_span(block, parts),
        path=path,
        block=block,
        props=properties_of(below),
        keyword=key,
        key_span=block.key_span,
        tool=tool,
        arguments=arguments,
        with_=tuple(with_),
        as_=as_,
        on_success=branches.get("ON_SUCCESS", ()),
        on_failure=branches.get("ON_FAILURE", ()),
        on_result=branches.get("ON_RESULT", ()),
        on_fail=on_fail,
    )


# Branches -------------------------------------------------------------------------------------------------------


def read_branches(ctx: Context, block: Block, path: str) -> tuple[Branch, ...]:
    """A branch list, a block that is one unconditional branch, or ``THEN step`` / ``step`` on one line."""
    block = expanded(ctx, block)
    if block.value is not None:
        return (_shorthand(ctx, block, block.value, path),)
    children = block.children
    if not children:
        return ()
    if children[0].item or any(child.key.upper() in _BRANCH_STARTS for child in children):
        entries = entries_of(ctx, block, _BRANCH_STARTS, vocabulary.KEYS_BY_PLACE["branch"])
        return tuple(_read_branch(ctx, expanded_item(ctx, entry), f"{path}[{i}]") for i, entry in enumerate(entries))
    actions = read_directives(ctx, children, "branch", path)
    return (Branch(span=block.span, path=path, block=block, condition=None, is_else=False, actions=actions),)


def _shorthand(ctx: Context, block: Block, value: Text, path: str) -> Branch:
    word = first_word(value)
    rest = rest_behind(ctx.text, value, word) if word.value.rstrip(":") in ("THEN", "GOTO") else value
    then = _transition(ctx, block, "THEN", f"{path}.THEN", value=rest, below=block.children)
    return Branch(span=block.span, path=path, block=block, condition=None, is_else=False, actions=(then,))


def _read_branch(ctx: Context, item: Block, path: str) -> Branch:
    item = keyed(ctx, as_if(ctx, item), _BRANCH_STARTS)
    condition: Text | None = None
    key = item.key.upper() if item.colon else ""
    if key == "ELSE":
        head, rest = item_head(item)
        actions = (*head.children, *rest)
        if item.value is not None and item.value.value.strip() not in _NOTHING:
            then = _transition(ctx, item, "THEN", f"{path}.THEN", value=item.value)
            more = read_directives(ctx, actions, "branch", path)
            return Branch(span=item.span, path=path, block=item, condition=None, is_else=True, actions=(*more, then))
    elif key in vocabulary.BRANCH_CONDITIONS:
        condition = condition_text(ctx, item.value)
        actions = item.children
        if condition is None:
            ctx.report(findings.empty_block(ctx.source, item.key_span, item.key))
    else:
        actions = (item,) if item.colon or item.value is not None else item.children
    is_else = key not in vocabulary.BRANCH_CONDITIONS and not _is_misspelt_condition(key)
    return Branch(
        span=item.span,
        path=path,
        block=item,
        condition=condition,
        is_else=is_else,
        actions=read_directives(ctx, actions, "branch", path),
    )


def _is_misspelt_condition(key: str) -> bool:
    """True for ``- IFX: a == 1``, which is reported as an unknown key (ABL106) and is no ELSE."""
    return key not in vocabulary.KEYS_BY_PLACE["branch"] and bool(closest(key, vocabulary.BRANCH_CONDITIONS))


# Handlers, whose directives are read here --------------------------------------------------------------------------


def _read_intent_list(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    place = "sub_intent" if key == "SUB_INTENTS" else "digression"
    return IntentHandlers(
        span=block.span,
        path=path,
        block=block,
        keyword=key,
        key_span=block.key_span,
        handlers=read_intents(ctx, block, place, path, read_directives),
    )


def _read_on_action(ctx: Context, block: Block, parts: Parts, key: str, path: str) -> Directive:
    return ActionHandlers(
        span=block.span,
        path=path,
        block=block,
        keyword=key,
        key_span=block.key_span,
        handlers=read_action_handlers(ctx, block, path, read_directives),
    )


_Reader = Callable[[Context, Block, Parts, str, str], Directive]

_READERS: Final[dict[str, _Reader]] = {
    **dict.fromkeys(("RESPOND", "PRESENT"), _read_respond),
    **dict.fromkeys((*vocabulary.RESULT_BLOCKS, "ON_FAIL", "BRANCHES"), _read_outcome),
    **dict.fromkeys(vocabulary.TRANSITIONS, _read_transition),
    **dict.fromkeys(("HANDOFF", "COMPLETE", "ESCALATE"), _read_ending),
    **dict.fromkeys(("SUB_INTENTS", "DIGRESSIONS"), _read_intent_list),
    "STEP_CONSTRAINTS": _read_step_constraints,
    "WHEN": _read_when,
    "SET": _read_state_set,
    "CLEAR": _read_state_clear,
    "TRANSFORM": _read_state_transform,
    "LOG": _read_state_log,
    "GATHER": _read_step_gather,
    "CALL": _read_call,
    "CHECK": _read_check,
    "ON_INPUT": _read_on_input,
    "ON_ACTION": _read_on_action,
}
