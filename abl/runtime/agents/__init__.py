"""Who has control, and what agents pass to each other (docs/spec 09 §4-§7, §10, §12)."""
