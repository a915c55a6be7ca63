"""Test conversations: starting, showing, exporting and deleting them (docs/spec 12 §5)."""
