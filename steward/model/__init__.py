"""Nouns: frozen dataclasses, enums and ids. Standard library alone; nothing here waits or reads a clock."""
