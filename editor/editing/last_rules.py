"""What the last test conversation said of each rule of an open text, in words for the end of its line."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from django.urls import reverse

from abl.runtime.plan.program import programs_of
from editor.editing.language import is_code
from editor.models import Document
from editor.ports import RuleKey, RuleTally, ports
from editor.texts import readable

_STATES: Final = (
    ("failed", "failed", "failed"), ("error", "error", "with an error"), ("warned", "warned", "warned"),
    ("gated_when", "gated", "gated"), ("gated_checkpoint", "gated", "gated"), ("passed", "passed", "passed"),
    ("skipped_unset", "skipped", "skipped on unset"), ("inert", "skipped", "without effect"),
    ("not_reached", "not-reached", "not reached"),
)  # fmt: skip
"""Outcome (docs/spec 04 §10), its state in the design, its word; the first of these that a rule had gives its state."""


def rule_words(*, document: Document, text: str) -> list[dict[str, Any]]:
    """``{line, state, text, address}`` for each rule of an open text that the newest conversation judged.

    A rule is the same one while its phase, kind, condition, gate and checkpoint are: one that was changed since has
    no words. The line (1-based) is that on which the rule begins.
    """
    if not is_code(document):
        return []
    programs = list(programs_of(document.path, readable(text)))
    found = ports.last_rules(document.project_id, [program.name for program in programs])
    if found is None:
        return []
    words = []
    for record in [rule.record for program in programs for rule in program.rules]:
        texts = (record[f"{name}_text"] or "" for name in ("condition", "when", "before"))
        tally = found.tallies.get(RuleKey(record["agent"], record["phase"], record["kind"], *texts))
        if tally is not None:
            address = reverse("constraints:event", args=[document.project.slug, found.conversation, tally.seq])
            words.append({"line": record["range"]["start"]["line"], "address": address, **_worded(tally)})
    return words


def _worded(tally: RuleTally) -> dict[str, str]:
    counts: Counter[str] = Counter()
    states: dict[str, str] = {}
    for outcome, state, word in _STATES:
        if tally.outcomes[outcome]:
            counts[word] += tally.outcomes[outcome]
            states.setdefault(word, state)
    text = ", ".join(f"{count} {word}" for word, count in counts.items())
    return {"state": next(iter(states.values()), "skipped"), "text": text}
