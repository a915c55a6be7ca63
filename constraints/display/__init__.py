"""How a trace is shown: from event JSON (docs/spec 12 §4, 04 §10) to what a template prints. No database here."""
