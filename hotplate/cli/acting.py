"""`retry`, `rollback`, `cancel`, `check`, `suspend`, `resume`: one request, followed to the end."""

import click

from hotplate.cli.codes import Code, Stop
from hotplate.cli.commanding import command
from hotplate.cli.names import detach_option, stack_argument
from hotplate.cli.outcome import Begun, action_body, carry_out, refuse_to_detach
from hotplate.cli.session import Session, with_session
from hotplate.client.api import Api


async def act(session: Session, name: str, request: str, detach: bool) -> int:
    """Ask for an action and follow it; return the exit code."""
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

    return await carry_out(session, begin, detach=detach)


@command("retry", examples=[("hotplate retry app", "Once more, with the same template:")])
@stack_argument
@detach_option
@with_session
async def retry(session: Session, name: str, detach: bool) -> int:
    """Try again what failed, with what the stack is made of."""
    return await act(session, name, "retry", detach)


@command("rollback", examples=[("hotplate rollback app", "Give up a failed update:")])
@stack_argument
@detach_option
@with_session
async def rollback(session: Session, name: str, detach: bool) -> int:
    """Go back to the template and the values that last completed."""
    return await act(session, name, "rollback", detach)


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
