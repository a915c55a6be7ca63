"""Names with their kinds and places, for hover, definition, references and rename (docs/spec 12 §1)."""
