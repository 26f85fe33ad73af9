"""A claim on its way through the answer rules, and how it can end there. Contract E."""

from collections.abc import Callable, Set
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from steward.model.answer import Claim, ClaimKind
from steward.model.ids import CitationId
from steward.model.reading import SourceCoverage
from steward.policy.basis import Basis


class DropReason(StrEnum):
    """Why a claim does not reach its reader. Readers are told how many, never which."""

    BLANK = "blank"
    TOO_LONG = "too_long"
    UNKNOWN_NAME = "unknown_name"
    UNKNOWN_CITATION = "unknown_citation"
    UNCITED = "uncited"
    CONTRADICTED = "contradicted"
    COUNT_DIFFERS = "count_differs"
    NOT_COMPUTABLE = "not_computable"
    NO_SCOPE = "no_scope"
    MARKUP = "markup"
    CODE = "code"
    NAME_DIFFERS = "name_differs"


@dataclass(frozen=True, slots=True)
class Dropped:
    """The claim is left out."""

    reason: DropReason


@dataclass(frozen=True, slots=True)
class Doubt:
    """An absence that is not established: of what, and which sources would have to be read for it.

    `whose` names the goal, or all of them; without it `what` says itself what it is about.
    """

    whose: str | None
    what: str
    gaps: tuple[SourceCoverage, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """An accepted claim so far. `doubt` stands in place of its text where there is one.

    `written`: the text is code's own by now, and no rule about an endpoint's wording applies to it.
    """

    claim: Claim
    text: str
    cites: tuple[CitationId, ...]
    doubt: Doubt | None = None
    written: bool = False

    @property
    def worded(self) -> bool:
        """Whether the text is an endpoint's own; that of an absence is never shown."""
        return not self.written and self.claim.kind in _WORDED


_WORDED = frozenset({ClaimKind.FACT, ClaimKind.COUNT, ClaimKind.ADVICE})


Rule: TypeAlias = Callable[[Draft, Basis, Set[CitationId]], Draft | Dropped]
"""Judges one claim against what was read; the last argument holds the citations that earlier claims show."""
