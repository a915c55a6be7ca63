"""What the built-in functions do (docs/spec 02 §8). Each family registers itself in ``table``."""

from . import data, format, guardrail, guardrail_templates, match, numbers, text

__all__ = ["data", "format", "guardrail", "guardrail_templates", "match", "numbers", "text"]
