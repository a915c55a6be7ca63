"""How sensitive values are shown outside of a session (docs/spec 03 §3, 07 §10, 12 §4)."""
