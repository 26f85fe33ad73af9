"""How often the answer rules are wrong on sentences that they were not written with: good ones lost, bad ones shown.

Three lists, each tried once before any rule was changed for it. So tried, the rules lost 3 of 45 good sentences and
showed 1 of 72 bad ones of the first; 3 of 24 and 12 of 40 of the second, of idioms ("dead in the water", 颗粒无收). What
these two taught was built in. Of the third the rules lost none of 24 and showed 3 of 40; it stays as it was tried.
"""

from collections.abc import Sequence

import pytest

from steward.model.reading import ScanQuery, View
from steward.model.turn import Language
from tests.steward.policy import heldout
from tests.steward.policy.heldout import Sentence
from tests.steward.policy.readings import (
    GITLAB,
    PAYMENTS,
    PLANS,
    TIMED_OUT,
    WEEK_AGO,
    cite,
    fact,
    held,
    read,
    settled,
    texts,
)

EN, ZH = Language.EN, Language.ZH


def both(en: Sequence[Sentence], zh: Sequence[Sentence]) -> list[tuple[Language, Sentence]]:
    return [*((EN, sentence) for sentence in en), *((ZH, sentence) for sentence in zh)]


LEARNT_GOOD = both(
    [*heldout.GOOD_EN, *heldout.LATER_GOOD_EN], [*heldout.GOOD_ZH, *heldout.LATER_GOOD_ZH]
)
LEARNT_BAD = both(
    [*heldout.BAD_EN, *heldout.LATER_BAD_EN], [*heldout.BAD_ZH, *heldout.LATER_BAD_ZH]
)
UNSEEN_GOOD = both(heldout.LAST_GOOD_EN, heldout.LAST_GOOD_ZH)
UNSEEN_BAD = both(heldout.LAST_BAD_EN, heldout.LAST_BAD_ZH)


async def kept(sentences: Sequence[tuple[Language, Sentence]]) -> list[str]:
    """The sentences that reach a reader in their own words."""
    found = []
    for language in Language:
        evidence = await read(
            {PLANS: held(*heldout.rows(chinese=language is ZH)), GITLAB: TIMED_OUT},
            ScanQuery(View.TODOS, goal=PAYMENTS),
            ScanQuery(View.DELIVERIES, goal=PAYMENTS, since=WEEK_AGO),
            ScanQuery(View.HANDOFFS, goal=PAYMENTS),
        )
        for sentence in (one for spoken, one in sentences if spoken is language):
            claim = fact(sentence.text, *cite(evidence, *sentence.cites))
            if sentence.text in texts(settled(evidence, claim, language=language)):
                found.append(sentence.text)
    return found


@pytest.mark.requirement("E3", "E4", "E5", "E7", "E8")
@pytest.mark.parametrize(
    ("sentences", "most"), [(LEARNT_GOOD, 0.03), (UNSEEN_GOOD, 0.05)], ids=["learnt", "unseen"]
)
async def test_few_good_sentences_are_lost(
    sentences: list[tuple[Language, Sentence]], most: float
) -> None:
    lost = {sentence.text for _, sentence in sentences} - set(await kept(sentences))

    assert len(lost) / len(sentences) <= most, sorted(lost)


@pytest.mark.requirement("E3", "E4", "E5", "E7", "E8")
@pytest.mark.parametrize(
    ("sentences", "most"), [(LEARNT_BAD, 0.0), (UNSEEN_BAD, 0.08)], ids=["learnt", "unseen"]
)
async def test_hardly_any_bad_sentence_is_shown(
    sentences: list[tuple[Language, Sentence]], most: float
) -> None:
    shown = await kept(sentences)

    assert len(shown) / len(sentences) <= most, shown
