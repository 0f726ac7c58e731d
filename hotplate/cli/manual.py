"""The reference of all commands, made from the commands themselves."""

from collections.abc import Iterator

import click

from hotplate.cli.command_line.lazy_commands import ExampleCommand
from hotplate.cli.main import group

_SHARED = ("url", "token", "project", "cloud", "database", "objects", "form")
_ALIASES = ("stack",)
"""Groups whose commands are described elsewhere."""

_HEAD = """\
# Reference of the command

Made by `make manual` from the commands themselves; `hotplate COMMAND --help` says the same. What it
all means is described in [the command](command.md).

Most commands take these options as well:

"""


def manual() -> str:
    """Return the whole reference as Markdown."""
    context = click.Context(group, info_name="hotplate")
    parts = [_HEAD, *_options(group.get_command(context, "ls"), context, shared=True), "\n"]
    for name in group.list_commands(context):
        parts.extend(_described(group.get_command(context, name), context, name))
    return "".join(parts)


def _described(command: click.Command | None, above: click.Context, name: str) -> Iterator[str]:
    if command is None:
        raise LookupError(f"{name} is listed and not there")
    context = click.Context(command, info_name=name, parent=above)
    if isinstance(command, click.Group):
        if name in _ALIASES:
            yield from _aliases(command, context)
            return
        for inner in command.list_commands(context):
            yield from _described(command.get_command(context, inner), context, inner)
        return
    usage = " ".join(command.get_usage(context).split()).removeprefix("Usage: ")
    yield f"## {context.command_path}\n\n```\n{usage}\n```\n\n"
    yield f"{_joined(command.help or '')}\n\n"
    options = list(_options(command, context))
    if options:
        yield from options
        yield "\n"
    if isinstance(command, ExampleCommand) and command.examples:
        for line, meaning in command.examples:
            yield f"{meaning}\n\n```\n{line}\n```\n\n" if meaning else f"```\n{line}\n```\n\n"


def _options(
    command: click.Command | None, context: click.Context, shared: bool = False
) -> Iterator[str]:
    rows = []
    for option in command.params if command else ():
        if isinstance(option, click.Option) and (option.name in _SHARED) is shared:
            record = option.get_help_record(context)
            if record is not None:
                rows.append(f"| `{record[0].replace('|', chr(92) + '|')}` | {record[1]} |\n")
    if rows:
        yield "| option | |\n|---|---|\n"
        yield from rows


def _aliases(command: click.Group, context: click.Context) -> Iterator[str]:
    yield f"## {context.command_path}\n\n{_joined(command.help or '')}\n\n"
    yield "| | |\n|---|---|\n"
    for name in command.list_commands(context):
        summary = command.lazy[name][1] if hasattr(command, "lazy") else ""
        yield f"| `{context.command_path} {name}` | {summary} |\n"


def _joined(text: str) -> str:
    """Return paragraphs with each in one line."""
    paragraphs = (" ".join(part.split()) for part in text.split("\n\n"))
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)
