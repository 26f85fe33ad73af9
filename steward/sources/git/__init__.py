"""A git repository as evidence: its commits, merges and tags are deliveries. Contract R10.

kind → source → repository (what is there), history (what was delivered) → command, the one module that runs git.
What git writes on stderr is classified and goes no further; no path leaves this package.
"""

from steward.sources.git.kind import GitKind

__all__ = ["GitKind"]
