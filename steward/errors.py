"""Exceptions of the steward: broken worlds only. What can be expected is a value with a reason (model/).

StewardError
├── SettingsError             configuration that names its own repair
├── ConfigurationError        every SettingsError of one start, together
├── StoreError
│   ├── StoreUnavailableError the store could not be reached or written: the platform must send again
│   ├── StoreRejectedError    the store is there, but these values break its rules; nothing was written
│   ├── StoreLockedError      another process serves this store
│   ├── SchemaVersionError    the store's schema is newer or older than this program's
│   └── BackupError           a backup cannot be made, or cannot be restored; nothing was changed
└── ContractError             a part of ours was called against its contract: a bug
"""


class StewardError(Exception):
    """The root of what this package raises; its text is a sentence that a log may show."""


class SettingsError(StewardError):
    """Configuration cannot be used. `key` is the dotted name, the text says what it must be."""

    def __init__(self, key: str, repair: str) -> None:
        super().__init__(f"{key}: {repair}")
        self.key = key
        self.repair = repair


class ConfigurationError(StewardError):
    """The program cannot start as configured. `problems` holds every one found, so that one edit mends all."""

    def __init__(self, problems: tuple[SettingsError, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class StoreError(StewardError):
    """The store refused or failed; its driver's exception is chained, never shown."""


class StoreUnavailableError(StoreError):
    """Nothing was recorded. A transport answers so that the platform delivers again (D1)."""


class StoreRejectedError(StoreError):
    """The store works, but refuses these values: they break a key, a type or a limit. Trying again cannot help."""


class StoreLockedError(StoreError):
    """Another process holds the lock beside this SQLite store (D5)."""


class SchemaVersionError(StoreError):
    """The store was written by another version of the schema; the text names the repair (D5)."""


class BackupError(StoreError):
    """A backup cannot be made, or cannot be restored: the text says why and what to do. Nothing was changed."""


class ContractError(StewardError):
    """A caller broke a port's contract. Never caught except at a loop's edge."""
