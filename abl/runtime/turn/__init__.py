"""A turn from the message to the reply (docs/spec 09 §3)."""
