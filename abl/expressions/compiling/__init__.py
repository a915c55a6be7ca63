"""Expressions as generated Python code: the plain translations, and the one that records (docs/spec 02, 04 §10)."""
