"""Calling a tool: arguments, consent, execution, what it leaves behind (docs/spec 08)."""
