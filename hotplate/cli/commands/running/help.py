"""`hotplate help`: the help of a command."""

import click

from hotplate.cli.command_line.lazy_commands import command


@command("help", examples=[("hotplate help up", "The same as `hotplate up --help`:")])
@click.argument("names", nargs=-1, metavar="[COMMAND]...")
@click.pass_context
def help_command(context: click.Context, names: tuple[str, ...]) -> None:
    """Explain the command, or one of its commands."""
    above = context.parent
    if above is None:
        raise click.UsageError("there is nothing to explain")
    for name in names:
        if not isinstance(above.command, click.Group):
            raise click.UsageError(f'"{above.command_path}" has no commands of its own', above)
        _, found, _ = above.command.resolve_command(above, [name])
        if found is None:
            raise click.UsageError(f'there is no command "{name}"', above)
        above = click.Context(found, info_name=name, parent=above)
    click.echo(above.get_help())
