"""The configuration: one TOML file and STEWARD__… variables, read by one reader into frozen tables.

tables.py is the reference of every key. Above it stands all of bot; below it steward.model and steward.errors.
`load` is called at the start and again on SIGHUP; nothing else reads the environment or the file.
"""

from bot.settings.example import example_toml
from bot.settings.load import Fault, Settings, load
from bot.settings.rules import missing_secrets

__all__ = ["Fault", "Settings", "example_toml", "load", "missing_secrets"]
