"""Traces: storing their events, and how a page shows them (docs/spec 12 §4, 04 §10)."""
