"""A text that differs little from one already parsed, at the cost of what differs (docs/spec 01 §10)."""
