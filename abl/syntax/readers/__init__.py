"""Blocks read as the sections of the language (docs/spec 03-09)."""
