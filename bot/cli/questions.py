"""`steward questions`: what is owed, open, or all there is; newest first. Contracts T7, A4.

What was asked is shown only with `--words`: whoever may run this may read the store's file, but a screen has more readers.
"""

from collections.abc import Sequence
from datetime import datetime, tzinfo
from pathlib import Path

from bot.cli.process import DONE, configured, out, print_json, run_loop
from bot.cli.stored import opened_store
from bot.parts import app_of
from steward.model.json import Json
from steward.model.owed import ListedQuestion, Listing
from steward.model.turn import Language
from steward.policy.command_answers import age
from steward.reading.text import clean
from steward.texts.command_answers import OTHER_REASON, OWED_REASONS, UNDELIVERED
from steward.world import SystemClock

WORDS_CHARS = 200


def run(which: Listing, most: int, config: Path | None, *, words: bool, as_json: bool) -> int:
    """Print the newest questions of this kind."""
    return run_loop(lambda: _questions(which, most, config, words=words, as_json=as_json))


async def _questions(
    which: Listing, most: int, config: Path | None, *, words: bool, as_json: bool
) -> int:
    settings = configured(config)
    async with opened_store(settings, write=False) as store:
        listed = await store.questions.listed(app_of(settings), which, most=most, words=words)
    now, zone = SystemClock().now(), settings.display.timezone
    if as_json:
        document = {"questions": [_document(one, zone) for one in listed]}
        print_json(document)
        return DONE
    for one in listed:
        out.print("  ".join(_cells(one, now)), markup=False)
        if one.words is not None:
            out.print(f"    {clean(one.words, WORDS_CHARS) or '(forgotten)'}", markup=False)
    if not listed:
        out.print("no such question", markup=False)
    return DONE


def _document(one: ListedQuestion, zone: tzinfo) -> dict[str, Json]:
    document: dict[str, Json] = {
        "id": one.id,
        "chat": one.conversation.chat_id,
        "thread": one.conversation.thread_id,
        "audience": one.audience.grant_key,
        "asker": one.asker,
        "asked_at": one.asked_at.astimezone(zone).isoformat(timespec="seconds"),
        "status": one.status.value,
        "attempt": one.attempt,
        "code": None if one.failure is None else one.failure.code.value,
        "undelivered": one.undelivered,
    }
    return document if one.words is None else {**document, "words": one.words}


def _cells(one: ListedQuestion, now: datetime) -> Sequence[str]:
    """Columns two spaces apart: wide enough for a terminal, plain enough for a pipe."""
    return (
        str(one.id),
        clean(one.conversation.chat_id),
        clean(one.asker),
        one.status.value,
        age(now - one.asked_at, Language.EN),
        _reason(one),
    )


def _reason(one: ListedQuestion) -> str:
    if one.undelivered:
        return UNDELIVERED.of(Language.EN)
    if one.failure is None:
        return "-"
    reason = OWED_REASONS.get(one.failure.code, OTHER_REASON).of(Language.EN)
    return f"{reason} ({one.failure.code.value})"
