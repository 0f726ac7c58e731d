"""An engine whose workflows are run by a real Mistral, or by itself; every test runs on both."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
import yaml
from sqlalchemy import Connection

from hotplate.engine.embedded import Embedded, embedded, opened
from hotplate.engine.recipes import Recipe
from hotplate.engine.refusals import NotFound
from hotplate.engine.requests.acceptance import Options
from hotplate.model import Action, Status, Version
from hotplate.store.versions import save_versions, versions_of
from hotplate.store.workflows.definitions import StoredEnvironment
from hotplate.workflow.drivers.driver import SERVICE, Execution, Refused, Start, Unreachable
from hotplate.workflow.drivers.remote import RemoteWorkflows
from hotplate.workflow.running import OPERATIONS, workflows
from tests.databases import sqlite_file
from tests.mistral_server import Mistral

PROJECT = "project"
DRIVERS = ("remote", "embedded")


@dataclass(slots=True)
class Recording:
    """Passes everything on, and remembers what was asked for."""

    inner: Any
    started: list[Start] = field(default_factory=list)
    """In the order of the calls; the same request twice is listed twice."""

    async def start(self, project: str, request: Start) -> Execution:
        self.started.append(request)
        found: Execution = await self.inner.start(project, request)
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


@dataclass(frozen=True, slots=True)
class Patient:
    """Asks again what a busy machine did not answer in time; the engine does so by itself."""

    inner: Any
    seconds: float = 120.0

    async def create_workflow(self, project: str, definition: str) -> None:
        """Store a workflow of a name that nobody else has: that it is there is no error."""
        try:
            await self._asked("create_workflow", project, definition)
        except Refused as error:
            if "409" not in str(error):
                raise

    def __getattr__(self, name: str) -> Any:
        return partial(self._asked, name)

    async def _asked(self, name: str, *args: Any) -> Any:
        end = time.monotonic() + self.seconds
        while True:
            try:
                return await getattr(self.inner, name)(*args)
            except Unreachable:
                if time.monotonic() > end:
                    raise
            await asyncio.sleep(0.2)


@dataclass(slots=True)
class Lab:
    """One stack on an engine."""

    folder: Path
    url: str | None
    """Of the Mistral that runs workflows; without one the engine does it itself."""

    service: Recording = field(default_factory=lambda: Recording(None))
    engine: Embedded = field(init=False)
    _opened: AsyncExitStack = field(default_factory=AsyncExitStack)
    stack_id: str = ""
    names: dict[str, str] = field(default_factory=dict)

    async def open(self) -> None:
        """Start the engine."""
        running = embedded(sqlite_file(self.folder / "engine.db"), extend=self._extend)
        self.engine = await self._opened.enter_async_context(running)

    @asynccontextmanager
    async def _extend(self, engine: Embedded) -> AsyncIterator[Mapping[str, Any]]:
        async with workflows()(engine) as services:
            self.service.inner = (
                services[SERVICE] if self.url is None else RemoteWorkflows(self.url)
            )
            yield {**services, SERVICE: self.service}

    async def close(self) -> None:
        """Stop the engine; whatever is under way stays as it is."""
        await self._opened.aclose()

    async def restart(self, forgotten: Mapping[str, Any]) -> None:
        """Stop the engine, let the resource know less than it did, and start the engine again."""
        await self.close()
        async with opened(self.folder / "engine.db") as engine:

            def forget(connection: Connection) -> None:
                version = versions_of(connection, self.stack_id)[-1]
                version.cookie = {**version.cookie, **forgotten}
                save_versions(connection, [version])

            await engine.database.transact(forget)
        await self.open()

    @property
    def asked(self) -> Patient:
        """Whoever runs workflows, asked by the test itself."""
        return Patient(self.service.inner)

    async def define(self, name: str, body: Mapping[str, Any]) -> str:
        """Store a workflow under a name of its own; return that."""
        known = f"{name}_{uuid4().hex[:8]}"
        text = yaml.safe_dump({"version": "2.0", known: dict(body)}, sort_keys=False)
        await self.asked.create_workflow(PROJECT, text)
        self.names[known] = name
        return known

    async def echo(self, name: str, output: Mapping[str, Any], *inputs: Any) -> str:
        """Store a workflow that does nothing but put something out."""
        body: dict[str, Any] = {"output": dict(output), "tasks": {"t": {"action": "std.noop"}}}
        return await self.define(name, {"input": list(inputs), **body} if inputs else body)

    async def store_environment(self, name: str, variables: Mapping[str, Any]) -> None:
        """Store an environment under its name, where workflows are run."""
        if self.url is None:
            operations = self.engine.tools.world.service(OPERATIONS)
            item = StoredEnvironment(str(uuid4()), PROJECT, name, "", dict(variables), "private", 0)
            await operations.create_environment(item)
            return
        async with httpx.AsyncClient(trust_env=False) as client:
            body = {"name": name, "variables": json.dumps(dict(variables))}
            answer = await client.post(f"{self.url}/environments", json=body, timeout=60)
            assert answer.is_success, answer.text

    def ran(self) -> list[str]:
        """Return the workflows that were started, in order, each start once."""
        requests = {request.id: request.workflow for request in self.service.started}
        return [self.names.get(workflow, workflow) for workflow in requests.values()]

    def request(self, name: str) -> Start:
        """Return how a workflow was last started."""
        return next(w for w in reversed(self.service.started) if self.names[w.workflow] == name)

    async def execution(self, name: str) -> Execution:
        """Return the last execution of a workflow."""
        found: Execution | None = await self.asked.show(PROJECT, self.request(name).id)
        assert found is not None
        return found

    async def create(self, properties: Mapping[str, Any], **options: Any) -> None:
        """Begin a stack with the one resource."""
        await self.create_from(template(properties), **options)

    async def create_from(self, text: str, **options: Any) -> None:
        """Begin a stack of any template."""
        self.stack_id = await self.engine.operations.create(
            PROJECT, f"stack-{uuid4().hex[:6]}", Recipe(text), Options(**options)
        )

    async def update(self, properties: Mapping[str, Any], **options: Any) -> None:
        """Begin an update of the stack."""
        await self.update_to(template(properties), **options)

    async def update_to(self, text: str, **options: Any) -> None:
        """Begin an update to any template."""
        await self.engine.operations.update(self.stack_id, Recipe(text), Options(**options))

    async def ended(self, expected: str = "COMPLETE", seconds: float = 180.0) -> str:
        """Wait for the end of what goes on; return the reason."""
        end = time.monotonic() + seconds
        while True:
            stack = await self.engine.operations.stack(self.stack_id)
            if stack.status is not Status.IN_PROGRESS:
                assert stack.status.value == expected, stack.reason
                return stack.reason
            assert time.monotonic() < end, stack
            await asyncio.sleep(0.02)

    async def created(self, properties: Mapping[str, Any], **options: Any) -> None:
        """Create a stack and see it complete."""
        await self.create(properties, **options)
        await self.ended()

    async def updated(self, properties: Mapping[str, Any]) -> None:
        """Update the stack and see it complete."""
        await self.update(properties)
        await self.ended()

    async def deleted(self) -> None:
        """Delete the stack and see it gone."""
        await self.engine.operations.delete(self.stack_id)
        await self.until(self._is_gone)

    async def _is_gone(self) -> bool:
        try:
            stack = await self.engine.operations.stack(self.stack_id)
        except NotFound:
            return True
        assert stack.status is not Status.FAILED, stack.reason
        return stack.action is Action.DELETE and stack.status is Status.COMPLETE

    async def until(self, holds: Callable[[], Any], seconds: float = 180.0) -> None:
        """Wait until a question is answered with yes."""
        end = time.monotonic() + seconds
        while not await holds():
            assert time.monotonic() < end, "it never came true"
            await asyncio.sleep(0.02)

    async def resource(self) -> Version:
        """Return the resource as the database has it."""
        found = await self.engine.database.read(
            lambda connection: versions_of(connection, self.stack_id)
        )
        return max(found, key=lambda version: version.id)

    async def outputs(self) -> Mapping[str, Any]:
        """Return the outputs of the stack."""
        found: Mapping[str, Any] = await self.engine.operations.outputs(self.stack_id)
        return found


def template(properties: Mapping[str, Any], kind: str = "OS::Mistral::ExternalResource") -> str:
    """Return a template with one resource, and what it is asked for in the outputs."""
    document = {
        "heat_template_version": "2016-10-14",
        "resources": {"thing": {"type": kind, "properties": dict(properties)}},
        "outputs": {
            "id": {"value": {"get_resource": "thing"}},
            "output": {"value": {"get_attr": ["thing", "output"]}},
            "a": {"value": {"get_attr": ["thing", "output", "a"]}},
        },
    }
    return yaml.safe_dump(document, sort_keys=False)


@asynccontextmanager
async def laboratory(folder: Path, url: str | None) -> AsyncIterator[Lab]:
    """An engine whose workflows a Mistral elsewhere runs, or without a URL the engine itself."""
    lab = Lab(folder, url)
    await lab.open()
    try:
        yield lab
    finally:
        await lab.close()


Play = Callable[[Callable[[Lab], Awaitable[None]]], None]


@pytest.fixture(params=DRIVERS)
def play(request: pytest.FixtureRequest, tmp_path: Path) -> Play:
    """Plays a story in a lab of either driver."""
    url = None
    if request.param == "remote":
        mistral: Mistral = request.getfixturevalue("mistral")
        url = mistral.url

    def played(story: Callable[[Lab], Awaitable[None]]) -> None:
        async def act() -> None:
            async with laboratory(tmp_path, url) as lab:
                await story(lab)

        asyncio.run(act())

    return played
