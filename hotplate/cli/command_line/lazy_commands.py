"""Commands with examples in their help, and groups whose code is imported when it is called."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

import click

Examples = Sequence[tuple[str, str]]
"""What to type, and what it does."""


class ExampleCommand(click.Command):
    """A command whose help ends with examples."""

    def __init__(self, *arguments: Any, examples: Examples = (), **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.examples = examples
        for param in self.params:
            if _is_file(param):
                param.type = click.Path()  # a shell completes it as it completes files

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                for line, meaning in self.examples:
                    formatter.write_text(meaning)
                    formatter.write(f"{'':{formatter.current_indent + 2}}{line}\n")


def _is_file(param: click.Parameter) -> bool:
    if param.type is not click.STRING:
        return False
    if isinstance(param, click.Argument):
        return param.required and param.name in ("file", "template")
    return param.metavar in ("FILE", "DIR")


class LazyGroup(click.Group):
    """A group that knows its commands by name and help, and imports one when it is called.

    ``lazy`` maps a name to the module and attribute of the command and its line of help; sections
    of the help are made by ``sections``. ``habits`` are names that other programs have for them.
    """

    def __init__(
        self,
        *arguments: Any,
        lazy: Mapping[str, tuple[str, str]] | None = None,
        sections: Mapping[str, Sequence[str]] | None = None,
        habits: Mapping[str, str] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(*arguments, **more)
        self.lazy = dict(lazy or {})
        self.habits = habits or {}
        self.sections = dict(sections or {"Commands": list(self.lazy)})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for names in self.sections.values() for name in names]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.lazy:
            return super().get_command(ctx, cmd_name)
        module, _, attribute = self.lazy[cmd_name][0].partition(":")
        command: click.Command = getattr(
            import_module(f"hotplate.cli.commands.{module}"), attribute
        )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            from hotplate.document.suggestion import did_you_mean

            near = self.habits.get(args[0])
            hint = f'did you mean "{near}"?' if near else did_you_mean(args[0], self.lazy)
            hint = hint or f"`{ctx.command_path} --help` lists them"
            raise click.UsageError(f'there is no command "{args[0]}"; {hint}', ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, self.lazy[name][1]) for name in names], col_max=16)


def command(
    name: str, examples: Examples = (), cls: type[ExampleCommand] = ExampleCommand, **more: Any
) -> Callable[[Callable[..., Any]], click.Command]:
    """Make a command of a function, with examples."""
    return click.command(name, cls=cls, examples=examples, **more)
