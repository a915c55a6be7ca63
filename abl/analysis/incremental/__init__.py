"""Incremental analysis: after an edit only what changed is checked again."""
