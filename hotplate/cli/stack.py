"""`hotplate stack …`: the commands under the names that users of `openstack stack` know."""

from typing import Any

import click

from hotplate.cli.commanding import LazyGroup, command
from hotplate.cli.environments import TakesEnvironments
from hotplate.cli.names import stack_argument
from hotplate.cli.recipe import recipe_options
from hotplate.cli.session import connection_options

stack = LazyGroup(
    "stack",
    help="The commands under the names of `openstack stack`.",
    sections={
        "Change": [
            "create",
            "update",
            "delete",
            "cancel",
            "check",
            "suspend",
            "resume",
            "abandon",
            "adopt",
            "signal",
            "snapshot",
        ],
        "Look": ["list", "show", "resource", "event", "output", "environment", "template"],
    },
    lazy={
        "create": ("stack:create", "hotplate up --yes"),
        "update": ("stack:update", "hotplate up --yes, for a stack that exists"),
        "delete": ("stack:delete", "hotplate down, for any number of stacks"),
        "cancel": ("acting:cancel", "hotplate cancel"),
        "check": ("acting:check", "hotplate check"),
        "suspend": ("acting:suspend", "hotplate suspend"),
        "resume": ("acting:resume", "hotplate resume"),
        "abandon": ("handover:abandon", "hotplate abandon"),
        "adopt": ("stack:adopt", "hotplate adopt"),
        "signal": ("signalling:signal", "hotplate signal"),
        "snapshot": ("snapshots:snapshot", "hotplate snapshot"),
        "list": ("listing:ls", "hotplate ls"),
        "show": ("showing:show", "hotplate show"),
        "resource": ("stack:resource", "hotplate resources, hotplate signal"),
        "event": ("stack:event", "hotplate events"),
        "output": ("stack:output", "hotplate outputs"),
        "environment": ("environment:environment", "hotplate environment"),
        "template": ("template:template", "hotplate template"),
    },
)

resource = LazyGroup(
    "resource",
    help="Resources of stacks.",
    lazy={
        "list": ("resources:resources", "hotplate resources"),
        "show": ("why:why", "hotplate why"),
        "signal": ("signalling:signal", "hotplate signal"),
    },
)
event = LazyGroup(
    "event",
    help="Events of stacks.",
    lazy={"list": ("events:events", "hotplate events")},
)
output = LazyGroup(
    "output",
    help="Outputs of stacks.",
    lazy={
        "list": ("showing:outputs", "hotplate outputs"),
        "show": ("showing:outputs", "hotplate outputs"),
    },
)


def _operation_options(function: Any) -> Any:
    for option in (
        click.option("--dry-run", is_flag=True, help="Show the plan and stop."),
        click.option("--wait", is_flag=True, help="Follow it to the end."),
        click.option("--poll", metavar="SECONDS", expose_value=False, help="Not needed here."),
        click.option("--tags", metavar="TAG,TAG", help="Tags of the stack."),
        click.option("--timeout", "minutes", type=click.IntRange(0), metavar="MINUTES"),
        click.option("-t", "--template", required=True, metavar="FILE", help="The template."),
    ):
        function = option(function)
    return connection_options(recipe_options(function))


@command("create", cls=TakesEnvironments, examples=[("hotplate stack create -t app.yaml app", "")])
@stack_argument
@_operation_options
@click.option("--enable-rollback", "rollback", is_flag=True, help="Go back if it fails.")
@click.pass_context
def create(ctx: click.Context, /, **given: Any) -> int:
    """Create a stack. Without a server it is always followed to the end."""
    return _up(ctx, given)


@command("update", cls=TakesEnvironments, examples=[("hotplate stack update -t app.yaml app", "")])
@stack_argument
@_operation_options
@click.option(
    "--rollback", type=click.Choice(["enabled", "disabled", "keep"]), default="keep", help="If."
)
@click.pass_context
def update(ctx: click.Context, /, **given: Any) -> int:
    """Update a stack. Without a server it is always followed to the end."""
    given["rollback"] = given["rollback"] == "enabled"
    return _up(ctx, given)


def _up(ctx: click.Context, given: dict[str, Any]) -> int:
    from hotplate.cli.up import up

    wait, dry_run = given.pop("wait"), given.pop("dry_run")
    code: int = ctx.invoke(
        up,
        **given,
        show_all=False,
        yes=True,
        only_preview=dry_run,
        detach=not wait and not dry_run and _has_server(given),
        only_if_unchanged=False,
    )
    return code


def _has_server(given: dict[str, Any]) -> bool:
    from hotplate.cli.place import Wanted, place_of

    wanted = {name: given.get(name) or "" for name in Wanted.__dataclass_fields__}
    return place_of(Wanted(**wanted)).embedded is None


@command("delete", examples=[("hotplate stack delete --yes --wait app", "")])
@click.argument("names", nargs=-1, required=True, metavar="STACK...")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@click.option("--wait", is_flag=True, help="Follow it to the end.")
@connection_options
@click.pass_context
def delete(ctx: click.Context, /, names: tuple[str, ...], wait: bool, **given: Any) -> int:
    """Delete stacks."""
    from hotplate.cli.down import down

    detach = not wait and _has_server(given)
    codes: list[int] = [
        ctx.invoke(
            down, name=name, **given, only_preview=False, detach=detach, only_if_unchanged=False
        )
        for name in names
    ]
    return max(codes)


@command("adopt", examples=[("hotplate stack adopt --adopt-file app.json app", "")])
@stack_argument
@click.option("--adopt-file", "file", required=True, metavar="FILE", help="What abandon wrote.")
@click.option("--wait", is_flag=True, help="Follow it to the end.")
@connection_options
@click.pass_context
def adopt(ctx: click.Context, /, wait: bool, **given: Any) -> int:
    """Make a stack of objects that exist."""
    from hotplate.cli.handover import adopt as run

    code: int = ctx.invoke(run, **given, detach=not wait and _has_server(given))
    return code
