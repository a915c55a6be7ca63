"""Facts and the memory systems inside a session (docs/spec 03, 11)."""
