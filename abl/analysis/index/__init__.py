"""What the documents of a project declare, and what agents know of each other (docs/spec 02 §7, 05, 10)."""
