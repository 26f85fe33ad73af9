"""LoopX as evidence: its command line's own audience-safe pages, read whole and believed only where they add up.

kind → source → reads (asking, listing, proof) → pages (judgement) → wire, rows (shapes). A carrier runs the command:
here, or over ssh (steward.sources.ssh). LoopX answers `ok` also where it could read nothing or only a part; what a
page does not prove becomes a gap with its reason.
"""

from steward.sources.loopx.kind import LoopxKind

__all__ = ["LoopxKind"]
