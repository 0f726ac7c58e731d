"""`--environment-list`: many environments named by one file."""

from typing import Any

import click

from hotplate.cli.command_line.lazy_commands import ExampleCommand
from hotplate.client import listed_environments

OPTION = "--environment-list"


class TakesEnvironments(ExampleCommand):
    """A command with `-e` for which a list stands for all that it lists, in its place.

    The order of the command line is the order in which the environments apply, whether they are
    named one by one or by lists.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _expanded(ctx, list(args)))


def environment_list_option(command: Any) -> Any:
    """Add the option's help to a command; `TakesEnvironments` does its work."""
    return click.option(
        OPTION,
        multiple=True,
        expose_value=False,
        metavar="FILE",
        help="A file that lists environment files, one to a line; they count as if named here.",
    )(command)


def _expanded(ctx: click.Context, args: list[str]) -> list[str]:
    expanded: list[str] = []
    while args:
        argument = args.pop(0)
        if argument == "--":
            return [*expanded, argument, *args]
        option, equals, name = argument.partition("=")
        if option != OPTION or not (equals or args):
            expanded.append(argument)
            continue
        name = name if equals else args.pop(0)
        try:
            expanded.extend(f"--environment={entry}" for entry in listed_environments(name))
        except OSError as error:
            raise click.BadParameter(f"{name}: {error}", ctx, param_hint=OPTION) from None
    return expanded
