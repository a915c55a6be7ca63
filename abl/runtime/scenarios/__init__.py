"""Scenario files: read, played and compared (docs/spec 12 §3)."""
