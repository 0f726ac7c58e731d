"""The command and its groups."""

from importlib import import_module

import click

_COMMANDS = ("demo", "serve", "template")
"""Each is a module of this package with a command of the same name."""


class _OnDemand(click.Group):
    """Imports the code of a command when it is called: to look at a template takes no engine."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = getattr(import_module(f"hotplate.cli.{cmd_name}"), cmd_name)
        return command


@click.group(cls=_OnDemand, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="hotplate")
def main() -> None:
    """Bring stacks up from HOT templates, see all of them, trust the plan."""
