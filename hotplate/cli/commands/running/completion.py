"""`hotplate completion`: what a shell needs to complete commands, names and files."""

import os

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    add_completion_class,
    get_completion_class,
    split_arg_string,
)

from hotplate.cli.command_line.lazy_commands import command

VARIABLE = "_HOTPLATE_COMPLETE"
"""Set by the scripts when they ask what there is."""

# Bash breaks words at colons and equal signs, so the whole line is handed on, and of an answer only
# what comes after the last of them is put in.
_BASH = """\
%(complete_func)s() {
    local IFS=$'\\n'
    local type value response
    COMPREPLY=()
    response=$(env COMP_LINE="${COMP_LINE:0:$COMP_POINT}" COMP_WORDBREAKS="$COMP_WORDBREAKS" \\
        %(complete_var)s=bash_complete "$1")
    for completion in $response; do
        IFS=',' read -r type value <<< "$completion"
        if [[ $type == 'dir' ]]; then
            compopt -o dirnames
        elif [[ $type == 'file' ]]; then
            compopt -o default
        elif [[ $type == 'plain' ]]; then
            COMPREPLY+=("$value")
            [[ $value == *= ]] && compopt -o nospace
        fi
    done
    return 0
}
complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class WholeLineBash(BashComplete):
    """Completion for Bash that knows names with colons in them."""

    name = "bash"
    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        if "COMP_LINE" not in os.environ:
            return super().get_completion_args()
        line = os.environ["COMP_LINE"]
        words = split_arg_string(line)
        if not words or line[-1:].isspace():
            return words[1:], ""
        return words[1:-1], words[-1]

    def format_completion(self, item: CompletionItem) -> str:
        if "COMP_LINE" not in os.environ:
            return super().format_completion(item)
        breaks = [sign for sign in ":=" if sign in os.environ.get("COMP_WORDBREAKS", ":=")]
        incomplete = self.get_completion_args()[1]
        known = max((incomplete.rfind(sign) + 1 for sign in breaks), default=0)
        value = str(item.value)
        is_behind = item.type == "plain" and value.startswith(incomplete[:known])
        return f"{item.type},{value[known:] if is_behind else value}"


def register() -> None:
    """Let a shell that asks get these answers."""
    add_completion_class(WholeLineBash)


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
@click.pass_context
def completion(context: click.Context, shell: str) -> None:
    """Print the completion script of a shell."""
    register()
    shell_class = get_completion_class(shell)
    if shell_class is None:  # the choice above lets none of these through
        raise click.UsageError(f"{shell} is not known")
    click.echo(shell_class(context.find_root().command, {}, "hotplate", VARIABLE).source())
