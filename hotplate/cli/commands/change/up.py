"""`hotplate up`: bring a stack to what a template says."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

import click

from hotplate.cli.answers.plan import Plan, plan_of_creation, plan_of_update
from hotplate.cli.command_line.arguments import complete_stack, detach_option, yes_option
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.outcome import Begun, carry_out, confirm, refuse_to_detach
from hotplate.cli.input.environment_list import TakesEnvironments
from hotplate.cli.input.files import STDIN, read
from hotplate.cli.input.recipe import (
    RecipeArguments,
    given_values,
    recipe_body,
    recipe_options,
    stack_name_of,
)
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.output.problems import (
    in_reading_order,
    language_warnings,
    print_problems,
    print_warnings,
)
from hotplate.cli.output.refusals import report_refusal
from hotplate.cli.session.session import Purpose, Session, with_session
from hotplate.cli.view.plans import question, show_plan
from hotplate.client import Api, Discovered, Document, Refusal, StackName, discover, name_of
from hotplate.document import InvalidDocument

_ATTEMPTS = 5
"""Times that an update is sent again because others came between."""


class Existing(Enum):
    """What becomes of a stack that is there already."""

    ANY = "updated, and created if there is none"
    REFUSED = "refused: it must not be there"
    REPLACED = "updated to what is given: it must be there"
    KEPT = "updated where something is given: it must be there"


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted of a stack. ``options`` are further fields of the request."""

    arguments: RecipeArguments
    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    existing: Existing = Existing.ANY
    only_if_unchanged: bool = False
    converges: bool = False
    """Whether an update also brings back what others have changed in objects."""

    takes_over: bool = False
    """Whether it may take the place of an operation that is not at its end."""


@dataclass(frozen=True, slots=True)
class Target:
    """What shall become of which stack."""

    order: Order
    sent: Discovered
    body: dict[str, Any]
    existing: StackName | None
    plan: Plan
    state: str = ""

    @property
    def name(self) -> str:
        """The stack's name."""
        return self.existing.name if self.existing else self.order.name

    @property
    def is_busy(self) -> bool:
        """Whether the stack has not come to the end of what it was asked for."""
        return self.state.endswith("_IN_PROGRESS")

    @property
    def method(self) -> str:
        """How to ask for the update of a stack."""
        return "PATCH" if self.order.existing is Existing.KEPT else "PUT"


def converge_option(function: Any) -> Any:
    """Add the option that lets an update compare objects with what is wanted."""
    return click.option(
        "--converge", is_flag=True, help="Also bring back what others have changed."
    )(function)


def target_options(function: Any) -> Any:
    """Add the arguments that `up` and `preview` have in common."""
    function = click.option(
        "--all", "show_all", is_flag=True, help="List every step of a long plan."
    )(function)
    function = converge_option(function)
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
        ("hotplate up - app --yes < app.yaml", "From standard input:"),
        ("hotplate up app.yaml --converge", "And bring back what somebody has changed:"),
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
@click.option(
    "--take-over",
    is_flag=True,
    help="Take the place of what the stack is doing, without a question.",
)
@with_session
async def up(
    session: Session,
    template: str,
    name: str | None,
    environments: tuple[str, ...],
    parameters: tuple[str, ...],
    parameter_files: tuple[str, ...],
    converge: bool,
    show_all: bool,
    yes: bool,
    only_preview: bool,
    detach: bool,
    minutes: int | None,
    rollback: bool,
    tags: str | None,
    only_if_unchanged: bool,
    take_over: bool,
) -> int:
    """Create a stack, or update it: show the plan, ask, do it, follow it to the end.

    TEMPLATE is a path, an address, or - for standard input. The stack is named after it unless you
    name it. Without a server the work is done by this command; Ctrl-C pauses it, and
    `hotplate attach` goes on.
    """
    options: dict[str, Any] = {"timeout_mins": minutes, "tags": tags}
    if rollback:
        options["disable_rollback"] = False
    order = Order(
        RecipeArguments(template, environments, parameters, parameter_files),
        named(name, template),
        options,
        converges=converge,
        only_if_unchanged=only_if_unchanged,
        takes_over=take_over,
    )
    return await bring_up(session, order, show_all, yes, only_preview, detach)


def named(name: str | None, template: str) -> str:
    """Return the name of the stack. Raises UsageError if neither it nor a file gives one."""
    if not name and template == STDIN:
        raise click.UsageError("a template from standard input has no name; name the stack")
    return name or stack_name_of(template)


async def bring_up(
    session: Session,
    order: Order,
    show_all: bool = False,
    yes: bool = True,
    only_preview: bool = False,
    detach: bool = False,
) -> int:
    """Show the plan of an order, ask, carry it out and follow it; return the exit code."""
    if detach:
        refuse_to_detach(session)
    target = await planned(session, order)
    if isinstance(target, int):
        return target
    show_plan(session.output, target.name, target.plan, target.existing is None, show_all)
    if only_preview:
        return Code.CHANGES if target.plan.has_changes else Code.DONE
    if target.is_busy and not order.takes_over:
        target = _allowed_to_take_over(session, target, yes)
    elif target.plan.has_changes:
        verb = "Create" if target.existing is None else "Update"
        confirm(session.output, question(f"{verb} {target.name}", target.plan), yes)

    async def begin(api: Api) -> Begun:
        return await _begin(api, target)

    try:
        return await carry_out(session, begin, target.plan, detach)
    except Refusal as refusal:
        return report_refusal(session.output, refusal, target.sent)


def _allowed_to_take_over(session: Session, target: Target, yes: bool) -> Target:
    """Ask whether what a stack is doing may be given up. Raises Stop if it may not."""
    if yes or session.output.is_json:
        raise _busy(target.name, target.state)
    session.output.note(f"{target.name} is busy: {target.state}")
    start = f"Update {target.name}, and take over from what it is doing"
    confirm(session.output, question(start, target.plan), yes)
    return replace(target, order=replace(target.order, takes_over=True))


def _busy(name: str, state: str) -> Stop:
    return Stop(
        f"{name} is busy: {state}",
        Code.REFUSED,
        f"`hotplate attach {name}` follows it to its end, --take-over takes its place",
    )


async def _begin(api: Api, target: Target) -> Begun:
    existing = target.existing
    if existing is None:
        answer = await api.call("POST", "/stacks", {"stack_name": target.name, **target.body})
        return Begun(StackName(target.name, answer["stack"]["id"]), "CREATE", sequence=1)
    after = await api.last_event(existing)
    order = target.order
    # What began after the plan was made must not be given up unasked either.
    etag = target.plan.etag if order.only_if_unchanged or not order.takes_over else ""
    for _ in range(_ATTEMPTS):
        try:
            _, sequence = await api.begin(target.method, existing.path, target.body, etag=etag)
        except Refusal as refusal:
            if refusal.status != 412 or order.only_if_unchanged:
                raise
            shown = await api.stack(existing.id)
            if shown["stack_status"].endswith("_IN_PROGRESS"):
                raise _busy(target.name, shown["stack_status"]) from None
            etag = shown["etag"]
        else:
            return Begun(existing, "UPDATE", after, sequence=sequence)
    raise Stop(f"{target.name} changes all the time", Code.REFUSED, "try again in a moment")


async def planned(session: Session, order: Order) -> Target | int:
    """Return the target with its plan, or the exit code if there can be none."""
    arguments = order.arguments
    try:
        sent = discover(arguments.template, arguments.environments, read)
    except InvalidDocument as fault:
        print_problems(session.output, in_reading_order(fault.problems), Code.REFUSED)
        return Code.REFUSED
    print_warnings(session.output, language_warnings(sent))
    body = recipe_body(sent, arguments.values)
    body |= {key: value for key, value in order.options.items() if value is not None}
    try:
        async with session.api(Purpose.PLAN) as api:
            return await _target(session, api, order, sent, body)
    except Refusal as refusal:
        return report_refusal(session.output, refusal, sent)


async def _target(
    session: Session, api: Api, order: Order, sent: Discovered, body: dict[str, Any]
) -> Target:
    template = order.arguments.template or ""
    shown = await _present(session, api, order)
    if shown is None:
        answer = await api.call("POST", "/stacks/preview", {"stack_name": order.name, **body})
        return Target(order, sent, body, None, plan_of_creation(answer, template))
    if order.converges:
        body = {**body, "converge": True}  # refused in what a stack is created with
    target = Target(order, sent, body, name_of(shown), Plan(()), shown["stack_status"])
    existing = name_of(shown)
    if target.state == "DELETE_FAILED":
        raise Stop(
            f"{existing.name} could not be deleted, and what is left of it cannot be updated",
            Code.REFUSED,
            f"`hotplate down {existing.name}` tries again; `hotplate failures {existing.name}` "
            "says what failed, and what else can be done",
        )
    if target.state.startswith("DELETE_"):
        raise Stop(
            f"{existing.name} is being deleted",
            Code.REFUSED,
            f"see `hotplate attach {existing.name}`",
        )
    if target.state == "SUSPEND_COMPLETE":
        hint = f"`hotplate resume {existing.name}` wakes it up"
        raise Stop(f"{existing.name} is suspended", Code.REFUSED, hint)
    answer = await api.call(
        target.method, f"{existing.path}/preview", body, query={"show_nested": "true"}
    )
    plan = plan_of_update(answer, existing.etag, template, given_values(sent, body["parameters"]))
    return replace(target, plan=plan)


async def _present(session: Session, api: Api, order: Order) -> Document | None:
    """Return the stack that an order is about, None if it has to be made. Raises Stop."""
    if order.existing in (Existing.REPLACED, Existing.KEPT):
        return await session.shown(api, order.name)
    try:
        shown = await api.stack(order.name)
    except Refusal as refusal:
        if refusal.is_missing:
            return None
        raise
    if shown.get("deletion_time"):
        return None
    if order.existing is Existing.REFUSED:
        raise Stop(
            f"the stack {order.name} exists already",
            Code.REFUSED,
            f"`hotplate stack update` changes it, `hotplate show {order.name}` shows it",
        )
    return shown
