"""`retry`, `rollback`, `cancel`, `check`, `suspend`, `resume`: one request, followed to the end."""

import click

from hotplate.cli.answers.plan import Plan, plan_of_update
from hotplate.cli.command_line.arguments import detach_option, stack_argument, yes_option
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.outcome import Begun, action_body, carry_out, confirm, refuse_to_detach
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Purpose, Session, with_session
from hotplate.cli.view.plans import question, show_plan
from hotplate.client import Api, Refusal, StackName


async def act(
    session: Session, name: str, request: str, detach: bool, plan: Plan | None = None
) -> int:
    """Ask for an action and follow it; return the exit code. ``plan`` is what it will do."""
    if detach:
        refuse_to_detach(session)
    async with session.api() as api:
        stack = await session.existing(api, name)

    async def begin(api: Api) -> Begun:
        after = await api.last_event(stack)
        await api.call("POST", f"{stack.path}/actions", action_body(request))
        shown = await api.stack(stack.id)
        action = "CANCEL" if request.startswith("cancel") else ""
        return Begun(stack, action or shown["stack_status"].partition("_")[0], after)

    return await carry_out(session, begin, plan, detach)


@command("retry", examples=[("hotplate retry app", "Once more, with the same template:")])
@stack_argument
@detach_option
@with_session
async def retry(session: Session, name: str, detach: bool) -> int:
    """Try again what failed, with what the stack is made of."""
    return await act(session, name, "retry", detach)


@command(
    "rollback",
    examples=[
        ("hotplate rollback app", "Give up a failed update:"),
        ("hotplate rollback app --yes", "In a script:"),
    ],
)
@stack_argument
@yes_option
@detach_option
@click.option("--all", "show_all", is_flag=True, help="List every step of a long plan.")
@with_session
async def rollback(session: Session, name: str, yes: bool, detach: bool, show_all: bool) -> int:
    """Go back to the template and the values that last completed: show the plan, ask, do it."""
    if detach:
        refuse_to_detach(session)
    async with session.api(Purpose.PLAN) as api:
        stack = await session.existing(api, name)
        plan = await _way_back(session, api, stack)
    if plan is not None:
        show_plan(session.output, stack.name, plan, is_new=False, show_all=show_all)
    confirm(session.output, question(f"Roll {stack.name} back", plan), yes)
    return await act(session, name, "rollback", detach, plan)


async def _way_back(session: Session, api: Api, stack: StackName) -> Plan | None:
    """Return what a rollback would do, None if that cannot be computed."""
    try:
        answer = await api.call("GET", f"{stack.path}/rollback", query={"show_nested": "true"})
    except Refusal as refusal:
        if refusal.status >= 500 or refusal.status == 401:
            raise
        message = " ".join(refusal.message.split()).rstrip(".")
        session.output.note(f"what the rollback will do cannot be shown: {message}")
        return None
    return plan_of_update(answer)


@command(
    "cancel",
    examples=[
        ("hotplate cancel app", "Stop an update and go back:"),
        ("hotplate cancel app --no-rollback", "Stop it where it is:"),
    ],
)
@stack_argument
@click.option("--no-rollback", is_flag=True, help="Leave everything as it is at that moment.")
@detach_option
@with_session
async def cancel(session: Session, name: str, no_rollback: bool, detach: bool) -> int:
    """Stop an update and go back to what was; with --no-rollback also a creation."""
    return await stop(session, name, no_rollback, detach)


async def stop(session: Session, name: str, no_rollback: bool, detach: bool) -> int:
    """Stop what a stack is doing and follow it; return the exit code. Raises Stop."""
    if not no_rollback:
        async with session.api() as api:
            state = (await session.shown(api, name))["stack_status"]
        if state == "CREATE_IN_PROGRESS":
            raise Stop(
                "there is nothing to go back to while a stack is created",
                Code.REFUSED,
                f"`hotplate cancel {name} --no-rollback` stops it where it is",
            )
    request = "cancel_without_rollback" if no_rollback else "cancel_update"
    return await act(session, name, request, detach)


@command("check", examples=[("hotplate check app", "Is everything still there?")])
@stack_argument
@detach_option
@with_session
async def check(session: Session, name: str, detach: bool) -> int:
    """Ask every resource whether it is there and well."""
    return await act(session, name, "check", detach)


@command("suspend", examples=[("hotplate suspend app", "Over the weekend:")])
@stack_argument
@detach_option
@with_session
async def suspend(session: Session, name: str, detach: bool) -> int:
    """Put all resources to rest."""
    return await act(session, name, "suspend", detach)


@command("resume", examples=[("hotplate resume app", "On Monday:")])
@stack_argument
@detach_option
@with_session
async def resume(session: Session, name: str, detach: bool) -> int:
    """Wake all resources up."""
    return await act(session, name, "resume", detach)
