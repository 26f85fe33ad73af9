"""Notes: an endpoint names a code, and code says the words; a name in them is the question's own or a row's."""

from dataclasses import replace

import pytest

from steward.endpoints.reporter.intents import Intent
from steward.model.answer import Answer, Claim, ClaimKind, Judged, Note, NoteCode
from steward.model.ids import SourceId
from steward.model.reading import ScanQuery, View
from steward.model.topic import Topic, TopicPart
from steward.model.turn import Language
from steward.policy.answer_rules import settle
from steward.reading.coverage import footer
from steward.texts.intents import LABELS
from steward.texts.notes import NOTES
from tests.steward.policy.readings import (
    GITLAB,
    NOW,
    PAYMENTS,
    PLANS,
    TIMED_OUT,
    ZONE,
    Evidence,
    goal,
    held,
    local,
    read,
    texts,
    todo,
)

TODOS = ScanQuery(View.TODOS)


def noting(
    evidence: Evidence,
    note: Note,
    *,
    question: str = "",
    topic: Topic | None = None,
    language: Language = Language.EN,
) -> Answer:
    claim = Claim("ignore me", (), ClaimKind.NOTE, note=note)
    return settle(
        Judged("overview", (claim,), topic=topic),
        language=language,
        scope=evidence.scope,
        titles=evidence.titles,
        readings=evidence.readings,
        coverage=footer(evidence.scope, evidence.titles, evidence.readings, None),
        zone=ZONE,
        now=NOW,
        question=question,
    )


@pytest.mark.parametrize("code", NOTES)
async def test_a_notes_words_are_the_catalogues(code: NoteCode) -> None:
    evidence = await read({PLANS: held(goal(), todo("sign"))}, TODOS)

    answer = noting(evidence, Note(code, name="Wei"))

    assert texts(answer) == [NOTES[code].en.replace("{name}", "Wei")]
    assert answer.dropped == 0


@pytest.mark.requirement("E5")
@pytest.mark.parametrize("name", [None, "all is done, see https://evil.example", "Mallory"])
async def test_a_name_that_neither_question_nor_rows_have_is_not_shown(name: str | None) -> None:
    evidence = await read({PLANS: held(goal(), todo("sign"))}, TODOS)

    answer = noting(evidence, Note(NoteCode.UNRECORDED, name=name), question="What about Bob?")

    assert (texts(answer), answer.dropped) == ([], 1)


@pytest.mark.parametrize("name", ["Bob", "bob", "Wei", "Payment gateway"])
async def test_a_name_of_the_question_or_of_a_row_is_shown(name: str) -> None:
    evidence = await read({PLANS: held(goal(), todo("sign"))}, TODOS)

    answer = noting(evidence, Note(NoteCode.UNRECORDED, name=name), question="What about Bob?")

    assert texts(answer) == [f"Nothing that was read mentions “{name}”, so its state is not known."]


TOPIC = Topic("blocked", (PAYMENTS,), "Wei", local(23, 0), local(30, 0))


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        (tuple(TopicPart), "blocked, Payment gateway, Wei, 2026-11-23 to 2026-11-29"),
        ((TopicPart.INTENT,), "blocked"),
        ((TopicPart.WINDOW, TopicPart.GOALS), "Payment gateway, 2026-11-23 to 2026-11-29"),
    ],
)
async def test_what_is_taken_over_is_said_from_the_topic(
    parts: tuple[TopicPart, ...], said: str
) -> None:
    evidence = await read({PLANS: held(goal(), todo("sign"))}, TODOS)

    answer = noting(evidence, Note(NoteCode.TAKEN_OVER, parts=parts), topic=TOPIC)

    assert texts(answer) == [f"Taken over from before: {said}"]


async def test_of_a_topic_only_what_is_known_here_is_named() -> None:
    evidence = await read({PLANS: held(goal(), todo("sign"))}, TODOS)
    topic = replace(TOPIC, intent="secret plan", person="Mallory", since=None, until=None)

    answer = noting(evidence, Note(NoteCode.TAKEN_OVER, parts=tuple(TopicPart)), topic=topic)

    assert texts(answer) == ["Taken over from before: Payment gateway"]


@pytest.mark.parametrize(
    ("topic", "said"),
    [
        (TOPIC, ["Days: 2026-11-23 to 2026-11-29 (Asia/Shanghai)"]),
        (replace(TOPIC, until=None), ["Days: from 2026-11-23 (Asia/Shanghai)"]),
        (replace(TOPIC, since=None), ["Days: before 2026-11-30 (Asia/Shanghai)"]),
        (replace(TOPIC, since=None, until=None), []),
        (None, []),
    ],
)
async def test_days_are_said_with_their_zone(topic: Topic | None, said: list[str]) -> None:
    evidence = await read({PLANS: held(goal())})

    assert texts(noting(evidence, Note(NoteCode.WINDOW), topic=topic)) == said


@pytest.mark.parametrize(
    ("note", "said"),
    [
        (Note(NoteCode.SOURCES), ["这里的来源有 2 个，现在读得到 1 个"]),
        (
            Note(NoteCode.SOURCE, source=PLANS),
            ["Plans：读得到，数据截至 2026-11-30 12:00"],
        ),
        (Note(NoteCode.SOURCE, source=GITLAB), ["没有读到或没有读全：GitLab（读取超时）"]),
        (Note(NoteCode.SOURCE, source=SourceId("other")), []),
        (Note(NoteCode.SOURCE), []),
    ],
)
async def test_the_state_of_sources_is_codes_to_say(note: Note, said: list[str]) -> None:
    evidence = await read({PLANS: held(goal()), GITLAB: TIMED_OUT})

    assert texts(noting(evidence, note, language=Language.ZH)) == said


def test_every_intent_has_its_name() -> None:
    assert set(LABELS) == {intent.value for intent in Intent}


def test_every_note_has_its_words() -> None:
    put_together = {NoteCode.TAKEN_OVER, NoteCode.WINDOW, NoteCode.SOURCES, NoteCode.SOURCE}

    assert set(NOTES) | put_together == set(NoteCode)
    assert not set(NOTES) & put_together
