"""What can be said about conditions without running them (docs/spec 02 §11, 04 §8)."""
