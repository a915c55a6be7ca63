"""The graph of steps, and what holds on its ways (docs/spec 10 §1)."""
