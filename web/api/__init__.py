"""What every part of the API shares: reading requests, pages of lists, its description (docs/spec 12 §5)."""
