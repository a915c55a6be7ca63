"""Judging rules and checks, and what follows a failed one (docs/spec 04)."""
