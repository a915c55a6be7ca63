"""Erasing everything about one user of a project, with a receipt (docs/spec 03, 11)."""
