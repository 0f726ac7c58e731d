"""`hotplate abandon`: forget a stack and leave its objects alone."""

from hotplate.cli.command_line.arguments import stack_argument, yes_option
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.commands.change.export import output_file_option, print_export, write_export
from hotplate.cli.following.outcome import confirm
from hotplate.cli.session.session import Session, with_session


@command(
    "abandon",
    examples=[("hotplate abandon app --output-file app.json", "Hand app over to another server:")],
)
@stack_argument
@output_file_option
@yes_option
@with_session
async def abandon(session: Session, name: str, output_file: str | None, yes: bool) -> None:
    """Forget a stack, leave its objects alone, and print what is needed to adopt it."""
    async with session.api() as api:
        stack = await session.existing(api, name)
        document = await api.call("GET", f"{stack.path}/export")
        question = f"Forget {stack.name}? Its objects stay, and are not managed any more."
        confirm(session.output, question, yes)
        # Written before it is forgotten: a full disk must not lose it.
        write_export(document, output_file)
        document = await api.call("DELETE", f"{stack.path}/abandon")
    session.output.note(f"{stack.name} is forgotten; its objects stay")
    print_export(session, document, output_file)
