"""Long texts are parsed by a child process: the same trees, the same refusals, and nothing is left behind."""

import logging
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from steward.model.reading import Snapshot
from steward.sources.folder import parser as module
from steward.sources.folder.parser import Parser, answer, parsed
from steward.sources.folder.yaml_text import MalformedError
from tests.steward.sources.folder.conftest import PAYMENTS, EvidenceFolder

MARKDOWN = "# Search\n\n- [ ] Index 索引\n- [x] Ranking\n"
TEXTS = {"payments.yaml": PAYMENTS, "search.md": MARKDOWN, "empty.yml": "", "\udcff.yaml": "a: 1\n"}
BROKEN = {"cut.yaml": "goal: {id: a", "alias.yaml": "a: &x 1\nb: *x\n", "front.md": "---\na: 1\n"}
HEAD = "goal: {id: long, title: Long}\ntodos:\n"
BODY = "".join(f"  - {{id: t{number}, title: Todo, status: open}}\n" for number in range(600))


@pytest.fixture
def apart() -> Iterator[Parser]:
    """One that parses nothing here."""
    parser = Parser(short_bytes=-1)
    yield parser
    parser.rest()


def children() -> set[str]:
    """The processes that this one has started and that are not gone."""
    task = f"/proc/{os.getpid()}/task"
    return {
        child
        for thread in os.listdir(task)
        for child in Path(f"{task}/{thread}/children").read_text(encoding="ascii").split()
    }


@pytest.mark.parametrize("name", TEXTS)
def test_a_child_reads_what_this_process_would_read(name: str, apart: Parser) -> None:
    assert apart.parse(name, TEXTS[name]) == parsed(name, TEXTS[name], lambda: False)


@pytest.mark.parametrize("name", BROKEN)
def test_a_child_refuses_what_this_process_would_refuse_and_goes_on(
    name: str, apart: Parser
) -> None:
    with pytest.raises(MalformedError):
        apart.parse(name, BROKEN[name])

    assert apart.parse("search.md", MARKDOWN) == parsed("search.md", MARKDOWN, lambda: False)


def test_no_text_can_be_taken_for_a_refusal() -> None:
    for text in ("null malformed", "null", "~", '"null malformed"'):
        assert answer(f"a.yaml\n{text}".encode()) != answer(b"a.yaml\n{")


async def test_a_look_at_long_files_leaves_no_process_behind(folder: EvidenceFolder) -> None:
    folder.write("long.yaml", HEAD + BODY)
    before = children()

    found = await folder.read()

    assert isinstance(found, Snapshot)
    assert len(found.rows) == 600
    assert children() == before


def test_a_lost_child_costs_no_evidence(apart: Parser, caplog: pytest.LogCaptureFixture) -> None:
    before = children()
    apart.parse("a.yaml", "a: 1\n")
    (child,) = children() - before
    os.kill(int(child), signal.SIGKILL)

    with caplog.at_level(logging.WARNING, module.__name__):
        assert apart.parse("payments.yaml", PAYMENTS) == parsed(
            "payments.yaml", PAYMENTS, lambda: False
        )

    assert caplog.messages == ["a process that parses evidence was lost; its file is parsed here"]


def test_a_stop_ends_a_parse_at_once(apart: Parser) -> None:
    apart.parse("a.yaml", "a: 1\n")
    outcome: list[type[BaseException]] = []

    def parse() -> None:
        try:
            apart.parse("long.yaml", HEAD + BODY * 50)
        except MalformedError as error:
            outcome.append(type(error))

    worker = threading.Thread(target=parse)
    worker.start()
    apart.stop()
    worker.join(5.0)

    assert not worker.is_alive()
    assert outcome == [MalformedError]


def test_a_parser_that_was_stopped_leaves_nothing_behind(apart: Parser) -> None:
    before = children()
    apart.stop()

    with pytest.raises(MalformedError):
        apart.parse("a.yaml", "a: 1\n")

    apart.rest()
    assert children() == before
