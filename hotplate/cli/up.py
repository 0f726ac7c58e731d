"""`hotplate up` and `hotplate preview`: bring a stack to what a template says."""

from dataclasses import dataclass
from typing import Any

import click

from hotplate.cli.codes import Code, Stop
from hotplate.cli.commanding import command
from hotplate.cli.complaints import told_refusal
from hotplate.cli.environments import TakesEnvironments
from hotplate.cli.names import complete_stack, detach_option, yes_option
from hotplate.cli.outcome import Begun, carry_out, confirm, refuse_to_detach
from hotplate.cli.plan import Plan, plan_of_creation, plan_of_update
from hotplate.cli.problems import in_reading_order, print_problems
from hotplate.cli.recipe import (
    RecipeArguments,
    given_values,
    recipe_body,
    recipe_options,
    stack_name_of,
)
from hotplate.cli.session import Session, with_session
from hotplate.cli.view.plans import show_plan
from hotplate.client.api import Api, Document, StackName, name_of
from hotplate.client.files import Discovered, discover
from hotplate.client.refusal import Refusal
from hotplate.document import InvalidDocument


@dataclass(frozen=True, slots=True)
class Target:
    """What shall become of which stack."""

    name: str
    sent: Discovered
    body: dict[str, Any]
    existing: StackName | None
    plan: Plan
    state: str = ""


def target_options(function: Any) -> Any:
    """Add the arguments that `up` and `preview` have in common."""
    function = click.option(
        "--all", "show_all", is_flag=True, help="List every step of a long plan."
    )(function)
    function = recipe_options(function)
    function = click.argument(
        "name", required=False, metavar="[STACK]", shell_complete=complete_stack
    )(function)
    return click.argument("template")(function)


@command(
    "up",
    cls=TakesEnvironments,
    examples=[
        ("hotplate up app.yaml", "Bring up the stack app:"),
        ("hotplate up app.yaml -e prod.env.yaml shop", "With an environment, as the stack shop:"),
        ("hotplate up app.yaml --yes --output json", "In a script:"),
    ],
)
@target_options
@yes_option
@click.option("--preview", "only_preview", is_flag=True, help="Show the plan and stop.")
@detach_option
@click.option(
    "--timeout",
    "minutes",
    type=click.IntRange(0),
    metavar="MINUTES",
    help="Let it fail if it takes longer.",
)
@click.option("--rollback", is_flag=True, help="Go back to what was if it fails.")
@click.option("--tags", metavar="TAG,TAG", help="Tags of the stack.")
@click.option(
    "--only-if-unchanged",
    is_flag=True,
    help="Refuse if the stack has moved since the plan was made.",
)
@with_session
async def up(
    session: Session,
    template: str,
    name: str | None,
    environments: tuple[str, ...],
    parameters: tuple[str, ...],
    parameter_files: tuple[str, ...],
    show_all: bool,
    yes: bool,
    only_preview: bool,
    detach: bool,
    minutes: int | None,
    rollback: bool,
    tags: str | None,
    only_if_unchanged: bool,
) -> int:
    """Create a stack, or update it: show the plan, ask, do it, follow it to the end.

    TEMPLATE is a path or an address. The stack is named after it unless you name it. Without a
    server the work is done by this command; Ctrl-C pauses it, and `hotplate attach` goes on.
    """
    if detach:
        refuse_to_detach(session)
    arguments = RecipeArguments(template, environments, parameters, parameter_files)
    options: dict[str, Any] = {"timeout_mins": minutes, "tags": tags}
    if rollback:
        options["disable_rollback"] = False
    target = await planned(session, arguments, name, options)
    if isinstance(target, int):
        return target
    show_plan(session.output, target.name, target.plan, target.existing is None, show_all)
    if only_preview:
        return Code.CHANGES if target.plan.has_changes else Code.DONE
    if target.state.endswith("_IN_PROGRESS"):
        session.output.note(f"{target.name} is busy ({target.state}); this takes over from it")
    if target.plan.has_changes:
        verb = "Create" if target.existing is None else "Update"
        confirm(session.output, f"{verb} {target.name}?", yes)

    async def begin(api: Api) -> Begun:
        return await _begin(api, target, only_if_unchanged)

    try:
        return await carry_out(session, begin, target.plan, detach)
    except Refusal as refusal:
        return told_refusal(session.output, refusal, target.sent)


async def _begin(api: Api, target: Target, only_if_unchanged: bool) -> Begun:
    existing = target.existing
    if existing is None:
        answer = await api.call("POST", "/stacks", {"stack_name": target.name, **target.body})
        return Begun(StackName(target.name, answer["stack"]["id"]), "CREATE")
    after = await api.last_event(existing)
    etag = target.plan.etag if only_if_unchanged else ""
    await api.call("PUT", existing.path, target.body, etag=etag)
    return Begun(existing, "UPDATE", after)


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
    show_all: bool,
) -> int:
    """Show what `up` would do, and do nothing.

    Exits with 0 if nothing would change, with 3 if something would.
    """
    arguments = RecipeArguments(template, environments, parameters, parameter_files)
    target = await planned(session, arguments, name, {})
    if isinstance(target, int):
        return target
    show_plan(session.output, target.name, target.plan, target.existing is None, show_all)
    return Code.CHANGES if target.plan.has_changes else Code.DONE


async def planned(
    session: Session, arguments: RecipeArguments, name: str | None, options: dict[str, Any]
) -> Target | int:
    """Return the target with its plan, or the exit code if there can be none."""
    template = arguments.template or ""
    try:
        sent = discover(template, arguments.environments)
    except InvalidDocument as fault:
        print_problems(session.output, in_reading_order(fault.problems), Code.REFUSED)
        return Code.REFUSED
    body = recipe_body(sent, arguments.values)
    body |= {key: value for key, value in options.items() if value is not None}
    name = name or stack_name_of(template)
    try:
        async with session.api() as api:
            return await _target(api, name, template, sent, body)
    except Refusal as refusal:
        return told_refusal(session.output, refusal, sent)


async def _target(
    api: Api, name: str, template: str, sent: Discovered, body: dict[str, Any]
) -> Target:
    shown = await _present(api, name)
    if shown is None:
        answer = await api.call("POST", "/stacks/preview", {"stack_name": name, **body})
        return Target(name, sent, body, None, plan_of_creation(answer, template))
    existing = name_of(shown)
    answer = await api.call("PUT", f"{existing.path}/preview", body, query={"show_nested": "true"})
    state = shown["stack_status"]
    if state.startswith("DELETE_"):
        raise Stop(f"{name} is being deleted", Code.REFUSED, f"see `hotplate attach {name}`")
    plan = plan_of_update(answer, existing.etag, template, given_values(sent, body["parameters"]))
    return Target(existing.name, sent, body, existing, plan, state)


async def _present(api: Api, name: str) -> Document | None:
    try:
        shown = await api.stack(name)
    except Refusal as refusal:
        if refusal.is_missing:
            return None
        raise
    return None if shown.get("deletion_time") else shown
