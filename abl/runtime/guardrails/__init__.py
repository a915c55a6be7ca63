"""GUARDRAILS at work (docs/spec 09 §11)."""
