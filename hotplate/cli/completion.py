"""`hotplate completion`: what a shell needs to complete commands, stacks and resources."""

import click

from hotplate.cli.commanding import command


@command(
    "completion",
    examples=[
        ('eval "$(hotplate completion bash)"', "In ~/.bashrc:"),
        ('eval "$(hotplate completion zsh)"', "In ~/.zshrc:"),
        (
            "hotplate completion fish > ~/.config/fish/completions/hotplate.fish",
            "For fish, once:",
        ),
    ],
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the completion script of a shell."""
    from click.shell_completion import get_completion_class

    from hotplate.cli.main import group

    kind = get_completion_class(shell)
    if kind is None:  # the choice above lets none of these through
        raise click.UsageError(f"{shell} is not known")
    click.echo(kind(group, {}, "hotplate", "_HOTPLATE_COMPLETE").source())
