"""Arguments that name stacks and resources, with completion for the shell."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import click

_SECONDS = 20.0
"""For the names that a shell completes; longer is too long to wait."""


def _asked(
    ctx: click.Context, purpose: str, question: Callable[[Any], Awaitable[list[str]]]
) -> list[str]:
    """Return names from the API; none if anything is in the way: a shell shows no errors."""
    from hotplate.cli.output.output import Output
    from hotplate.cli.session.place import Wanted, place_of
    from hotplate.cli.session.session import Purpose, Session

    names = Wanted.__dataclass_fields__
    given: dict[str, Any] = {name: ctx.params[name] for name in names if ctx.params.get(name)}

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


def _of_stack(
    ctx: click.Context, incomplete: str, question: Callable[[Any, Any], Awaitable[list[str]]]
) -> list[str]:
    """Return names that the API lists for the stack named before, if they begin so."""
    stack = ctx.params.get("name") or _first(ctx)
    if not isinstance(stack, str):
        return []

    async def names(api: Any) -> list[str]:
        found = await api.find(stack)
        return [] if found is None else await question(api, found)

    return [name for name in _asked(ctx, "read", names) if name.startswith(incomplete)]


def _first(ctx: click.Context) -> str | None:
    """Return the first argument: click gives arguments no names where an option has no value."""
    return ctx.args[0] if ctx.args else None


def complete_output(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the outputs of the stack named before that begin so."""

    async def keys(api: Any, stack: Any) -> list[str]:
        found = (await api.call("GET", f"{stack.path}/outputs"))["outputs"]
        return [each["output_key"] for each in found]

    return _of_stack(ctx, incomplete, keys)


def complete_snapshot(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the snapshots of the stack named before, by name or else by id, that begin so."""

    async def names(api: Any, stack: Any) -> list[str]:
        found = (await api.call("GET", f"{stack.path}/snapshots"))["snapshots"]
        return [each["name"] or each["id"] for each in found]

    return _of_stack(ctx, incomplete, names)


def complete_type(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the resource types that begin so."""

    async def types(api: Any) -> list[str]:
        found: list[str] = (await api.call("GET", "/resource_types"))["resource_types"]
        return found

    return [name for name in _asked(ctx, "check", types) if name.startswith(incomplete)]


def complete_parameter(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return `NAME=` for the parameters of the template named before, or else of the stack."""
    names = _declared(ctx.params.get("template") or ctx.params.get("file") or _first(ctx))
    if names is None:

        async def given(api: Any, stack: Any) -> list[str]:
            shown = await api.stack(stack.id)
            return [name for name in shown["parameters"] if not name.startswith("OS::")]

        names = _of_stack(ctx, "", given)
    end = "" if param.name == "cleared" else "="
    return [f"{name}{end}" for name in names if name.startswith(incomplete)]


def complete_parameter_file(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[Any]:
    """Return `NAME=` for parameters, and behind it let the shell complete the file."""
    from click.shell_completion import CompletionItem

    if "=" in incomplete:
        return [CompletionItem(incomplete.partition("=")[2], type="file")]
    return list(complete_parameter(ctx, param, incomplete))


def _declared(template: object) -> list[str] | None:
    """Return the parameters that a template on this machine declares, None if there is none."""
    if not isinstance(template, str) or "://" in template:
        return None
    try:
        import yaml

        with open(template, encoding="utf-8") as file:
            data = yaml.safe_load(file)
        declared = data.get("parameters") or data.get("Parameters") or {}
        return [str(name) for name in declared]
    except Exception:  # whatever it is, it would end up in the user's prompt
        return None


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
