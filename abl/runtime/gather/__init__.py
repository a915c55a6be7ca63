"""Collecting values: what a message fills, and whether it is right (docs/spec 07)."""
