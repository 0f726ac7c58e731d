"""`hotplate abandon`, `export` and `adopt`: stacks that come and go with their objects."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hotplate.cli.command_line.arguments import detach_option, stack_argument, yes_option
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.outcome import Begun, carry_out, confirm, refuse_to_detach
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Session, with_session
from hotplate.client import Api, Document, StackName

_OUTPUT_FILE = click.option(
    "--output-file", metavar="FILE", help="Where to write what is needed to adopt it."
)


@command(
    "abandon",
    examples=[("hotplate abandon app --output-file app.json", "Hand app over to another server:")],
)
@stack_argument
@_OUTPUT_FILE
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
        _write(document, output_file)
        document = await api.call("DELETE", f"{stack.path}/abandon")
    session.output.note(f"{stack.name} is forgotten; its objects stay")
    _write_export(session, document, output_file)


@command(
    "export",
    examples=[("hotplate export app --output-file app.json", "Write it down, and keep it:")],
)
@stack_argument
@_OUTPUT_FILE
@with_session
async def export(session: Session, name: str, output_file: str | None) -> None:
    """Print what is needed to adopt a stack; it stays as it is."""
    async with session.api() as api:
        stack = await session.existing(api, name)
        document = await api.call("GET", f"{stack.path}/export")
    _write_export(session, document, output_file)


def _write_export(session: Session, document: Document, file: str | None) -> None:
    _write(document, file)
    session.output.record("export", document=document)
    if file is not None:
        session.output.note(f"{file} has what `hotplate adopt` needs")
    else:
        session.output.say(json.dumps(document, indent=2, ensure_ascii=False))


def _write(document: Document, file: str | None) -> None:
    if file is None:
        return
    try:
        path = Path(file)
        path.touch(mode=0o600)
        path.write_text(f"{json.dumps(document, indent=2)}\n", encoding="utf-8")
    except OSError as error:
        raise Stop(f"{file} cannot be written: {error.strerror}", Code.USAGE) from None


@command(
    "adopt",
    examples=[("hotplate adopt app app.json", "Take over what `abandon` wrote down:")],
)
@click.argument("name", metavar="STACK")
@click.argument("file")
@detach_option
@with_session
async def adopt(session: Session, name: str, file: str, detach: bool) -> int:
    """Make a stack of objects that exist, as `abandon` wrote them down."""
    return await bring_in(session, name, file, {}, detach)


async def bring_in(
    session: Session, name: str, file: str, options: Mapping[str, Any], detach: bool
) -> int:
    """Adopt what a file describes and follow it; ``options`` are fields of the request."""
    if detach:
        refuse_to_detach(session)
    data = _read(file)

    async def begin(api: Api) -> Begun:
        body: dict[str, Any] = {"stack_name": name, "adopt_stack_data": json.dumps(data)}
        fields = ("template", "environment", "files")
        body |= {field: data[field] for field in fields if data.get(field)}
        answer = await api.call("POST", "/stacks", {**body, **options})
        return Begun(StackName(name, answer["stack"]["id"]), "ADOPT")

    return await carry_out(session, begin, detach=detach)


def _read(file: str) -> dict[str, Any]:
    try:
        data = json.loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        message = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise Stop(f"{file} cannot be read: {message}", Code.USAGE) from None
    except ValueError as error:
        raise Stop(f"{file} is not what `hotplate abandon` writes: {error}", Code.USAGE) from None
    if not isinstance(data, dict):
        raise Stop(f"{file} is not what `hotplate abandon` writes", Code.USAGE)
    return data
