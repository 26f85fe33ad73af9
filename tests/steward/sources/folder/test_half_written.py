"""A file that is still being written is never taken for a whole one while that can be seen. R8, R10.

What can be seen: a cut within a line (the file is young and does not end), a file that got shorter while this
process watched, and every cut that is no YAML. A cut exactly at the end of a record, met by a process that never
saw the file before, is a sound and shorter file; no reader could tell.
"""

import os
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from steward.model.ids import SourceId
from steward.model.reading import ReadFailure, Snapshot, SourceCode, View
from steward.sources.folder.files import Contents, contents
from tests.steward.sources.folder.conftest import PAYMENTS, EvidenceFolder

VIEWS = (View.TODOS, View.DELIVERIES, View.HANDOFFS)
NEW = timedelta(seconds=1)
BLOCK = """\
goal:
  id: payments
  title: 支付网关
todos:
- id: todo_1
  title: Callback signature
  status: blocked
  due: 2026-12-05
- id: todo_2
  title: 回调重试
deliveries: []
handoffs: []
"""
MARKDOWN = "# 支付网关\n\n- [x] Callback signature\n- [ ] 回调重试\n"
TEXTS = [("payments.yaml", PAYMENTS), ("payments.yaml", BLOCK), ("payments.md", MARKDOWN)]


def is_whole(found: Snapshot | ReadFailure) -> bool:
    return isinstance(found, Snapshot) and found.complete


def cuts(text: str) -> Iterator[bytes]:
    """The text cut at every byte, the middle of a character included."""
    whole = text.encode()
    yield from (whole[:end] for end in range(len(whole)))


@pytest.mark.requirement("R8", "R10")
@pytest.mark.parametrize(("name", "text"), TEXTS)
async def test_a_young_file_cut_at_any_byte_is_not_whole_to_one_who_saw_it_before(
    folder: EvidenceFolder, name: str, text: str
) -> None:
    folder.write(name, text, NEW)
    async with folder.source() as source:
        view = View.PORTFOLIO if name.endswith(".md") else View.HANDOFFS
        assert is_whole(await folder.read(view, source=source))
        for cut in cuts(text):
            folder.write(name, cut, NEW)
            assert not is_whole(await folder.read(view, source=source)), cut


@pytest.mark.requirement("R8", "R10")
@pytest.mark.parametrize(("name", "text"), TEXTS)
async def test_a_young_file_cut_within_a_line_is_not_whole_to_anyone(
    folder: EvidenceFolder, name: str, text: str
) -> None:
    for cut in cuts(text):
        if not cut.endswith(b"\n"):
            folder.write(name, cut, NEW)
            assert not is_whole(await folder.read(View.TODOS)), cut


@pytest.mark.parametrize(("name", "text"), TEXTS)
async def test_an_old_file_cut_at_a_line_gives_a_gap_or_a_part_of_its_rows_and_no_others(
    folder: EvidenceFolder, name: str, text: str
) -> None:
    folder.write(name, text)
    whole = {view: (await folder.snapshot(view)).rows for view in VIEWS}
    lines = text.splitlines(keepends=True)
    for end in range(len(lines)):
        folder.write(name, "".join(lines[:end]))
        for view in VIEWS:
            found = await folder.read(view)
            if is_whole(found):
                assert isinstance(found, Snapshot)
                assert [row.id for row in found.rows] == [
                    row.id for row in whole[view][: len(found.rows)]
                ]


@pytest.mark.requirement("R10")
async def test_a_file_that_shrank_is_believed_once_it_is_ten_seconds_old(
    folder: EvidenceFolder,
) -> None:
    short = PAYMENTS[: PAYMENTS.index("  - {id: todo_2")] + "deliveries: []\nhandoffs: []\n"
    folder.write("payments.yaml", PAYMENTS)
    async with folder.source() as source:
        assert len((await folder.snapshot(source=source)).rows) == 2
        folder.write("payments.yaml", short, NEW)
        doubted = await folder.snapshot(source=source)
        again = await folder.snapshot(source=source)
        folder.touch("payments.yaml", timedelta(seconds=10))
        believed = await folder.snapshot(source=source)

    truncated = (ReadFailure(SourceCode.TRUNCATED, SourceId("plans"), doubted.gaps[0].goal),)
    assert (len(doubted.rows), doubted.gaps, again.gaps) == (1, truncated, truncated)
    assert (len(believed.rows), believed.complete) == (1, True)


async def test_a_young_file_that_grew_is_whole(folder: EvidenceFolder) -> None:
    folder.goal("a", "todos: []\n")
    async with folder.source() as source:
        await folder.read(source=source)
        folder.goal("a", "todos: [{title: One}]\n", NEW)

        assert (await folder.snapshot(source=source)).complete


async def test_an_old_file_needs_no_newline_at_its_end(folder: EvidenceFolder) -> None:
    folder.write("a.yaml", "goal: {id: a, title: A}\ntodos: []")

    assert (await folder.snapshot()).complete


@pytest.mark.requirement("R10")
async def test_a_file_that_is_finished_while_we_look_is_read_whole(folder: EvidenceFolder) -> None:
    folder.write("a.yaml", "goal: {id: a, title: A}\ntodos: [{title: One}]", NEW)

    def writer() -> None:
        folder.write("a.yaml", "goal: {id: a, title: A}\ntodos: [{title: One}]\n", NEW)

    async with folder.source(pause=writer) as source:
        found = await folder.snapshot(source=source)

    assert (len(found.rows), found.complete) == (1, True)


@pytest.mark.requirement("R10")
async def test_a_file_that_nobody_finishes_is_looked_at_a_few_times_and_no_more(
    folder: EvidenceFolder,
) -> None:
    folder.write("a.yaml", "goal: {id: a, title: A}\ntodos: [{title: One}]", NEW)
    looks: list[None] = []

    async with folder.source(pause=lambda: looks.append(None)) as source:
        found = await folder.snapshot(source=source)

    assert (len(looks), len(found.rows), found.complete) == (3, 1, False)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_a_file_that_does_not_hold_what_its_size_says_is_not_settled() -> None:
    process = os.path.realpath("/proc/self")  # its files are ordinary, of size 0, and not empty

    found = contents(process, "status")

    assert isinstance(found, Contents)
    assert (found.key.size, found.text[:5], found.settled) == (0, b"Name:", False)
