"""Shipped fakes: each passes the same suite as the real thing (tests/contracts)."""
