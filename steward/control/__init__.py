"""Verbs: the few async functions that act, over ports alone."""
