"""Reads every file of the folder into one state: sound goals, and a failure for each file that gave none.

Runs in the source's worker thread. Files are parsed again only where their key changed; a young file is read and
compared in any case, since a write within the clock's tick leaves its key as it was.
"""

import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

from steward.model.ids import GoalId, SourceId
from steward.model.reading import SourceCode
from steward.sources.folder.files import FileKey, Listing, contents, decoded, key_of, listing
from steward.sources.folder.memory import Memory, Parsed
from steward.sources.folder.parser import Parser
from steward.sources.folder.records import FileFailure, GoalFile, goal_file
from steward.sources.folder.yaml_text import MalformedError

YOUNG = timedelta(seconds=10)
"""A file younger than this may still be in the making (R10)."""

_RETRIES = 3
_RETRY_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Folder:
    """One consistent look at the folder. `failures` without a goal may concern any.

    `times` holds each sound goal's file time; `revision` changes with any file.
    """

    goals: Mapping[GoalId, GoalFile]
    times: Mapping[GoalId, datetime]
    failures: tuple[FileFailure, ...]
    omitted: int
    modified: datetime
    revision: str


class Loader:
    """Owns the memory. Not for two threads at once.

    `pause` is called between two looks at files that seem unfinished; left out, it waits a moment. `parsing` is what
    loaders share that may not all parse at once.
    """

    def __init__(
        self,
        path: str,
        source: SourceId,
        zone: tzinfo,
        pause: Callable[[], object] | None = None,
        parsing: AbstractContextManager[object] | None = None,
    ) -> None:
        self._path = path
        self._source = source
        self._zone = zone
        self._memory = Memory()
        self._closing = threading.Event()
        self._pause = pause or self._moment
        self._parsing = parsing or threading.Lock()
        self._parser = Parser()

    def stop(self) -> None:
        """Make a running load end soon; from any thread."""
        self._closing.set()
        self._parser.stop()

    def load(self, now: datetime) -> Folder | SourceCode:
        """Look at the folder once. A SourceCode: the folder itself cannot be listed."""
        try:
            return self._load(now)
        finally:
            self._parser.rest()

    def _load(self, now: datetime) -> Folder | SourceCode:
        found = listing(self._path)
        if not isinstance(found, Listing):
            return found
        outcomes = {name: self._file(found.root, name, now) for name in found.names}
        for _ in range(_RETRIES):
            unfinished = [name for name, outcome in outcomes.items() if _is_cut(outcome)]
            if not unfinished or self._closing.is_set():
                break
            self._pause()
            outcomes.update({name: self._file(found.root, name, now) for name in unfinished})
        self._memory.forget_files(found.names)
        return self._folder(found, outcomes)

    def _moment(self) -> None:
        self._closing.wait(_RETRY_SECONDS)

    def _file(self, root: str, name: str, now: datetime) -> Parsed | FileFailure:
        key = key_of(root, name)
        if not isinstance(key, FileKey):
            return self._failure(name, key)
        known = self._memory.parsed.get(name)
        if known is not None and known.key == key and now - key.modified >= YOUNG and not known.cut:
            return known
        return self._read(root, name, now, known)

    def _read(
        self, root: str, name: str, now: datetime, known: Parsed | None
    ) -> Parsed | FileFailure:
        found = contents(root, name)
        if isinstance(found, SourceCode):
            return self._failure(name, found)
        digest = hashlib.sha256(found.text).digest()
        if known is not None and known.digest == digest:
            outcome = known.outcome
        else:
            with self._parsing:
                outcome = self._parse(name, found.text)
        if isinstance(outcome, FileFailure) and outcome.goal is None:
            outcome = self._failure(name, outcome.code)
        shrank = found.key.size < self._memory.sizes.get(name, 0)
        unended = not found.text.endswith(b"\n")
        young = now - found.key.modified < YOUNG
        cut = not found.settled or (young and (shrank or unended))
        if not (young and shrank):
            self._memory.sizes[name] = found.key.size
        parsed = Parsed(found.key, digest, outcome, cut)
        self._memory.parsed[name] = parsed
        return parsed

    def _parse(self, name: str, text: bytes) -> GoalFile | FileFailure:
        words = decoded(text)
        if isinstance(words, SourceCode):
            return FileFailure(words)
        try:
            found = self._parser.parse(name, words)
        except MalformedError:
            return FileFailure(SourceCode.PARSE_FAILED)
        return goal_file(found, self._source, self._zone)

    def _failure(self, name: str, code: SourceCode) -> FileFailure:
        """A file that once held a goal still stands for it."""
        return FileFailure(code, self._memory.goal_of.get(name))

    def _folder(self, found: Listing, outcomes: Mapping[str, Parsed | FileFailure]) -> Folder:
        failures: list[FileFailure] = []
        claimed: defaultdict[GoalId, list[tuple[str, Parsed, GoalFile]]] = defaultdict(list)
        for name, outcome in outcomes.items():
            result = outcome.outcome if isinstance(outcome, Parsed) else outcome
            if isinstance(outcome, Parsed) and isinstance(result, GoalFile):
                claimed[result.goal.goal].append((name, outcome, result))
            elif isinstance(result, FileFailure):
                failures.append(result)
        goals: dict[GoalId, GoalFile] = {}
        times: dict[GoalId, datetime] = {}
        for goal, files in claimed.items():
            for name, parsed, _ in files:
                self._memory.learn(name, goal)
                if parsed.cut:
                    failures.append(FileFailure(SourceCode.TRUNCATED, goal))
            if len(files) > 1:
                failures.append(FileFailure(SourceCode.PARSE_FAILED, goal))
                continue
            goals[goal] = files[0][2]
            times[goal] = files[0][1].key.modified
        accounted = {*goals, *(failure.goal for failure in failures if failure.goal is not None)}
        failures += self._memory.gone(accounted)
        return Folder(
            goals, times, tuple(failures), found.omitted, found.modified, _revision(outcomes)
        )


def _is_cut(outcome: Parsed | FileFailure) -> bool:
    return isinstance(outcome, Parsed) and outcome.cut


def _revision(outcomes: Mapping[str, Parsed | FileFailure]) -> str:
    digest = hashlib.sha256()
    for name, outcome in outcomes.items():
        state = (
            f"{outcome.digest.hex()} {outcome.key.mtime_ns} {outcome.cut}"
            if isinstance(outcome, Parsed)
            else outcome.code.value
        )
        digest.update(f"{name}\n{state}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()
