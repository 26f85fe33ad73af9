"""The load: requests over connections that stay open, in a process of its own, as little work for each as can be.

Closed loop: every connection sends its next request when the last was answered. Open loop: requests fall due at a
constant rate whatever the server does, and latency counts from the due time, so that a pause is not hidden.
`select` waits to the microsecond; an event loop's timers round to milliseconds.
"""

import socket
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path
from select import select
from typing import Any

from tests.bench.children import questions
from tests.bench.figures import quantile
from tests.bench.traffic import load, over_http

LONGEST = 60.0
_OK = b"HTTP/1.1 200"
_END = b"\r\n\r\n"


@dataclass(eq=False, slots=True)
class Connection:
    """One open connection, and the request that it waits for."""

    socket: socket.socket
    due: float = 0.0
    answer: bytearray = field(default_factory=bytearray)

    def fileno(self) -> int:
        return self.socket.fileno()

    def send(self, request: bytes, due: float) -> None:
        self.due = due
        self.answer.clear()
        self.socket.sendall(request)

    def received(self) -> bool:
        """Read what is there; whether the answer is whole now."""
        chunk = self.socket.recv(65536)
        if not chunk:
            raise RuntimeError("the server hung up")
        self.answer += chunk
        head, end, body = self.answer.partition(_END)
        return bool(end) and len(body) >= _length(head)


@dataclass(frozen=True, slots=True)
class Played:
    """What a pass came to; latencies in seconds."""

    seconds: float
    latencies: list[float]
    refused: int


def play(
    requests: list[bytes], port: int, *, connections: int, rate: float | None = None
) -> Played:
    """Send them all; `rate` a second in an open loop, or as fast as answers come in a closed one."""
    free = deque(Connection(_connected(port)) for _ in range(connections))
    busy: set[Connection] = set()
    latencies: list[float] = []
    refused = sent = 0
    clock = time.perf_counter
    began = clock()
    while len(latencies) < len(requests):
        now = clock()
        if now - began > LONGEST:
            raise TimeoutError(f"{len(latencies)} of {len(requests)} answered in {LONGEST} s")
        due = began + sent / rate if rate else now
        while sent < len(requests) and free and due <= now:
            taken = free.popleft()
            taken.send(requests[sent], due)
            busy.add(taken)
            sent += 1
            due = began + sent / rate if rate else now
        pause = max(0.0, due - clock()) if sent < len(requests) and free else 1.0
        for one in select(busy, [], [], pause)[0]:
            if one.received():
                latencies.append(clock() - one.due)
                refused += not one.answer.startswith(_OK)
                busy.remove(one)
                free.append(one)
    for one in free:
        one.socket.close()
    return Played(clock() - began, latencies, refused)


def _connected(port: int) -> socket.socket:
    opened = socket.create_connection(("127.0.0.1", port), timeout=5.0)
    opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return opened


def _length(head: bytes | bytearray) -> int:
    for line in bytes(head).lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


def _answered(asked: dict[str, Any]) -> dict[str, float]:
    requests = [over_http(one) for one in load(Path(asked["file"]))]
    played = play(requests, asked["port"], connections=asked["connections"], rate=asked.get("rate"))
    return {
        "per_second": len(requests) / played.seconds,
        "p50_ms": quantile(played.latencies, 0.50) * 1000,
        "p99_ms": quantile(played.latencies, 0.99) * 1000,
        "max_ms": max(played.latencies) * 1000,
        "refused": played.refused,
    }


if __name__ == "__main__":
    questions(_answered)
