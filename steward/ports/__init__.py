"""Protocols alone, one file per neighbour. Their dataclasses, enums and codes live in model/.

Each has a shipped fake in `steward.testing` or a real implementation that runs here, and one suite in
tests/contracts that every implementation passes.
"""
