"""Numbered migrations, forward only, the same on both stores. The newest one is what schema.py says."""

REVISIONS = ("0001", "0002")
"""Every revision, oldest first. A store at any other is of a newer program (D5)."""

HEAD = REVISIONS[-1]
