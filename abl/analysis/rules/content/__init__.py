"""10xx about messages, profiles, understanding, guardrails and voice (docs/spec 09 §10-§15, 10 §6)."""

from abl.analysis.rules.content import (
    elements,
    formats,
    guardrail_checks,
    guardrails,
    message_templates,
    misfits,
    profile_edits,
    profiles,
    understanding,
    understanding_links,
    voices,
)

__all__ = [
    "elements",
    "formats",
    "guardrail_checks",
    "guardrails",
    "message_templates",
    "misfits",
    "profile_edits",
    "profiles",
    "understanding",
    "understanding_links",
    "voices",
]
