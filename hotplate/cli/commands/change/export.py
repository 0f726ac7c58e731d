"""`hotplate export`: what is needed to adopt a stack."""

import json
from pathlib import Path

import click

from hotplate.cli.command_line.arguments import stack_argument
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Session, with_session
from hotplate.client import Document

output_file_option = click.option(
    "--output-file", metavar="FILE", help="Where to write what is needed to adopt it."
)


@command(
    "export",
    examples=[("hotplate export app --output-file app.json", "Write it down, and keep it:")],
)
@stack_argument
@output_file_option
@with_session
async def export(session: Session, name: str, output_file: str | None) -> None:
    """Print what is needed to adopt a stack; it stays as it is."""
    async with session.api() as api:
        stack = await session.existing(api, name)
        document = await api.call("GET", f"{stack.path}/export")
    print_export(session, document, output_file)


def print_export(session: Session, document: Document, file: str | None) -> None:
    """Write what is needed to adopt a stack to a file, or print it."""
    write_export(document, file)
    session.output.record("export", document=document)
    if file is not None:
        session.output.note(f"{file} has what `hotplate adopt` needs")
    else:
        session.output.say(json.dumps(document, indent=2, ensure_ascii=False))


def write_export(document: Document, file: str | None) -> None:
    """Write what is needed to adopt a stack to a file that only its owner can read, if named."""
    if file is None:
        return
    try:
        path = Path(file)
        path.touch(mode=0o600)
        path.write_text(f"{json.dumps(document, indent=2)}\n", encoding="utf-8")
    except OSError as error:
        raise Stop(f"{file} cannot be written: {error.strerror}", Code.USAGE) from None
