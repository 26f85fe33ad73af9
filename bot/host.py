"""What this machine holds of trusted_owner's limits, as far as this process can see. Contract P6.

Above: the composition root and the commands that preview, approve or diagnose. It looks, and opens nothing.
"""

import os
from collections.abc import Sequence
from pathlib import Path

from bot.settings import Settings
from steward.model.profile import HostFacts

KEPT_IN = (
    ".netrc",
    ".git-credentials",
    ".ssh",
    ".config/gh",
    ".config/glab-cli",
    ".config/gcloud",
    ".aws",
    ".azure",
    ".kube",
    ".docker/config.json",
    ".npmrc",
    ".pypirc",
    ".cargo/credentials.toml",
)
"""Where programs keep credentials of other systems, under a user's home."""


def host_facts(settings: Settings, endpoint_profiles: frozenset[str]) -> HostFacts:
    """`endpoint_profiles`: what the endpoint of the owner's private chat can hold.

    No process is started under another user by this version, so none is separated.
    """
    return HostFacts(
        endpoint_profiles=endpoint_profiles,
        simulated=settings.lark.simulated,
        separated=False,
        credentials=bool(credentials_in_reach(settings)),
    )


def credentials_in_reach(settings: Settings) -> Sequence[str]:
    """Names of variables, and of places under the home, which a process of this user may read. Never a value."""
    home = settings.inherited.get("HOME")
    kept = [name for name in KEPT_IN if home and _is_there(Path(home) / name)]
    return [*settings.credentials, *(f"~/{name}" for name in kept)]


def _is_there(path: Path) -> bool:
    try:
        return any(path.iterdir()) if path.is_dir() else path.stat().st_size > 0
    except OSError:
        return False


def is_root() -> bool:
    """Whether this process may do anything to the machine; no where a system knows no such user."""
    return hasattr(os, "geteuid") and os.geteuid() == 0
