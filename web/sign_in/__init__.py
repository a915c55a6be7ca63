"""Signing in: forms, counts of wrong passwords, hashing."""
