"""`hotplate demo`: a stack on an engine in this process, as long as there is no `hotplate up`."""

import asyncio
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from hotplate.cli.problems import print_report
from hotplate.cli.template import full_report, named_value
from hotplate.client.files import discover
from hotplate.document import InvalidDocument
from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import NotFound
from hotplate.model import Event, Stack, Status
from hotplate.resources.directory import Directory

_PROJECT = "demo"
_PAUSE = 0.05


@click.command("demo", hidden=True)
@click.argument("file")
@click.option(
    "-e", "--environment", "environments", multiple=True, metavar="FILE", help="An environment."
)
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A value for a parameter.",
)
@click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where the engine keeps its database and its objects; without it, nowhere for long.",
)
@click.option("--delete", is_flag=True, help="Delete the stack at the end.")
def demo(
    file: str,
    environments: tuple[str, ...],
    parameters: tuple[str, ...],
    data: Path | None,
    delete: bool,
) -> None:
    """Bring a stack up, print its events as they happen, and its outputs at the end."""
    values = dict(map(named_value, parameters))
    report = full_report(file, environments, values)
    succeeded = False
    if report.is_valid:
        try:
            with _kept_in(data) as folder:
                recipe = _recipe(file, environments, values)
                succeeded = asyncio.run(_demonstrate(folder, Path(file).stem, recipe, delete))
        except InvalidDocument as fault:
            report.errors.extend(fault.problems)
    if not report.is_valid:
        print_report(file, report, "text")
    sys.exit(0 if succeeded else 1)


def _recipe(file: str, environments: tuple[str, ...], values: dict[str, str]) -> Recipe:
    found = discover(file, environments)
    return Recipe(
        json.dumps(found.template),
        files=found.files,
        environment_files=found.environment_files,
        parameters=values,
    )


@contextmanager
def _kept_in(data: Path | None) -> Iterator[Path]:
    if data is not None:
        yield data
        return
    with tempfile.TemporaryDirectory(prefix="hotplate-") as folder:
        yield Path(folder)


async def _demonstrate(folder: Path, name: str, recipe: Recipe, delete: bool) -> bool:
    services = {"directory": Directory(folder / "objects")}
    async with embedded(folder / "hotplate.db", services) as engine:
        stack = await _follow(engine, *await _accepted(engine, name, recipe))
        if stack.status is Status.COMPLETE:
            _print_outputs(await engine.operations.outputs(stack.id))
        if delete:
            seen = await _last_event(engine, stack.id)
            await engine.operations.delete(stack.id)
            gone = await _follow(engine, stack.id, seen)
            return stack.status is gone.status is Status.COMPLETE
    return stack.status is Status.COMPLETE


async def _accepted(engine: Embedded, name: str, recipe: Recipe) -> tuple[str, int]:
    """Create or update the stack of that name; return its id and the last event before."""
    operations = engine.operations
    try:
        present = await operations.find(_PROJECT, name)
    except NotFound:
        return await operations.create(_PROJECT, name, recipe), 0
    seen = await _last_event(engine, present.id)
    await operations.update(present.id, recipe)
    return present.id, seen


async def _last_event(engine: Embedded, stack_id: str) -> int:
    events = await engine.operations.events(stack_id)
    return events[-1].number if events else 0


async def _follow(engine: Embedded, stack_id: str, seen: int) -> Stack:
    """Print events until the stack has come to rest; return it."""
    while True:
        # The stack is read first: whatever ended it is then among the events.
        stack = await engine.operations.stack(stack_id)
        for event in await engine.operations.events(stack_id, after=seen):
            _print_event(stack, event)
            seen = event.number
        if stack.status is not Status.IN_PROGRESS:
            return stack
        await asyncio.sleep(_PAUSE)


def _print_event(stack: Stack, event: Event) -> None:
    at = datetime.fromtimestamp(event.at, UTC).strftime("%Y-%m-%d %H:%M:%SZ")
    is_stack = event.physical_id == stack.id
    what = stack.name if is_stack else f"{stack.name}.{event.name}"
    click.echo(f"{at} [{what}]: {event.action.value}_{event.status.value}  {event.reason}")


def _print_outputs(outputs: dict[str, Any]) -> None:
    for name, value in outputs.items():
        shown = value if isinstance(value, str) else json.dumps(value, default=str)
        click.echo(f"{name}: {shown}")
