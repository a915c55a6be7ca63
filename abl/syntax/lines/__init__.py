"""Lines of text brought into a tree of blocks (docs/spec 01 §2, §5, §10)."""
