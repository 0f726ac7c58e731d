"""`hotplate version`: which version this is."""

import click

from hotplate import __version__
from hotplate.cli.command_line.lazy_commands import command


@command("version", examples=[("hotplate version", "")])
def version() -> None:
    """Print which version this is."""
    click.echo(f"hotplate, version {__version__}")
