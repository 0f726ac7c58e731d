"""`hotplate rollback`: go back to what last completed."""

import click

from hotplate.cli.answers.plan import Plan, plan_of_update
from hotplate.cli.command_line.arguments import detach_option, stack_argument, yes_option
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.action import act
from hotplate.cli.following.outcome import confirm, refuse_to_detach
from hotplate.cli.session.session import Purpose, Session, with_session
from hotplate.cli.view.plans import question, show_plan
from hotplate.client import Api, Refusal, StackName


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
