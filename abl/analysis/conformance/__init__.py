"""Keys, values and forms held against the declaration of the language (docs/spec 05 §1)."""
