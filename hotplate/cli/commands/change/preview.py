"""`hotplate preview`: what `up` would do."""

from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.commands.change.up import Order, bring_up, named, target_options
from hotplate.cli.input.environment_list import TakesEnvironments
from hotplate.cli.input.recipe import (
    RecipeArguments,
)
from hotplate.cli.session.session import Session, with_session


@command(
    "preview",
    cls=TakesEnvironments,
    examples=[
        ("hotplate preview app.yaml", "What would `hotplate up app.yaml` do?"),
        ("hotplate preview app.yaml || test $? = 3", "Go on only if it can be done:"),
    ],
)
@target_options
@with_session
async def preview(
    session: Session,
    template: str,
    name: str | None,
    environments: tuple[str, ...],
    parameters: tuple[str, ...],
    parameter_files: tuple[str, ...],
    converge: bool,
    show_all: bool,
) -> int:
    """Show what `up` would do, and do nothing.

    Exits with 0 if nothing would change, with 3 if something would.
    """
    arguments = RecipeArguments(template, environments, parameters, parameter_files)
    order = Order(arguments, named(name, template), converges=converge)
    return await bring_up(session, order, show_all, only_preview=True)
