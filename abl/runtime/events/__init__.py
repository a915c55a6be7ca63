"""Trace events: their kinds, how they are recorded and read (docs/spec 12 §4)."""
