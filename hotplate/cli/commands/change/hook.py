"""`hotplate hook …`: what waits at a hook, and clearing it."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

import click

from hotplate.cli.answers.resource_paths import FoundResource, every_resource
from hotplate.cli.command_line.arguments import complete_resource, stack_argument
from hotplate.cli.command_line.lazy_commands import LazyGroup, command
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.short_forms import short_type
from hotplate.cli.view.table import show_table
from hotplate.client import Api, StackName

hook = LazyGroup(
    "hook",
    help="Resources that wait at a hook.",
    lazy={
        "poll": ("change.hook:poll", "List what waits."),
        "clear": ("change.hook:clear", "Let it go on."),
    },
)

_HOOKS = ("pre-create", "pre-update", "pre-delete", "post-create", "post-update", "post-delete")


@command("poll", examples=[("hotplate hook poll app", "What waits, through all nesting:")])
@stack_argument
@click.option(
    "-n", "--nested-depth", metavar="N", expose_value=False, help="Not needed: all is listed."
)
@with_session
async def poll(session: Session, name: str) -> None:
    """List the resources of a stack that wait at a hook, wherever they are."""
    async with session.api() as api:
        stack = await session.existing(api, name)
        waiting = await _waiting(api, stack)
    for each in waiting:
        session.output.record("waiting", **_facts(each))
    show_table(
        session.output,
        ("RESOURCE", "HOOK", "TYPE"),
        [
            (each.dotted, each.document["hook"], short_type(each.document["resource_type"]))
            for each in waiting
        ],
        f"nothing of {stack.name} waits at a hook",
    )


def _hook_options(function: Any) -> Any:
    for hook_name in reversed(_HOOKS):
        function = click.option(
            f"--{hook_name}",
            "hooks",
            flag_value=hook_name,
            multiple=True,
            help=f"Only those that wait at {hook_name}.",
        )(function)
    return function


@command(
    "clear",
    examples=[
        ("hotplate hook clear app database", "Let one go on:"),
        ("hotplate hook clear app 'web.*.server' --pre-update", "Those that wait for an update:"),
    ],
)
@stack_argument
@click.argument(
    "patterns", nargs=-1, required=True, metavar="RESOURCE...", shell_complete=complete_resource
)
@_hook_options
@with_session
async def clear(
    session: Session, name: str, patterns: tuple[str, ...], hooks: tuple[str, ...]
) -> None:
    """Let resources go on that wait at a hook.

    RESOURCE is the names that lead to one, with dots or slashes between; each may be a pattern.
    """
    async with session.api() as api:
        stack = await session.existing(api, name)
        waiting = await _waiting(api, stack)
        for pattern in patterns:
            chosen = [each for each in waiting if _fits(each, pattern, hooks)]
            if not chosen:
                raise _nothing(stack, pattern, waiting)
            for each in chosen:
                await _clear(api, each)
                session.output.record("cleared", **_facts(each))
                session.output.say(f"{each.dotted} goes on from {each.document['hook']}")
            waiting = [each for each in waiting if each not in chosen]
    session.tell_who_goes_on(stack.name)


async def _waiting(api: Api, stack: StackName) -> list[FoundResource]:
    tree = await api.tree(stack)
    return [each for each in every_resource(tree) if each.document.get("hook")]


async def _clear(api: Api, found: FoundResource) -> None:
    path = f"{found.address}/signal"
    await api.call("POST", path, {"unset_hook": found.document["hook"]})


def _fits(found: FoundResource, pattern: str, hooks: Sequence[str]) -> bool:
    if hooks and found.document["hook"] not in hooks:
        return False
    steps = pattern.replace("/", ".").split(".")
    return found.dotted == pattern or (
        len(steps) == len(found.path) and all(map(fnmatchcase, found.path, steps))
    )


def _nothing(stack: StackName, pattern: str, waiting: Sequence[FoundResource]) -> Stop:
    some = ", ".join(f"{each.dotted} ({each.document['hook']})" for each in waiting[:5])
    hint = f"these wait: {some}" if some else f"nothing of {stack.name} waits at a hook now"
    return Stop(f'no resource "{pattern}" waits at such a hook', Code.REFUSED, hint)


def _facts(found: FoundResource) -> dict[str, Any]:
    return {
        "path": list(found.path),
        "hook": found.document["hook"],
        "resource_type": found.document["resource_type"],
    }
