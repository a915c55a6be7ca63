"""What is read as it was meant, and told (docs/spec 01 §10, 05 §1)."""
