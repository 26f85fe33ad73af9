"""How an ssh command ended → the answer, or one of R13's five codes. Pure.

ssh itself ends with 255; every other return code is the remote command's, whose stderr may say anything and is not
looked at: a remote "Permission denied" about some file is no one's credential.
"""

from steward.model.reading import SourceCode
from steward.sources.process import Cut, CutReason, Finished

MAX_CHARACTERS = 100_000
MAX_BYTES = 4 * MAX_CHARACTERS

_OURS = 255
_NOT_FOUND = 127

_HOST_KEY = (
    "host key verification failed",
    "remote host identification has changed",
    "host key is known for",
)
_CREDENTIAL = ("permission denied (", "gssapi", "too many authentication failures")
_UNREACHABLE = (
    "timed out",
    "connection refused",
    "no route to host",
    "unreachable",
    "could not resolve hostname",
    "connection reset",
    "connection closed",
    "closed by remote host",
    "broken pipe",
)

_CUT = {
    CutReason.MISSING: SourceCode.TOOL_MISSING,
    CutReason.REFUSED: SourceCode.TOOL_MISSING,
    CutReason.TIMEOUT: SourceCode.SSH_HOST_UNREACHABLE,
    CutReason.TOO_LARGE: SourceCode.REMOTE_PROTOCOL_UNAVAILABLE,
}


def answer_of(outcome: Finished | Cut) -> bytes | SourceCode:
    """The remote command's output, as far as it may be believed to be an answer."""
    match outcome:
        case Cut(reason):
            return _CUT[reason]
        case Finished(returncode=0, stdout=stdout):
            long = len(stdout.decode(errors="replace")) > MAX_CHARACTERS
            return SourceCode.REMOTE_PROTOCOL_UNAVAILABLE if long else stdout
        case Finished(returncode=code, stderr=stderr):
            return _failure(code, stderr.decode(errors="replace").lower())


def _failure(returncode: int, said: str) -> SourceCode:
    if returncode == _NOT_FOUND:
        return SourceCode.REMOTE_CLI_MISSING
    if returncode != _OURS:
        return SourceCode.REMOTE_EVIDENCE_UNAVAILABLE
    if any(words in said for words in _HOST_KEY):
        return SourceCode.SSH_HOST_UNREACHABLE
    if any(words in said for words in _CREDENTIAL):
        return SourceCode.SSH_AUTH_REQUIRED
    if any(words in said for words in _UNREACHABLE):
        return SourceCode.SSH_HOST_UNREACHABLE
    return SourceCode.REMOTE_EVIDENCE_UNAVAILABLE
