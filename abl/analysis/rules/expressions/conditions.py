"""2xx that depend on where a condition stands (docs/spec 02 §1, 05 §3)."""

from __future__ import annotations

from collections.abc import Iterator

from abl.analysis import fixes
from abl.analysis.index.model import AgentIndex, ExpressionUse
from abl.analysis.registry import Found, found, rule
from abl.expressions import nodes as en

_CONSTRAINT_PLACES = frozenset({"REQUIRE", "LIMIT", "RESTRICT", "WARN"})
_FOLDED_ELSEWHERE = _CONSTRAINT_PLACES | {"GATE", "REMEMBER"}  # ABL434-436, ABL350
_CATCH_ALL = frozenset({"HANDOFF", "DELEGATE", "ROUTING", "PROFILE", "POLICY", "VARIANT", "SHOWN", "ROUTE"})


@rule("ABL224", "constant-condition", "warning", "Condition is always {value}", over=ExpressionUse, needs="condition")
def constant_condition(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A condition does not depend on anything.
    Why: It always, or never, holds; a name is probably missing.
    Bad:
        FLOW:
          steps: [look, pay]
          look:
            REASONING: false
            CHECK: 1 < 2
            ON_FAIL: pay
            THEN: COMPLETE
          pay:
            REASONING: false
            RESPOND: "Please pay your fines first."
            THEN: COMPLETE
    Good:
        FLOW:
          steps: [look, pay]
          look:
            REASONING: false
            CHECK: loans < 2
            ON_FAIL: pay
            THEN: COMPLETE
          pay:
            REASONING: false
            RESPOND: "Please pay your fines first."
            THEN: COMPLETE
    """
    node = use.reading.node
    if node is None or use.place in _FOLDED_ELSEWHERE:
        return
    catch_all = use.place in _CATCH_ALL and isinstance(node, en.Literal) and node.value is True
    value = None if catch_all else use.reading.constant
    if value is not None:
        yield found(use.whole, value=str(value.holds).lower())


@rule("ABL225", "quoted-condition", "warning", "Quoted text is always true", over=ExpressionUse, needs="condition")
def quoted_condition(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: A condition is a quoted text without any operator.
    Why: Such a text is never evaluated as an expression; it counts as true.
    Bad:
        CONSTRAINTS:
          - REQUIRE loans < 3
            WHEN: "is_member"
            ON_FAIL: "Too many loans."
    Good:
        CONSTRAINTS:
          - REQUIRE loans < 3
            WHEN: is_member
            ON_FAIL: "Too many loans."
    """
    node = use.reading.node
    quoted = isinstance(node, en.Literal) and node.form == "string"
    if use.routing or use.place == "COMPLETE" or not (use.reading.literal or quoted) or use.guards_reply:
        return
    value = use.reading.text.strip("\"' ") if quoted else use.reading.text.strip()
    simple = all(part.isidentifier() for part in value.split("."))
    yield found(use.text.span, *((fixes.replace(use.text.span, value, "Remove the quotes"),) if simple else ()))


@rule(
    "ABL226",
    "implies-outside-rule",
    "error",
    "`IMPLIES` is only allowed in constraint conditions",
    over=ExpressionUse,
    needs=en.Logical,
)
def implies_outside_rule(use: ExpressionUse, agent: AgentIndex) -> Iterator[Found]:
    """
    What: IMPLIES is used outside the condition of a constraint.
    Why: Only constraint conditions know it; `NOT (A) OR (B)` says the same everywhere.
    Bad:
        MEMORY:
          remember:
            - WHEN: is_member IMPLIES has_card
              STORE: card -> user.card
    Good:
        MEMORY:
          remember:
            - WHEN: NOT (is_member) OR (has_card)
              STORE: card -> user.card
    """
    if use.place in _CONSTRAINT_PLACES:
        return
    for node in use.reading.nodes:
        if isinstance(node, en.Logical) and node.op == "IMPLIES":
            left, right = (use.reading.text[o.start : o.end] for o in node.operands[:2])
            yield found(use.span_of(node), fixes.replace(use.span_of(node), f"NOT ({left}) OR ({right})"))
