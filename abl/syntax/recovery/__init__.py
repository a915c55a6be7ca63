"""Recovery from slips: text is read as intended, and reported (docs/spec 01 §10, 05 §1)."""
