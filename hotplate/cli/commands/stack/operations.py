"""`hotplate stack create`, `update`, `delete`, …: as `openstack stack` has them.

They do not ask. With a server they come back at once unless --wait is said; without one they
follow the work to its end, as no server would do it.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import click

from hotplate.cli.command_line.arguments import complete_parameter, complete_stack, stack_argument
from hotplate.cli.command_line.lazy_commands import ExampleCommand, command
from hotplate.cli.commands.change.abandon import abandon as asking_abandon
from hotplate.cli.commands.change.adopt import bring_in
from hotplate.cli.commands.change.cancel import stop
from hotplate.cli.commands.change.down import bring_down
from hotplate.cli.commands.change.up import Existing, Order, bring_up, converge_option
from hotplate.cli.following.action import act
from hotplate.cli.input.environment_list import TakesEnvironments
from hotplate.cli.input.recipe import RecipeArguments, recipe_options
from hotplate.cli.session.session import Session, with_session

_Function = Callable[..., Any]


def _wait_options(function: _Function) -> _Function:
    function = click.option("--wait", is_flag=True, help="Follow it to the end.")(function)
    return click.option("--poll", metavar="SECONDS", expose_value=False, help="Not needed here.")(
        function
    )


def _names_argument(function: _Function) -> _Function:
    return click.argument(
        "names", nargs=-1, required=True, metavar="STACK...", shell_complete=complete_stack
    )(function)


def _order_options(function: _Function) -> _Function:
    for option in (
        click.option("--dry-run", is_flag=True, help="Show the plan and stop."),
        click.option("--tags", metavar="TAG,TAG", help="Tags of the stack."),
        click.option(
            "--timeout",
            "minutes",
            type=click.IntRange(0),
            metavar="MINUTES",
            help="Let it fail if it takes longer.",
        ),
    ):
        function = option(function)
    return _wait_options(recipe_options(function))


def _hook_option(name: str) -> Callable[[_Function], _Function]:
    return click.option(
        f"--{name}",
        "hooked",
        multiple=True,
        metavar="RESOURCE",
        help=f"Let a resource wait at {name}; names with slashes between, or patterns.",
    )


@command(
    "create",
    cls=TakesEnvironments,
    examples=[("hotplate stack create -t app.yaml --wait app", "Create it, and wait:")],
)
@stack_argument
@click.option("-t", "--template", required=True, metavar="FILE", help="The template.")
@_order_options
@click.option("--enable-rollback", is_flag=True, help="Delete it again if it fails.")
@_hook_option("pre-create")
@with_session
async def create(
    session: Session,
    name: str,
    template: str,
    environments: tuple[str, ...],
    parameters: tuple[str, ...],
    parameter_files: tuple[str, ...],
    wait: bool,
    dry_run: bool,
    tags: str | None,
    minutes: int | None,
    enable_rollback: bool,
    hooked: tuple[str, ...],
) -> int:
    """Create a stack. Without a server it is always followed to the end."""
    options: dict[str, Any] = {"timeout_mins": minutes, "tags": tags}
    options["disable_rollback"] = not enable_rollback
    order = Order(
        RecipeArguments(template, environments, parameters, parameter_files),
        name,
        options | _hooks(hooked, "pre-create"),
        existing=Existing.REFUSED,
    )
    return await _run(session, order, wait, dry_run)


@command(
    "update",
    cls=TakesEnvironments,
    examples=[
        ("hotplate stack update -t app.yaml app", "With a new template:"),
        ("hotplate stack update --existing --parameter size=3 app", "Only one value:"),
    ],
)
@stack_argument
@click.option("-t", "--template", metavar="FILE", help="The template.")
@_order_options
@click.option(
    "--rollback",
    type=click.Choice(["enabled", "disabled", "keep"]),
    default="keep",
    help="Whether to go back to what was if it fails.",
)
@click.option(
    "--existing", is_flag=True, help="Keep the template, files and values that are not given."
)
@click.option(
    "--clear-parameter",
    "cleared",
    multiple=True,
    metavar="NAME",
    shell_complete=complete_parameter,
    help="A parameter that gets its default again; needs --existing.",
)
@click.option(
    "--clear-environment",
    "cleared_files",
    multiple=True,
    metavar="NAME",
    help="An environment file that the stack shall do without, as `environment show` names it; "
    "needs --existing.",
)
@converge_option
@click.option("--show-nested", is_flag=True, expose_value=False, help="Not needed: it always is.")
@_hook_option("pre-update")
@with_session
async def update(
    session: Session,
    name: str,
    template: str | None,
    environments: tuple[str, ...],
    parameters: tuple[str, ...],
    parameter_files: tuple[str, ...],
    wait: bool,
    dry_run: bool,
    tags: str | None,
    minutes: int | None,
    rollback: str,
    existing: bool,
    cleared: tuple[str, ...],
    cleared_files: tuple[str, ...],
    converge: bool,
    hooked: tuple[str, ...],
) -> int:
    """Update a stack. Without a server it is always followed to the end."""
    if template is None and not existing:
        raise click.UsageError("say --template FILE, or --existing to keep the one it has")
    if cleared and not existing:
        raise click.UsageError("--clear-parameter goes with --existing")
    if cleared_files and not existing:
        raise click.UsageError("--clear-environment goes with --existing")
    options: dict[str, Any] = {"timeout_mins": minutes, "tags": tags}
    if cleared:
        options["clear_parameters"] = list(cleared)
    if cleared_files:
        options["clear_environment_files"] = list(cleared_files)
    if rollback != "keep":
        options["disable_rollback"] = rollback == "disabled"
    order = Order(
        RecipeArguments(template, environments, parameters, parameter_files),
        name,
        options | _hooks(hooked, "pre-update"),
        existing=Existing.KEPT if existing else Existing.REPLACED,
        converges=converge,
        takes_over=True,  # as its namesake does
    )
    return await _run(session, order, wait, dry_run)


async def _run(session: Session, order: Order, wait: bool, dry_run: bool) -> int:
    return await bring_up(
        session, order, only_preview=dry_run, detach=not dry_run and _detaches(session, wait)
    )


def _detaches(session: Session, wait: bool) -> bool:
    return not wait and not session.is_embedded


def _hooks(paths: tuple[str, ...], hook: str) -> dict[str, Any]:
    """Return the environment in which resources wait at a hook."""
    resources: dict[str, Any] = {}
    for path in paths:
        inner = resources
        for name in path.split("/"):
            inner = inner.setdefault(name, {})
        inner["hooks"] = hook
    return {"environment": {"resource_registry": {"resources": resources}}} if paths else {}


@command("delete", examples=[("hotplate stack delete --wait app", "Delete it, and wait:")])
@_names_argument
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@_wait_options
@with_session
async def delete(session: Session, names: tuple[str, ...], yes: bool, wait: bool) -> int:
    """Delete stacks. Without a server each is followed to the end."""
    detach = _detaches(session, wait)
    return max([await bring_down(session, name, yes, detach=detach) for name in names])


@command("adopt", examples=[("hotplate stack adopt --adopt-file app.json app", "Take it over:")])
@stack_argument
@click.option("--adopt-file", "file", required=True, metavar="FILE", help="What abandon wrote.")
@click.option("--timeout", "minutes", type=click.IntRange(0), metavar="MINUTES")
@click.option("--enable-rollback", is_flag=True, help="Forget it again if it fails.")
@_wait_options
@with_session
async def adopt(
    session: Session,
    name: str,
    file: str,
    minutes: int | None,
    enable_rollback: bool,
    wait: bool,
) -> int:
    """Make a stack of objects that exist, as `abandon` or `export` wrote them down."""
    options: dict[str, Any] = {} if minutes is None else {"timeout_mins": minutes}
    options["disable_rollback"] = not enable_rollback
    return await bring_in(session, name, file, options, _detaches(session, wait))


def _action(name: str, description: str) -> click.Command:
    """Return the command that asks any number of stacks for an action."""

    @command(name, help=description, examples=[(f"hotplate stack {name} app", "")])
    @_names_argument
    @_wait_options
    @with_session
    async def run(session: Session, names: tuple[str, ...], wait: bool) -> int:
        detach = _detaches(session, wait)
        return max([await act(session, each, name, detach) for each in names])

    return run


check = _action("check", "Ask every resource of stacks whether it is there and well.")
suspend = _action("suspend", "Put all resources of stacks to rest.")
resume = _action("resume", "Wake all resources of stacks up.")


@command("cancel", examples=[("hotplate stack cancel --no-rollback app", "Stop it where it is:")])
@_names_argument
@click.option("--no-rollback", is_flag=True, help="Leave everything as it is at that moment.")
@_wait_options
@with_session
async def cancel(session: Session, names: tuple[str, ...], no_rollback: bool, wait: bool) -> int:
    """Stop updates and go back to what was; with --no-rollback also creations."""
    detach = _detaches(session, wait)
    return max([await stop(session, each, no_rollback, detach) for each in names])


def _unasked(asking: click.Command) -> click.Command:
    """Return a command that does not ask, as its namesake does not."""
    return ExampleCommand(
        asking.name,
        callback=partial(asking.callback, yes=True) if asking.callback else None,
        params=[each for each in asking.params if each.name != "yes"],
        help=asking.help,
        examples=[(f"hotplate stack {asking.name} app", "It does not ask:")],
    )


abandon = _unasked(asking_abandon)
