"""Who has control, and what agents tell each other (docs/spec 09 §4-§7, §10, §12)."""
