"""An agent prepared for running: declarations resolved, expressions compiled once."""
