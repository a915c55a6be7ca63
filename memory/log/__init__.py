"""The append-only, hash-chained log of changes that all memory systems share, and its verification."""
