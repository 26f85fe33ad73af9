"""The `steward` command."""
