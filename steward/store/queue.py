"""The queue in front of a store's threads: the group commit goes first, and starves nobody."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection


@dataclass(frozen=True, slots=True)
class Job:
    """One transaction to be run, and where its result goes."""

    work: Callable[[Connection], Any]
    done: Future[Any] = field(default_factory=Future)


class FairQueue:
    """Urgent jobs overtake ordinary ones, but never twice in a row while an ordinary one waits."""

    def __init__(self) -> None:
        self._urgent: deque[Job] = deque()
        self._ordinary: deque[Job] = deque()
        self._overtook = False
        self._closed = False
        self._changed = threading.Condition()

    def put(self, job: Job, *, first: bool) -> bool:
        """False where the queue is closed: the job will never run."""
        with self._changed:
            if self._closed:
                return False
            (self._urgent if first else self._ordinary).append(job)
            self._changed.notify()
            return True

    def take(self) -> Job | None:
        """The next job, waiting for one; None once the queue is closed and empty."""
        with self._changed:
            while not (self._urgent or self._ordinary or self._closed):
                self._changed.wait()
            if not (self._urgent or self._ordinary):
                return None
            return self._next()

    def close(self) -> None:
        """Take no more; what waits is still handed out."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _next(self) -> Job:
        if self._ordinary and (self._overtook or not self._urgent):
            self._overtook = False
            return self._ordinary.popleft()
        self._overtook = bool(self._ordinary)
        return self._urgent.popleft()
