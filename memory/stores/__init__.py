"""Memory stores: records that a JSON Schema checks, what a session carries, and its files (docs/spec 11 §2)."""
