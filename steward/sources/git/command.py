"""Runs git on one repository: nothing of the machine's or the user's configuration, no network, no hook, no prompt.

Above: repository and history. Below: the runner of child processes. Every way to fail is a code here; git's own words
are looked at for that, under the C locale, and dropped.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from steward.model.reading import SourceCode
from steward.sources.process import Cut, CutReason, Finished, picked, run

logger = logging.getLogger(__name__)

MAX_BYTES = 32 * 1024 * 1024
"""20,000 commits are about 4 MiB; what is beyond this is no list of commits any more."""

_SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "protocol.allow=never",
    "log.showSignature=false",
    "safe.bareRepository=all",
)

_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}

_SIGNS: tuple[tuple[bytes, SourceCode], ...] = (
    (b"dubious ownership", SourceCode.OWNERSHIP_REFUSED),
    (b"unsafe repository", SourceCode.OWNERSHIP_REFUSED),
    (b"Permission denied", SourceCode.FORBIDDEN),
    (b"not a git repository", SourceCode.NOT_FOUND_OR_NO_ACCESS),
    (b"cannot change to", SourceCode.NOT_FOUND_OR_NO_ACCESS),
    (b"unrecognized argument", SourceCode.TOOL_MISSING),
    (b"unknown option", SourceCode.TOOL_MISSING),
    (b"corrupt", SourceCode.CORRUPT),
    (b"inflate", SourceCode.CORRUPT),
    (b"unable to unpack", SourceCode.CORRUPT),
    (b"bad object", SourceCode.CORRUPT),
    (b"missing object", SourceCode.CORRUPT),
    (b"unable to read", SourceCode.CORRUPT),
    (b"ould not read", SourceCode.CORRUPT),
    (b"ailed to traverse", SourceCode.CORRUPT),
    (b"unable to parse", SourceCode.CORRUPT),
    (b"ould not parse", SourceCode.CORRUPT),
    (b"bad config", SourceCode.CORRUPT),
    (b"broken", SourceCode.CORRUPT),
)
"""What git says → what it means; the first that is found decides."""

_CUT = {
    CutReason.MISSING: SourceCode.TOOL_MISSING,
    CutReason.REFUSED: SourceCode.PROVIDER_ERROR,
    CutReason.TIMEOUT: SourceCode.TIMEOUT,
    CutReason.TOO_LARGE: SourceCode.TOO_LARGE,
}

_BROKEN_REF = b"ignoring broken ref"


@dataclass(frozen=True, slots=True)
class Output:
    """What git wrote. `broken`: it passed over a branch or tag whose file is damaged."""

    text: bytes
    broken: bool = False

    @property
    def lines(self) -> list[bytes]:
        """Its lines, the last one ended by a line break as well."""
        return self.text.split(b"\n")[:-1]


class Git:
    """git, bound to one place. `trusted`: that exact place may belong to another user."""

    def __init__(self, path: str, env: Mapping[str, str], *, trusted: bool) -> None:
        settings = (*_SETTINGS, f"safe.directory={path}") if trusted else _SETTINGS
        options = [option for setting in settings for option in ("-c", setting)]
        self._prefix = ("git", "-C", path, "--no-pager", *options)
        self._env = picked(env, ("PATH",), **_ENVIRONMENT)

    async def __call__(
        self, *arguments: str, seconds: float, stdin: bytes | None = None
    ) -> Output | SourceCode:
        """The output of one git command, or why there is none."""
        found = await self._run(arguments, seconds, stdin)
        if isinstance(found, Cut):
            return _CUT[found.reason]
        if found.returncode:
            return _code(found)
        return Output(found.stdout, _BROKEN_REF in found.stderr)

    async def resolved(self, name: str, *, seconds: float) -> bytes | SourceCode:
        """The object that a branch, tag or commit name stands for."""
        asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        found = await self._run(asked, seconds)
        if isinstance(found, Cut):
            return _CUT[found.reason]
        if found.returncode == 0:
            return found.stdout.strip()
        return _code(found) if found.stderr else SourceCode.REF_NOT_FOUND

    async def _run(
        self, arguments: Sequence[str], seconds: float, stdin: bytes | None = None
    ) -> Finished | Cut:
        return await run(
            [*self._prefix, *arguments],
            env=self._env,
            deadline_seconds=seconds,
            max_bytes=MAX_BYTES,
            stdin=stdin,
        )


def _code(found: Finished) -> SourceCode:
    code = next((code for sign, code in _SIGNS if sign in found.stderr), SourceCode.PROVIDER_ERROR)
    if code is SourceCode.PROVIDER_ERROR:
        logger.warning("git ended with %d for a reason that is not known here", found.returncode)
    return code
