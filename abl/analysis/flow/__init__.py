"""The graph of steps, and what is certain on its paths (docs/spec 10 §1)."""
