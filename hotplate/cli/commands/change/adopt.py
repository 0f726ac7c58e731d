"""`hotplate adopt`: make a stack of objects that exist."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from hotplate.cli.command_line.arguments import detach_option
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.following.outcome import Begun, carry_out, refuse_to_detach
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Session, with_session
from hotplate.client import Api, StackName


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
