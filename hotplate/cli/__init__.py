"""The command `hotplate`."""

from hotplate.cli.main import main

__all__ = ["main"]
