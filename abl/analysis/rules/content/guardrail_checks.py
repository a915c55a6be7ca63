"""10xx about the checks of GUARDRAILS: what they read, whether they can run here, when they fire (docs/spec 09 §11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from abl.analysis import fixes
from abl.analysis.conditions import methods
from abl.analysis.conditions.reading import Reading, read_value
from abl.analysis.index.model import AgentIndex
from abl.analysis.registry import Found, found, rule
from abl.analysis.rules.content.guardrails import BUILT_IN
from abl.diagnostics import Edit, Fix
from abl.expressions import nodes as en
from abl.expressions.builtins import BUILTINS, CEL_FUNCTIONS, GUARDRAIL_BUILTINS, OPERATOR_CALLS, find
from abl.expressions.polarity import fires_on
from abl.language import value_of_text
from abl.source import Span
from abl.syntax import nodes
from abl.syntax.nodes import Text
from abl.syntax.recovery.suggest import closest

_EMPTY_NAMES: Final = {"input": (("response", "output"), "input"), "output": (("input",), "response")}
_FUNCTIONS: Final = tuple(dict.fromkeys([*GUARDRAIL_BUILTINS, *BUILT_IN, *BUILTINS, *CEL_FUNCTIONS]))


def _check(guardrail: nodes.Guardrail) -> tuple[Text, Reading] | None:
    """The check of a guardrail. Its quotes are those of a property, not of a string."""
    text = guardrail.content.text_of("check")
    return (text, read_value(text.value)) if text is not None and text.value.strip() else None


def _place(text: Text, reading: Reading, start: int, end: int) -> Span:
    return text.span_of(start + reading.offset, end + reading.offset)


@rule("ABL1006", "empty-in-kind", "warning", "`{x}` is empty for kind {k}", over=nodes.Guardrail)
def empty_in_kind(guardrail: nodes.Guardrail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A check of messages reads the answer, or a check of answers the message.
    Why: That text is not there when the check runs, so the check does not say what it seems to.
    Bad:
        GUARDRAILS:
          no_links:
            kind: input
            check: abl.contains_url(response)
            action: block
    Good:
        GUARDRAILS:
          no_links:
            kind: input
            check: abl.contains_url(input)
            action: block
    """
    check, kind = _check(guardrail), value_of_text("guardrail", "kind", guardrail.content.text_of("kind"))
    if check is None or kind not in _EMPTY_NAMES:
        return
    names, other = _EMPTY_NAMES[kind]
    for name in check[1].names:
        if name.path in names:
            span = _place(*check, name.start, name.end)
            yield found(
                span, fixes.replace(span, other, f"Change to `{other}`"), node=guardrail.path, x=name.path, k=kind
            )


@rule(
    "ABL1007",
    "unrunnable-check",
    "warning",
    "`{fn}` has no definition; the check cannot run. Did you mean `{y}`?",
    over=nodes.Guardrail,
)
def unrunnable_check(guardrail: nodes.Guardrail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A check, or the expression that mends a text, calls a function that the language does not have, or cannot be
        read at all.
    Why: Such a check is left out when agents run here, so it guards nothing.
    Bad:
        GUARDRAILS:
          no_insults:
            kind: input
            check: toxicity_score(input) > 0.5
            action: block
    Good:
        GUARDRAILS:
          no_insults:
            kind: input
            check: abl.matches_pattern(input, "(?i)idiot")
            action: block
    """
    for key, what in (("check", "check"), ("fix_expression", "fix")):
        text = guardrail.content.text_of(key)
        if text is not None and text.value.strip():
            yield from _unrunnable(text, read_value(text.value), what, guardrail)


def _unrunnable(text: Text, reading: Reading, what: str, guardrail: nodes.Guardrail) -> Iterator[Found]:
    """What is wrong with one expression of a guardrail; ``what`` is the word for it."""
    if reading.error is not None:
        words = f"The {what} cannot be read and cannot run: {{reason}}"
        at = _place(text, reading, *reading.error_span)
        yield found(at, node=guardrail.path, reason=reading.error.message, wording=words)
    undefined = f"`{{fn}}` has no definition; the {what} cannot run. Did you mean `{{y}}`?"
    for node in reading.nodes:
        if isinstance(node, en.Method) and not methods.is_known(node):
            intended = methods.intended(node, reading)
            span = _place(text, reading, node.name_start, node.name_end)
            repairs = [_moved(fix, text, reading) for fix in intended.fixes]
            yield found(span, *repairs, node=guardrail.path, fn=f".{node.name}()", y=intended.y, wording=undefined)
        if isinstance(node, en.Call) and not _is_known(node):
            bare = node.prefixed and node.name in CEL_FUNCTIONS  # which are written without `abl.`
            span = _place(text, reading, node.start if bare else node.name_start, node.name_end)
            close = (node.name,) if bare else closest(node.name, _FUNCTIONS)
            yield found(
                span,
                *fixes.rename_fixes(span, close),
                node=guardrail.path,
                fn=f"abl.{node.name}" if bare else node.name,
                y=close[0] if close else "",
                wording=undefined,
            )


def _moved(fix: Fix, text: Text, reading: Reading) -> Fix:
    """A fix of an expression, in the document."""
    edits = tuple(Edit(_place(text, reading, edit.span.start, edit.span.end), edit.text) for edit in fix.edits)
    return Fix(fix.title, edits, fix.preferred)


def _is_known(call: en.Call) -> bool:
    if call.name in BUILT_IN or call.name in OPERATOR_CALLS:
        return True
    if call.name.islower() and find(call.name, True, guardrail=True) is not None:
        return True
    return find(call.name, call.prefixed, guardrail=True) is not None


@rule("ABL1008", "unclear-polarity", "hint", "Fires when the check is {verdict}; is that meant?", over=nodes.Guardrail)
def unclear_polarity(guardrail: nodes.Guardrail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: It does not show in a check whether it says what is wrong or what is right.
    Why: A check that is one call of `contains_…`, `matches_…` or `detect_…` fires when it is true, one that begins with
        `not_…` when it is false, and limits of a length fire when they are broken. Any other check fires when it is
        false.
    Bad:
        GUARDRAILS:
          no_personal_data:
            kind: input
            check: abl.contains_pii(input) OR abl.contains_url(input)
            action: block
    Good:
        GUARDRAILS:
          no_personal_data:
            kind: input
            check: abl.contains_pii(input)
            action: block
    """
    check = _check(guardrail)
    if check is None or check[1].node is None or fires_on(check[1].node) is not None:
        return
    text, reading = check
    span = _place(text, reading, 0, len(reading.text))
    is_constant = isinstance(_bare(check[1].node), en.Literal)  # of which neither way round says more
    repairs = (_clearer(check[1].node, text, span),) if text.inner == span and not is_constant else ()
    yield found(span, *repairs, node=guardrail.path, verdict="false")


def _bare(node: en.Node) -> en.Node:
    """What is negated."""
    return node.operand if isinstance(node, en.Unary) else node


def _clearer(node: en.Node, text: Text, span: Span) -> Fix:
    """The check without its negation, which keeps its meaning where that makes it clear; else the opposite."""
    if isinstance(node, en.Unary) and node.op in ("NOT", "!"):
        operand = text.raw[node.operand.start : node.operand.end]
        same = fires_on(node.operand) is True
        title = "Say it without the negation" if same else "Let it fire in the other case"
        return fixes.replace(span, operand, title, preferred=same)
    return fixes.replace(span, f"NOT ({text.raw})", "Let it fire in the other case", preferred=False)


def fires_when(guardrail: nodes.Guardrail) -> bool | None:
    """The verdict of its check on which a guardrail fires (09 §11); None without a check that can be read."""
    check = _check(guardrail)
    return bool(fires_on(check[1].node)) if check is not None and check[1].node is not None else None


@rule("ABL1009", "guardrail-not-local", "info", "Not executed locally: {tier}", over=nodes.Guardrail)
def guardrail_not_local(guardrail: nodes.Guardrail, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A guardrail is judged by a service or by a model.
    Why: Runs here let the text pass, or ask the tester; the trace says so.
    Bad:
        GUARDRAILS:
          polite:
            kind: output
            llm_check: "Is the answer polite?"
            action: warn
    Good:
        GUARDRAILS:
          short:
            kind: output
            check: abl.word_count(response) > 200
            action: warn
    """
    for key, tier in (("provider", "a provider's verdict"), ("llm_check", "a model's verdict")):
        member = guardrail.content.get(key)
        if member is not None:
            yield found(member.key_span, node=guardrail.path, tier=tier)
