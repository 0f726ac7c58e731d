"""`hotplate environment show`: what the environments of a stack come to, and from where."""

from collections.abc import Mapping
from typing import Any

import click

from hotplate.cli.answers.sources import shown_file
from hotplate.cli.command_line.arguments import stack_argument
from hotplate.cli.command_line.lazy_commands import LazyGroup, command
from hotplate.cli.session.session import Session, with_session
from hotplate.cli.view.short_forms import printable, shown_value
from hotplate.cli.view.values import as_yaml

environment = LazyGroup(
    "environment",
    help="Show what the environments of a stack come to.",
    lazy={"show": ("show.environment:show", "Print it, with origins if you like.")},
)

_SECTIONS = ("parameters", "parameter_defaults", "resource_registry")


@command(
    "show",
    examples=[
        ("hotplate environment show app", "What all environment files come to:"),
        ("hotplate environment show app --origins", "And where each value is from:"),
    ],
)
@stack_argument
@click.option("--origins", is_flag=True, help="Also show where every value is from.")
@with_session
async def show(session: Session, name: str, origins: bool) -> None:
    """Show what the environments of a stack come to; secrets are stars."""
    query = {"origins": "true"} if origins else {}
    async with session.api() as api:
        stack = await session.existing(api, name)
        found = await api.call("GET", f"{stack.path}/environment", query=query)
    output = session.output
    output.record("environment", stack_name=stack.name, **found)
    names = found.get("environment_file_names") or {}
    for number, file in enumerate(found.get("environment_files") or (), 1):
        output.say(f"# {number}. {_listed(file, names.get(file, file))}")
    for file, cleared in (found.get("cleared_parameters") or {}).items():
        words = f"{', '.join(cleared)} of {names.get(file, file)} cleared"
        output.say(f"# {printable(words)}")
    if not origins:
        output.say(as_yaml({key: found[key] for key in _SECTIONS if found.get(key)}).rstrip())
        return
    for each in found.get("origins") or ():
        path = each["path"]
        output.say(f"{printable('.'.join(path))}: {printable(shown_value(_value(found, path)))}")
        places = ", ".join(_place(place) for place in each.get("made_of") or [each])
        output.say(f"    from {places}")
        for earlier in each.get("overrode") or ():
            output.say(f"    instead of {shown_value(earlier['value'])} from {_place(earlier)}")


def _listed(file: str, name: str) -> str:
    """Return what an environment file is known by, and where it was sent from if that is more."""
    place = _file(file)
    return printable(name if place == name else f"{name}  ({place})")


def _value(document: Any, path: list[str]) -> Any:
    for step in path:
        document = document.get(step) if isinstance(document, Mapping) else None
    return document


def _place(place: Mapping[str, Any]) -> str:
    words = _file(place["file"])
    return f"{words}:{place['line']}" if place.get("line") else words


def _file(name: str) -> str:
    return shown_file(name)
