"""`python -m bot` is the `steward` command, also where the project is not installed."""

from bot.cli import main

if __name__ == "__main__":
    main()
