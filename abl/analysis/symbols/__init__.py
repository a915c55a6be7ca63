"""Names with their kinds and places: what hover, definition, references and rename are made of (docs/spec 12 §1)."""
