"""The command: its parts by name, and the one place where whatever goes wrong ends."""

import gc
import io
import json
import os
import sys
from collections.abc import Sequence
from itertools import pairwise

import click

from hotplate import __version__
from hotplate.cli.command_line.lazy_commands import LazyGroup
from hotplate.cli.output.exit_codes import Code

# Each name with the module and attribute of its command, and its line in the help.
_SECTIONS = {
    "Change a stack": {
        "up": ("change.up:up", "Create a stack, or update it; show the plan first."),
        "preview": ("change.preview:preview", "Show what `up` would do."),
        "down": ("change.down:down", "Delete a stack; show what goes first."),
        "attach": ("change.attach:attach", "Follow what a stack is doing."),
        "retry": ("change.retry:retry", "Try again what failed."),
        "rollback": ("change.rollback:rollback", "Go back to what last completed."),
        "cancel": ("change.cancel:cancel", "Stop a creation or an update."),
        "check": ("change.check:check", "Ask whether all resources are well, and what differs."),
        "suspend": ("change.suspend:suspend", "Put all resources to rest."),
        "resume": ("change.resume:resume", "Wake all resources up."),
        "signal": ("change.signal:signal", "Send a signal to a resource."),
        "hook": ("change.hook:hook", "See what waits at a hook, and let it go on."),
        "snapshot": ("change.snapshot:snapshot", "Keep the state of a stack, and go back to it."),
        "abandon": ("change.abandon:abandon", "Forget a stack and leave its objects alone."),
        "export": ("change.export:export", "Print what is needed to adopt a stack."),
        "adopt": ("change.adopt:adopt", "Make a stack of objects that exist."),
    },
    "Show stacks": {
        "ls": ("show.ls:ls", "List the stacks."),
        "show": ("show.show:show", "Show a stack, and why it failed."),
        "tree": ("show.tree:tree", "Show everything in a stack as a tree."),
        "resources": (
            "show.resources:resources",
            "List resources, through all nesting if you like.",
        ),
        "resource": ("show.resource:resource", "Show one resource; mark it as broken."),
        "failures": ("show.failures:failures", "List what failed, with the output of scripts."),
        "events": ("show.events:events", "List what happened, or follow it."),
        "outputs": ("show.outputs:outputs", "Print the outputs of a stack."),
        "why": ("show.why:why", "Say why a resource is as it is."),
        "executions": ("show.executions:executions", "List the workflows that ran, or show one."),
        "environment": ("show.environment:environment", "Show what the environments come to."),
    },
    "Templates and types": {
        "template": ("templates.template:template", "Check templates; show that of a stack."),
        "import": (
            "templates.import_:import_",
            "Print a template of objects that exist already.",
        ),
        "types": ("templates.types:types", "List the resource types, or show one."),
    },
    "Run it": {
        "serve": ("running.serve:serve", "Answer the API, and run the engine behind it."),
        "ui": ("running.ui:ui", "Open the page on this machine, without a server."),
        "worker": ("running.worker:worker", "Work on stacks, without answering the API."),
        "status": ("running.status:status", "Show the workers, and what waits for them."),
        "db": ("running.db:db", "Upgrade the database, and remove what is old."),
        "authorities": (
            "running.authorities:authorities",
            "List with whose rights stacks are worked on.",
        ),
        "policy": ("running.policy:policy", "Show who may do what on a server."),
        "help": ("running.help:help_command", "Explain a command."),
        "version": ("running.version:version", "Print which version this is."),
        "completion": ("running.completion:completion", "Print the completion script of a shell."),
        "stack": ("stack.group:stack", "The same under the names of `openstack stack`."),
    },
}

_OBJECTS = 50_000
"""That come into being before Python looks for garbage among them."""

group = LazyGroup(
    "hotplate",
    help="Bring stacks up from HOT templates, see all of them, trust the plan.",
    epilog="`hotplate COMMAND --help` explains a command, with examples. Without a server, "
    "commands work by themselves on a database of this user.",
    lazy={name: entry for section in _SECTIONS.values() for name, entry in section.items()},
    sections={title: list(section) for title, section in _SECTIONS.items()},
    habits={
        "list": "ls",
        "create": "up",
        "update": "up",
        "apply": "up",
        "plan": "preview",
        "delete": "down",
        "destroy": "down",
        "validate": "template validate",
        "logs": "events",
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
group = click.version_option(__version__, prog_name="hotplate")(group)


def main() -> None:
    """Run the command of this process's arguments, and end with its exit code."""
    # While modules are loaded nothing becomes garbage; looking for it takes a tenth of the time.
    gc.set_threshold(_OBJECTS)
    try:
        sys.exit(run(sys.argv[1:]))
    finally:
        # All memory goes with the process; looking for garbage once more would take another tenth.
        # Completion ends by an exception.
        gc.freeze()


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code. No traceback reaches the user."""
    for stream in (sys.stdout, sys.stderr):
        # A name that the terminal cannot show must not end the command.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        _refuse_no_text(arguments)
        if "_HOTPLATE_COMPLETE" in os.environ:
            from hotplate.cli.commands.running.completion import register

            register()
        code = group.main(list(arguments), prog_name="hotplate", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        if _wants_json(arguments):
            _print_json_error(error.format_message(), error.exit_code)
        else:
            error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return Code.INTERRUPTED
    except BrokenPipeError:
        # Whoever read it has seen enough; Python would complain once more when it closes it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Code.FAILED
    except OSError as error:
        if os.environ.get("HOTPLATE_DEBUG"):
            raise
        message = error.strerror or str(error) or type(error).__name__
        where = f"{error.filename}: " if error.filename else ""
        _print_error(arguments, f"{where}{message[:1].lower()}{message[1:]}")
        return Code.FAILED
    except Exception as error:
        if os.environ.get("HOTPLATE_DEBUG"):
            raise
        message = " ".join(f"{type(error).__name__}: {error}".split())
        _print_error(
            arguments,
            f"unexpected error: {message}; set HOTPLATE_DEBUG=1 to see where it comes "
            "from, and report it",
        )
        return Code.FAILED
    return code if isinstance(code, int) else Code.DONE


def _print_error(arguments: Sequence[str], message: str) -> None:
    if _wants_json(arguments):
        _print_json_error(message, Code.FAILED)
    else:
        click.echo(f"hotplate: {message}", err=True)


def _print_json_error(message: str, code: int) -> None:
    record = {"type": "error", "message": message, "hint": "", "exit_code": int(code)}
    click.echo(json.dumps(record, ensure_ascii=False).encode("utf-8", "replace"))


def _wants_json(arguments: Sequence[str]) -> bool:
    """Return whether objects are wanted, also of arguments that could not be understood."""
    given = list(arguments)
    return "--output=json" in given or ("--output", "json") in pairwise(given)


def _refuse_no_text(arguments: Sequence[str]) -> None:
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError:
            shown = argument.encode("utf-8", "replace").decode()
            raise click.UsageError(f'the argument "{shown}" is not text in UTF-8') from None
