"""GUARDRAILS at run time (docs/spec 09 §11)."""
