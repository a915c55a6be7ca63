"""Completion: what can be written at a place (docs/spec 12 §1)."""
