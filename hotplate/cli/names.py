"""Arguments that name stacks and resources, with completion for the shell."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import click

_SECONDS = 8.0
"""For the names that a shell shows; nobody waits longer for them."""


def _asked(
    ctx: click.Context, purpose: str, question: Callable[[Any], Awaitable[list[str]]]
) -> list[str]:
    """Return names from the API; none if anything is in the way: a shell shows no errors."""
    from hotplate.cli.output import Output
    from hotplate.cli.place import Wanted, place_of
    from hotplate.cli.session import Purpose, Session

    given = {name: ctx.params.get(name) or "" for name in Wanted.__dataclass_fields__}

    async def ask() -> list[str]:
        async with (
            asyncio.timeout(_SECONDS),
            Session(place_of(Wanted(**given)), Output()).api(Purpose(purpose)) as api,
        ):
            return await question(api)

    try:
        return asyncio.run(ask())
    except Exception:  # whatever it is, it would end up in the user's prompt
        return []


def complete_stack(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of stacks that begin so."""

    async def names(api: Any) -> list[str]:
        return [each["stack_name"] for each in await api.stacks()]

    return [name for name in _asked(ctx, "list", names) if name.startswith(incomplete)]


def complete_resource(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the paths of resources of the stack named before that begin so."""
    stack = ctx.params.get("name")
    if not isinstance(stack, str):
        return []

    async def paths(api: Any) -> list[str]:
        found = await api.find(stack)
        return [] if found is None else list(_paths(await api.tree(found), ""))

    return [path for path in _asked(ctx, "read", paths) if path.startswith(incomplete)]


def _paths(stack: dict[str, Any], prefix: str) -> list[str]:
    found = []
    for resource in stack.get("resources", ()):
        path = f"{prefix}{resource['resource_name']}"
        found.append(path)
        if "stack" in resource:
            found.extend(_paths(resource["stack"], f"{path}."))
    return found


def stack_argument(command: Any) -> Any:
    """Add the argument that names a stack."""
    return click.argument("name", metavar="STACK", shell_complete=complete_stack)(command)


def resource_argument(command: Any) -> Any:
    """Add the argument that names a resource by its path."""
    return click.argument("resource", metavar="RESOURCE", shell_complete=complete_resource)(command)


def yes_option(command: Any) -> Any:
    """Add the option that answers the question beforehand."""
    return click.option("-y", "--yes", is_flag=True, help="Do not ask.")(command)


def detach_option(command: Any) -> Any:
    """Add the option not to wait for the end."""
    return click.option("--detach", is_flag=True, help="Do not wait for the end; needs a server.")(
        command
    )
