"""The only module of this package that touches the disk. What cannot be read is a code, never an exception.

A name is opened where it really lies: a link that leaves the folder is refused, and so is whatever is no
ordinary file, before a byte of it is read.
"""

import os
import stat
from dataclasses import dataclass
from datetime import UTC, datetime

from steward.model.reading import SourceCode

SUFFIXES = (".yaml", ".yml", ".md")
MAX_FILES = 500
MAX_BYTES = 2 * 1024 * 1024

_NOT_EVIDENCE = frozenset({"readme.md"})
"""It explains the folder to people; its checkboxes are examples."""

_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FileKey:
    """Equal keys, equal bytes, unless the file was written within its clock's last tick.

    `ctime_ns` betrays a writer that sets the old time again, as copying programs do.
    """

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int

    @property
    def modified(self) -> datetime:
        return datetime.fromtimestamp(self.mtime_ns / 1e9, UTC)


@dataclass(frozen=True, slots=True)
class Listing:
    """The evidence files of a folder by name, sorted, and how many were too many. `root` is its real place."""

    root: str
    names: tuple[str, ...]
    omitted: int
    modified: datetime


@dataclass(frozen=True, slots=True)
class Contents:
    """A file's bytes. `settled` False: it changed while it was being read."""

    key: FileKey
    text: bytes
    settled: bool


def listing(path: str) -> Listing | SourceCode:
    """What there is to read, or why the folder itself cannot be listed."""
    try:
        root = os.path.realpath(path, strict=True)
        modified = datetime.fromtimestamp(os.stat(root).st_mtime, UTC)
        names = sorted(name for name in os.listdir(root) if _is_evidence(name))
    except OSError as error:
        return _code(error)
    return Listing(root, tuple(names[:MAX_FILES]), len(names[MAX_FILES:]), modified)


def key_of(root: str, name: str) -> FileKey | SourceCode:
    """The file's key, without opening it."""
    try:
        place = _place(root, name)
        return _key(os.stat(place)) if place else SourceCode.FORBIDDEN
    except OSError as error:
        return _code(error)


def contents(root: str, name: str) -> Contents | SourceCode:
    """All bytes of one file, at most MAX_BYTES of them."""
    try:
        place = _place(root, name)
        if place is None:
            return SourceCode.FORBIDDEN
        descriptor = os.open(place, _FLAGS)
        try:
            return _read(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        return _code(error)


def decoded(text: bytes) -> str | SourceCode:
    """The bytes as UTF-8; a NUL is a sign of a disk or an encoding gone wrong."""
    if b"\0" in text:
        return SourceCode.CORRUPT
    try:
        return text.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        return SourceCode.CORRUPT


def _read(descriptor: int) -> Contents | SourceCode:
    before = os.fstat(descriptor)
    if not stat.S_ISREG(before.st_mode):
        return SourceCode.FORBIDDEN
    if before.st_size > MAX_BYTES:
        return SourceCode.TOO_LARGE
    pieces: list[bytes] = []
    size = 0
    while size <= MAX_BYTES and (piece := os.read(descriptor, MAX_BYTES + 1 - size)):
        pieces.append(piece)
        size += len(piece)
    after = _key(os.fstat(descriptor))
    return Contents(after, b"".join(pieces), settled=after == _key(before) and after.size == size)


def _is_evidence(name: str) -> bool:
    lowered = name.lower()
    return lowered.endswith(SUFFIXES) and not name.startswith(".") and lowered not in _NOT_EVIDENCE


def _place(root: str, name: str) -> str | None:
    """Where the name really leads; None where that is outside of the folder."""
    place = os.path.realpath(os.path.join(root, name))
    return place if os.path.commonpath([root, place]) == root else None


def _key(found: os.stat_result) -> FileKey:
    return FileKey(found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def _code(error: OSError) -> SourceCode:
    """Anything that is neither missing nor refused (an I/O error, a stale mount) is as good as not there."""
    if isinstance(error, PermissionError):
        return SourceCode.FORBIDDEN
    return SourceCode.NOT_FOUND_OR_NO_ACCESS
