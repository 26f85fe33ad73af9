"""The one table of what each code means: who raises it, who can fix it, whether a retry helps (R4, R5).

`error`, `next_action`, chat labels and coverage lines all derive from a code's one row. A code without a row
raises KeyError; tests walk the source and compare, both ways.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

from steward.model.json import Json
from steward.model.reading import ContextCode, GateCode, ReadCode, ReadFailure, SourceCode, View
from steward.model.turn import Language
from steward.texts.answers import LISTED, VIEWS
from steward.texts.catalogue import FailureText
from steward.texts.failures import (
    ANY_LIST,
    EFFECT_KEPT,
    EFFECT_PART,
    EFFECT_SOURCE,
    FAILURES,
    OF_GOAL,
    OF_LIST,
)

FAILURE_SCHEMA = "manager_read_failure_v0"

OUTDATED_NOT_ABSENT = "remote_goals_may_be_outdated_not_absent"
"""R13's word for rows that an earlier read gave."""


class Repairer(StrEnum):
    """Who can put it right. ASKER includes the model that calls on the asker's behalf."""

    ASKER = "asker"
    OWNER = "owner"
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class Meaning:
    """One row. `raised_by`: the modules here that raise the code. `partial`: always speaks of a part of a source."""

    raised_by: tuple[str, ...]
    repairer: Repairer
    retry: bool
    partial: bool = False


_GATE = "steward.control.gate"
_COLLECT = "steward.control.collect"
_KEPT = "steward.control.kept"
_REGISTRY = "steward.control.registry"
_SCOPES = "steward.control.scopes"
_ATTEMPTS = "steward.reading.attempts"
_FILES = "steward.sources.folder.files"
_LOADER = "steward.sources.folder.loader"
_MEMORY = "steward.sources.folder.memory"
_RECORDS = "steward.sources.folder.records"
_SNAPSHOT = "steward.sources.folder.snapshot"
_FOLDER = "steward.sources.folder.source"
_GIT_COMMAND = "steward.sources.git.command"
_GIT_HISTORY = "steward.sources.git.history"
_GIT_REPOSITORY = "steward.sources.git.repository"
_GIT = "steward.sources.git.source"
_LOOPX_ASKING = "steward.sources.loopx.asking"
_LOOPX_COMMAND = "steward.sources.loopx.command"
_LOOPX_LISTING = "steward.sources.loopx.listing"
_LOOPX_PROOF = "steward.sources.loopx.proof"
_LOOPX_READING = "steward.sources.loopx.reading"
_LOOPX = "steward.sources.loopx.source"
_SSH_COMMAND = "steward.sources.ssh.command"
_SSH_OUTCOME = "steward.sources.ssh.outcome"

MEANINGS: Mapping[ReadCode, Meaning] = {
    GateCode.UNSUPPORTED_READ_TOOL: Meaning((_GATE,), Repairer.ASKER, retry=False),
    GateCode.INVALID_ARGUMENTS: Meaning((_GATE,), Repairer.ASKER, retry=True),
    GateCode.SOURCE_OUTSIDE_AVAILABLE_SCOPE: Meaning((_GATE,), Repairer.OWNER, retry=False),
    GateCode.GOAL_OUTSIDE_AVAILABLE_SCOPE: Meaning((_GATE,), Repairer.OWNER, retry=False),
    GateCode.INVALID_REMOTE_READ: Meaning((_GATE,), Repairer.ASKER, retry=False),
    GateCode.GOAL_INVENTORY_UNAVAILABLE: Meaning((_GATE,), Repairer.OWNER, retry=True),
    GateCode.HANDOFF_QUERY_UNAVAILABLE_OR_INVALID: Meaning((_GATE,), Repairer.ASKER, retry=True),
    GateCode.REMOTE_SCOPE_MISMATCH: Meaning(
        (_COLLECT, _LOOPX_READING), Repairer.OPERATOR, retry=False
    ),
    GateCode.STALE_SNAPSHOT: Meaning((_GATE,), Repairer.ASKER, retry=True),
    GateCode.AUTHORIZATION_CHANGED: Meaning((_GATE,), Repairer.ASKER, retry=True),
    GateCode.READ_TOOL_UNAVAILABLE: Meaning(
        (_GATE, _COLLECT, _KEPT), Repairer.OPERATOR, retry=True
    ),
    SourceCode.NOT_FOUND_OR_NO_ACCESS: Meaning(
        (_FILES, _MEMORY, _LOOPX_READING, _LOOPX_PROOF, _LOOPX, _GIT_COMMAND, _GIT_REPOSITORY),
        Repairer.OWNER,
        retry=False,
    ),
    SourceCode.REF_NOT_FOUND: Meaning((_GIT_COMMAND, _GIT_REPOSITORY), Repairer.OWNER, retry=False),
    SourceCode.OWNERSHIP_REFUSED: Meaning((_GIT_COMMAND,), Repairer.OPERATOR, retry=False),
    SourceCode.FORBIDDEN: Meaning((_FILES, _GIT_COMMAND), Repairer.OWNER, retry=False),
    SourceCode.TIMEOUT: Meaning(
        (_COLLECT, _FOLDER, _LOOPX_ASKING, _LOOPX_COMMAND, _LOOPX, _GIT_COMMAND, _GIT),
        Repairer.OPERATOR,
        retry=True,
    ),
    SourceCode.BAD_RESPONSE: Meaning((_LOOPX_COMMAND,), Repairer.OPERATOR, retry=False),
    SourceCode.CORRUPT: Meaning(
        (_FILES, _LOOPX_PROOF, _GIT_COMMAND, _GIT_HISTORY, _GIT_REPOSITORY),
        Repairer.OWNER,
        retry=False,
    ),
    SourceCode.PARSE_FAILED: Meaning(
        (_LOADER, _RECORDS, _SNAPSHOT, _LOOPX_LISTING, _LOOPX_PROOF, _GIT_HISTORY),
        Repairer.OWNER,
        retry=False,
    ),
    SourceCode.TOO_LARGE: Meaning(
        (_FILES, _LOOPX_LISTING, _LOOPX_COMMAND, _GIT_COMMAND), Repairer.OWNER, retry=False
    ),
    SourceCode.TRUNCATED: Meaning(
        (_ATTEMPTS, _LOADER, _SNAPSHOT, _LOOPX_LISTING, _LOOPX_PROOF, _LOOPX_READING, _GIT_HISTORY),
        Repairer.ASKER,
        retry=True,
        partial=True,
    ),
    SourceCode.CONTRACT_CHANGED: Meaning(
        (_SNAPSHOT, _LOOPX_LISTING), Repairer.OWNER, retry=False, partial=True
    ),
    SourceCode.NOT_CONFIGURED: Meaning(
        (_REGISTRY, _SNAPSHOT, _FOLDER, _LOOPX_LISTING, _LOOPX_PROOF, _GIT),
        Repairer.OWNER,
        retry=False,
    ),
    SourceCode.TOOL_MISSING: Meaning(
        (_LOOPX_COMMAND, _SSH_OUTCOME, _GIT_COMMAND), Repairer.OPERATOR, retry=False
    ),
    SourceCode.PROVIDER_ERROR: Meaning(
        (_LOOPX_COMMAND, _GIT_COMMAND, _GIT_HISTORY, _GIT_REPOSITORY), Repairer.OPERATOR, retry=True
    ),
    SourceCode.SSH_AUTH_REQUIRED: Meaning((_SSH_OUTCOME,), Repairer.OPERATOR, retry=False),
    SourceCode.SSH_HOST_UNREACHABLE: Meaning(
        (_SSH_COMMAND, _SSH_OUTCOME), Repairer.OPERATOR, retry=True
    ),
    SourceCode.REMOTE_CLI_MISSING: Meaning((_SSH_OUTCOME,), Repairer.OPERATOR, retry=False),
    SourceCode.REMOTE_PROTOCOL_UNAVAILABLE: Meaning(
        (_SSH_COMMAND, _SSH_OUTCOME), Repairer.OPERATOR, retry=False
    ),
    SourceCode.REMOTE_EVIDENCE_UNAVAILABLE: Meaning(
        (_SSH_COMMAND, _SSH_OUTCOME), Repairer.OPERATOR, retry=True
    ),
    ContextCode.REGISTRY_UNAVAILABLE: Meaning((_SCOPES,), Repairer.OPERATOR, retry=True),
    ContextCode.EXTERNAL_AUTHORIZATION_UNAVAILABLE: Meaning((_SCOPES,), Repairer.OWNER, retry=True),
}


def label(failure: ReadFailure, language: Language) -> str:
    """A few words for a coverage line: "GitLab (token expired)"."""
    return _text(failure).label.of(language)


def _text(failure: ReadFailure) -> FailureText:
    """The words for exactly this extent: a list of a goal, a goal, or a source."""
    whole = FAILURES[failure.code]
    if failure.goal is None:
        return whole
    if failure.view is not None and failure.code in OF_LIST:
        return OF_LIST[failure.code]
    return OF_GOAL.get(failure.code, whole)


def effect(failure: ReadFailure, language: Language = Language.EN) -> str:
    """What it costs the answer: nothing was read there, which is not "no progress" (W1, R13)."""
    if failure.kept:
        return EFFECT_KEPT.of(language)
    part = failure.part or failure.goal is not None or MEANINGS[failure.code].partial
    return (EFFECT_PART if part else EFFECT_SOURCE).of(language)


def next_action(failure: ReadFailure, language: Language = Language.EN) -> str:
    """What to do about it, one sentence."""
    return _text(failure).action.of(language)


def sentence(
    failure: ReadFailure, language: Language = Language.EN, views: Collection[View] = ()
) -> str:
    """What happened, and the repair: R4's `error`. `views`: all lists that it speaks of, where they are several."""
    lists = views or ([] if failure.view is None else [failure.view])
    named = [VIEWS[view].of(language) for view in lists] or [ANY_LIST.of(language)]
    happened = _text(failure).happened.format(
        language, list=LISTED.of(language).join(named), count=failure.count
    )
    gap = "" if language is Language.ZH else " "
    return f"{happened}{gap}{next_action(failure, language)}"


def failure_row(failure: ReadFailure, language: Language = Language.EN) -> Mapping[str, Json]:
    """`manager_read_failure_v0`. `goal_id` and `records` are there only where a part failed.

    `stale_rows` only where rows of an earlier read stand in.
    """
    row: dict[str, Json] = {
        "schema_version": FAILURE_SCHEMA,
        "code": failure.code.value,
        "source_id": failure.source,
        "coverage_effect": effect(failure, language),
        "next_action": next_action(failure, language),
    }
    if failure.goal is not None:
        row["goal_id"] = failure.goal
    if failure.count != 1:
        row["records"] = failure.count
    if failure.kept:
        row["stale_rows"] = OUTDATED_NOT_ABSENT
    return row


def refusal(failure: ReadFailure, language: Language = Language.EN) -> dict[str, Json]:
    """The payload of every refusal and failure (R4)."""
    return {
        "ok": False,
        "code": failure.code.value,
        "error": sentence(failure, language),
        "read_failure": failure_row(failure, language),
    }
