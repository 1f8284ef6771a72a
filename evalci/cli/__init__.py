"""The command line: `main` takes its streams and environment, one file per command."""

from evalci.cli.main import main

__all__ = ["main"]
