"""Facts: reading and writing them, their expiry, their pages and API (docs/spec 03)."""
