"""The trace record of a condition (docs/spec 04 §10), shared by constraints, CHECK and remember triggers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abl.runtime.constraints.date_comparisons import undated
from abl.runtime.evaluation import Formula, Outcome
from abl.runtime.events.recorder import note
from abl.runtime.privacy.masking import HIDDEN_ERROR

if TYPE_CHECKING:
    from abl.runtime.engine import Engine
    from abl.runtime.state import Thread


def judged(engine: Engine, thread: Thread, formula: Formula, *, recorded: bool = False) -> Outcome:
    """Evaluate and explain a condition in one go; a ``match`` is kept, sensitive values in the tree are masked.

    Raises BudgetExceeded and records it in the trace. With ``recorded`` that is an error of the outcome instead: the
    caller records it and calls ``engine.budget.require()`` next, because the turn is over (docs/spec 02 §8).
    """
    context = engine.context(thread)
    outcome = formula.explain(context, engine.now(), engine.random)
    if outcome.exceeded is not None:
        if not recorded:
            raise engine.ran_out(outcome.exceeded, formula.text)
        engine.budget_reported = True
        engine.budget.refill()  # to record it, with the message of the rule that fails by it
    engine.recorder.expect(formula.weight)
    outcome.notes += undated(context, formula, outcome)
    if outcome.match is not None:
        engine.keep_match(thread, outcome.match, formula.names)
    if engine.derives(thread, formula.names):
        outcome.tree = masked_tree(outcome.tree) if outcome.tree is not None else None
        if outcome.exceeded is None and outcome.error:
            outcome.error = HIDDEN_ERROR
        outcome.notes = [{"rule": note.get("rule")} for note in outcome.notes]
    return outcome


def masked_tree(tree: dict[str, Any]) -> dict[str, Any]:
    """The tree with every value hidden but literals and truth values."""
    shown = dict(tree)
    if tree.get("error"):
        shown["error"] = HIDDEN_ERROR
    if tree.get("kind") != "literal" and not isinstance(tree.get("value"), bool | None):
        shown["value"] = "[REDACTED]"
    if tree.get("children"):
        shown["children"] = [masked_tree(child) for child in tree["children"]]
    if tree.get("coercions"):
        shown["coercions"] = [{**c, "from": "[REDACTED]", "to": "[REDACTED]"} for c in tree["coercions"]]
    return shown


def condition_record(
    engine: Engine, thread: Thread, formula: Formula, outcome: Outcome, *, source: str
) -> dict[str, Any]:
    """The parts of a record that every condition has."""
    refs = engine.refs(thread, formula.names)
    record: dict[str, Any] = {
        "source": source,
        "agent": thread.agent,
        "condition_text": formula.text,
        "outcome": "error" if outcome.error else ("passed" if outcome.holds else "failed"),
        "tree": outcome.tree,
        "refs": refs,
        "unset_refs": [r["path"] for r in refs if not r["set"]],
        "diagnostics": outcome.notes,
    }
    if outcome.error:
        record["error"] = outcome.error
        if outcome.exceeded is not None:
            record["exceeded"] = outcome.exceeded.as_json()
            record["notes"] = [note("RUN016", "budget-exceeded", f"{formula.text}: {outcome.error}", "error")]
            return record
        record["notes"] = [note("RUN006", f"{source}.error", f"{formula.text}: {outcome.error}; treated as false")]
    return record
