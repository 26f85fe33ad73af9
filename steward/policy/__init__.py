"""Decisions, pure: facts come in as values, a value with its reason goes out. No await, no clock, no I/O."""
