"""Memory blocks: one text for each user, or user and agent, written by compare-and-set (docs/spec 11 §1)."""
