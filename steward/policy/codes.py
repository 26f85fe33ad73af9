"""E8, W2: no code, path or secret of a machine's in a claim. What a code means is the failure table's to say."""

import re
from collections.abc import Iterable, Set
from enum import StrEnum

from steward.model.ids import CitationId
from steward.model.reading import ContextCode, GateCode, RowStatus, SourceCode
from steward.model.turn import TurnCode
from steward.policy.basis import Basis
from steward.policy.drafts import Draft, Dropped, DropReason
from steward.policy.quotes import folded, rows_of, without_rows, words_of

_ENUMS: tuple[type[StrEnum], ...] = (GateCode, SourceCode, ContextCode, TurnCode)
_CODES = frozenset(code.value for codes in _ENUMS for code in codes)
_JOINED = frozenset(code.replace("_", "") for code in _CODES if "_" in code)
"""A code of several words keeps its meaning in camel case."""

_WORDS = "|".join(sorted(code for code in _CODES - set(RowStatus) if "_" not in code))
"""Codes that are words too: only where they are used as codes, and never where a row may have that status."""

_MACHINE = re.compile(
    r"""
      \b[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)+\b          # snake_case
    | (?<![\w./])(?:/[\w.-]+){2,} | (?<!\w)~/\w | \b[A-Za-z]:\\\w     # a path
    | \b[0-9a-f]{32,}\b | \b(?:sk|xox[abp]|gh[pousr]|glpat)[-_]\w{8,}
    | \bTraceback\b | \bErrno\b | \b[A-Z]\w+(?:Error|Exception)\b | \b0x[0-9a-fA-F]{4,}\b
    """,
    re.VERBOSE | re.ASCII,
)
_JOINT = re.compile(r"\b[A-Za-z]{8,60}\b", re.ASCII)
_AS_CODE = re.compile(
    rf"\b(?:code|error|errno|status|reason)\W{{0,4}}({_WORDS})\b|(?:代码|错误码?|状态码|报错)\W{{0,4}}({_WORDS})\b"
    rf"|[(`\[]\s*({_WORDS})\s*[)`\]]|[\u4e00-\u9fff]\s*:?\s*({_WORDS})(?=\s*(?:[\u4e00-\u9fff。,)]|$))",
    re.IGNORECASE | re.ASCII,
)


def codes(draft: Draft, basis: Basis, _shown: Set[CitationId]) -> Draft | Dropped:
    """E8: a claim that shows a code is left out; an identifier that stands in a cited row may stand in the claim."""
    if not draft.worded:
        return draft
    text = folded(without_rows(draft, basis))
    own = folded(" ".join(words_of(rows_of(draft, basis), basis))).casefold()
    if any(found.casefold() not in own for found in _found(text)):
        return Dropped(DropReason.CODE)
    return draft


def _found(text: str) -> Iterable[str]:
    for match in _MACHINE.finditer(text):
        yield match[0]
    for match in _AS_CODE.finditer(text):
        yield from filter(None, match.groups())
    for match in _JOINT.finditer(text):
        if match[0].casefold() in _JOINED:
            yield match[0]
