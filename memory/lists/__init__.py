"""Lists of facts in pages, each within a bound of work (docs/decisions/0006)."""
