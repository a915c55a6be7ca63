"""Memory banks: the text that each agent keeps for itself (docs/spec 11 §3)."""
