"""Runs LoopX's command line on this machine."""

from collections.abc import Mapping, Sequence

from steward.model.reading import SourceCode
from steward.sources.loopx.carrier import Faults
from steward.sources.loopx.commands import global_options
from steward.sources.process import Cut, CutReason, Finished, picked, run

TIMEOUT_SECONDS = 45.0
MAX_BYTES = 1_000_000

_INHERITED = ("PATH", "HOME", "TZ", "TMPDIR")
_SAID_NO = 1
"""LoopX's return code beside an answer that is a refusal."""
_USAGE = 2
"""Its argument parser's: this version does not know what we ask."""

_CUT = {
    CutReason.MISSING: SourceCode.TOOL_MISSING,
    CutReason.REFUSED: SourceCode.TOOL_MISSING,
    CutReason.TIMEOUT: SourceCode.TIMEOUT,
    CutReason.TOO_LARGE: SourceCode.TOO_LARGE,
}


class LocalCommand:
    """The carrier of `kind = "loopx"`. `program`: a name on the PATH of `env`, or a path."""

    def __init__(self, program: str, registry: str, env: Mapping[str, str]) -> None:
        self._argv = (program, *global_options(registry))
        self._env = child_environment(env)

    @property
    def faults(self) -> Faults:
        return Faults(
            silent=SourceCode.TIMEOUT,
            unintelligible=SourceCode.BAD_RESPONSE,
            refused=SourceCode.PROVIDER_ERROR,
            lasting=frozenset({SourceCode.TOOL_MISSING}),
        )

    async def ask(self, arguments: Sequence[str]) -> bytes | SourceCode:
        """The answer, or LoopX's refusal as it wrote it."""
        outcome = await run(
            [*self._argv, *arguments],
            env=self._env,
            deadline_seconds=TIMEOUT_SECONDS,
            max_bytes=MAX_BYTES,
        )
        match outcome:
            case Cut(reason):
                return _CUT[reason]
            case Finished(returncode=0, stdout=answer):
                return answer
            case Finished(returncode=code, stdout=answer) if code == _SAID_NO and answer.strip():
                return answer
            case Finished(returncode=code):
                return SourceCode.BAD_RESPONSE if code == _USAGE else SourceCode.PROVIDER_ERROR


def child_environment(env: Mapping[str, str]) -> dict[str, str]:
    """What a LoopX child gets: where things are, UTF-8, and no telemetry, which it would send by default."""
    return picked(env, _INHERITED, LC_ALL="C.UTF-8", PYTHONUTF8="1", LOOPX_USAGE_PING="0")
