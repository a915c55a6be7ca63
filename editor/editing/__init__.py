"""The editing page and what it asks while somebody types (docs/architecture.md §2, "Typing")."""
