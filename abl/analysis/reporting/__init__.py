"""From findings to what people see: words, order, suppression, formats (docs/spec 05 §1, 12 §2)."""
