"""`hotplate import`: a template of objects that exist already."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from hotplate.cli.command_line.arguments import complete_type
from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.values import as_yaml
from hotplate.client import Api, Document, Refusal
from hotplate.document.suggestion import did_you_mean

_HEAD = """\
heat_template_version: 2021-04-16

# Made by `hotplate import` of objects that exist already. `hotplate up` with this template uses
# them as they are: they are external and nothing in them is changed. Once a line external_id is
# taken out, the next update brings that object under management, with the properties below it.

resources:
"""


@command(
    "import",
    examples=[
        ("hotplate import OS::Nova::Server 6c2a3f00-4f0e", "A template of a server:"),
        ("hotplate import OS::Cinder::Volume a1 b2 --output-file disks.yaml", "Of two disks:"),
    ],
)
@click.argument("type_name", metavar="TYPE", shell_complete=complete_type)
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@click.option("--output-file", metavar="FILE", help="Where to write the template.")
@with_session
async def import_(
    session: Session, type_name: str, ids: tuple[str, ...], output_file: str | None
) -> None:
    """Print a template with a resource for each object that exists already.

    It has the object's id as external_id, and as properties what the provider tells and is not the
    default. `hotplate up` with it changes nothing; without the line external_id an object is
    managed from then on.
    """
    async with session.api() as api:
        objects = [await _described(api, type_name, each) for each in dict.fromkeys(ids)]
    text = template_of(type_name, objects)
    for name, each in zip(_names(type_name, len(objects)), objects, strict=True):
        session.output.record("object", resource_name=name, resource_type=type_name, **each)
    if output_file is None:
        session.output.say(text.rstrip())
        return
    _write(output_file, text)
    session.output.note(f"`hotplate up {output_file}` uses what it describes")


def _write(file: str, text: str) -> None:
    try:
        Path(file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise Stop(f"{file} cannot be written: {error.strerror}", Code.USAGE) from None


async def _described(api: Api, type_name: str, object_id: str) -> Document:
    path = f"/resource_types/{quote(type_name, safe='~:')}"
    try:
        answer = await api.call("GET", f"{path}/object", query={"id": object_id})
    except Refusal as refusal:
        if not refusal.is_missing:
            raise
        known = (await api.call("GET", "/resource_types"))["resource_types"]
        if type_name in known:
            hint = "check the id, and the project that it is in"
            raise Stop(f"there is no {type_name} {object_id}", Code.REFUSED, hint) from None
        hint = did_you_mean(type_name, known) or "`hotplate types` lists them"
        raise Stop(f'there is no type "{type_name}"', Code.REFUSED, hint) from None
    found: Document = answer["object"]
    return found


def template_of(type_name: str, objects: list[Document]) -> str:
    """Return a template with a resource for each object."""
    parts = [_HEAD]
    for name, each in zip(_names(type_name, len(objects)), objects, strict=True):
        resource: dict[str, Any] = {
            "type": type_name,
            "external_id": each["physical_resource_id"],
        }
        block = _indented(as_yaml({name: resource}), "  ")
        required = each["required"]
        others = [key for key in each["unread"] if key not in required]
        if required:
            block += f"    # cannot be read, and needed to manage it: {', '.join(required)}\n"
        if others:
            block += f"    # cannot be read: {', '.join(others)}\n"
        if each["properties"]:
            block += _indented(as_yaml({"properties": each["properties"]}), "    ")
        parts.append(block)
    return "".join(parts)


def _names(type_name: str, count: int) -> list[str]:
    """Return names for resources of a type: server, or server_1 and so on."""
    last = type_name.rsplit("::", 1)[-1]
    word = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).lower()
    word = re.sub(r"[^a-z0-9_]+", "_", word) or "resource"
    return [word] if count == 1 else [f"{word}_{number}" for number in range(1, count + 1)]


def _indented(text: str, space: str) -> str:
    return "".join(
        f"{space}{line}" if line.strip() else line for line in text.splitlines(keepends=True)
    )
