"""What tools return, where it is kept and which of its fields are read (docs/spec 06 §5.8, 08 §1, §7)."""
