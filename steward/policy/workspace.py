"""What the process that answers is started with: sandbox, system prompt and workspace notes. Contract P10. Pure.

Above: turns, which seat an endpoint with the revision, and endpoints that start a process with the rest. One function
renders all three, so that none of them can say something else than the others.
"""

import hashlib
import json
from dataclasses import dataclass
from functools import cache

from steward.errors import ContractError
from steward.model.profile import EffectiveProfile, RuntimeProfile, Sandbox
from steward.texts import prompts


@dataclass(frozen=True, slots=True)
class Workspace:
    """`workspace_notes` is the AGENTS.md of its directory. `prompt_revision` covers all three (P10)."""

    sandbox: Sandbox
    system_prompt: str
    workspace_notes: str
    prompt_revision: str


def rendered(profile: EffectiveProfile) -> Workspace:
    """The workspace of a turn under this profile; always the same for the same profile.

    It holds nothing of a question, also not its language: one thread takes questions in both. Raises ContractError
    where the profile allows no process at all (P5).
    """
    if profile.runtime_profile is None:
        raise ContractError("no endpoint here holds the profile, so there is nothing to start")
    return _rendered(profile.runtime_profile, profile.sandbox)


def prompt_revision(profile: EffectiveProfile) -> str:
    """What a seat and a readback name (`Seat.prompt_revision`)."""
    return rendered(profile).prompt_revision


@cache
def _rendered(profile: RuntimeProfile, sandbox: Sandbox) -> Workspace:
    match profile:
        case RuntimeProfile.TRUSTED_OWNER:
            tools, notes = prompts.TRUSTED_OWNER, prompts.NOTES_TRUSTED_OWNER
        case RuntimeProfile.RESTRICTED:
            tools, notes = prompts.RESTRICTED, prompts.NOTES_RESTRICTED
    prompt = f"{prompts.ROLE}\n{tools}"
    whole = json.dumps([sandbox.value, prompt, notes]).encode("ascii")
    return Workspace(sandbox, prompt, notes, "sha256:" + hashlib.sha256(whole).hexdigest())
