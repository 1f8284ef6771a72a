"""Accepted states: their file format, where they lie, and what changed since. Pure but for the store."""
