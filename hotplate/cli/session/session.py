"""One run of a command: where it asks, how it prints, and how errors are reported."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from enum import Enum
from functools import wraps
from typing import Any, TypeVar

import click

from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.output.output import FORMS, Output
from hotplate.cli.session.place import EMBEDDED, Place, Wanted, place_of
from hotplate.client import Api, Document, Refusal, StackName, Unreachable, name_of
from hotplate.client.http import httpx
from hotplate.server import CannotStart, file_of

_TIMEOUT = 120.0
"""Seconds for an answer: a plan of many thousand resources takes its time."""

T = TypeVar("T")


class Purpose(Enum):
    """Whether, without a server, this process has to do the work itself."""

    CHECK = "check"
    LIST = "list"
    PLAN = "plan"
    READ = "read"
    SHOW = "show"
    VALIDATE = "validate"
    WORK = "work"


_SMALL = (Purpose.LIST, Purpose.SHOW, Purpose.VALIDATE)


class Session:
    """What a command is given."""

    def __init__(self, place: Place, output: Output) -> None:
        self.place = place
        self.output = output

    @property
    def is_embedded(self) -> bool:
        """Whether there is no server, and this process is the only one that works."""
        return self.place.embedded is not None

    @asynccontextmanager
    async def api(self, purpose: Purpose = Purpose.READ) -> AsyncIterator[Api]:
        """Open the way to the API. Without a server an engine runs only to work.

        To list and to show is to read, with less: only the list of stacks, or what shows one, is
        there, and begins at once. To validate is to know templates and no stacks. To check is to
        read nothing: there are no stacks. To plan is to read what may not be there yet.
        """
        place = self.place
        async with AsyncExitStack() as stack:
            transport = None
            if place.embedded is not None:
                from hotplate.cli.session import local  # a client needs no engine
                from hotplate.client import InProcess

                configuration = place.embedded
                if purpose is not Purpose.WORK and not _has_database(place, purpose):
                    # There is nothing yet, and reading makes nothing.
                    configuration = replace(configuration, database="sqlite://")
                    if purpose not in _SMALL:
                        purpose = Purpose.CHECK
                opened = {
                    Purpose.CHECK: local.checking_application,
                    Purpose.LIST: local.listing_application,
                    Purpose.PLAN: local.reading_application,
                    Purpose.READ: local.reading_application,
                    Purpose.SHOW: local.showing_application,
                    Purpose.VALIDATE: local.validating_application,
                    Purpose.WORK: local.working_application,
                }[purpose]
                transport = InProcess(await stack.enter_async_context(opened(configuration)))
            http = await stack.enter_async_context(
                httpx.AsyncClient(
                    transport=transport,
                    headers=dict(place.headers),
                    auth=place.auth,
                    timeout=httpx.Timeout(_TIMEOUT, connect=10.0),
                    # Proxies of the environment have no say about a server that was named.
                    trust_env=transport is None and not _is_local(place.base),
                )
            )
            yield Api(http, place.base)

    def tell_who_goes_on(self, name: str) -> None:
        """Remark that whatever may go on now needs a process that does it."""
        if self.is_embedded:
            self.output.note(f"`hotplate attach {name}` goes on with it, if nothing else does")

    def warn_if_unserved(self, values: Any) -> None:
        """Warn if there are addresses for signals among some values and no server answers there."""
        if self.is_embedded:
            from hotplate.cli.session.unserved import unserved

            if message := unserved(values):
                self.output.note(message)

    async def existing(self, api: Api, name: str) -> StackName:
        """Return the stack that a user named. Raises Stop with a suggestion."""
        return name_of(await self.shown(api, name))

    async def shown(self, api: Api, name: str, outputs: bool = False) -> Document:
        """Return the stack that a user named, with all it says of itself. Raises Stop."""
        try:
            return await api.stack(name, outputs)
        except Refusal as refusal:
            if not refusal.is_missing:
                raise
        from hotplate.document.suggestion import did_you_mean

        names = [each["stack_name"] for each in await api.stacks()]
        hint = did_you_mean(name, names) or ("`hotplate ls` lists them" if names else "")
        raise Stop(f'there is no stack "{name}"', Code.REFUSED, hint)


def _has_database(place: Place, purpose: Purpose) -> bool:
    """Return whether there is a database to read. Raises Stop if one was named that is not."""
    file = file_of(place.embedded.database) if place.embedded is not None else None
    if file is None or file.exists():
        return True
    if place.is_database_named and purpose in (Purpose.LIST, Purpose.READ, Purpose.SHOW):
        hint = "`hotplate up` makes one where --database says"
        raise Stop(f"there is no database {file}", Code.REFUSED, hint)
    return False


def _is_local(base: str) -> bool:
    return base.startswith(("http://127.", "http://localhost", "http://[::1]", EMBEDDED))


def connection_options(command: Callable[..., T]) -> Callable[..., T]:
    """Add the options that say where the API is and how to answer."""
    for option in reversed(
        (
            click.option("--url", metavar="URL", help="The server [HOTPLATE_URL]."),
            click.option("--token", metavar="TOKEN", help="Your token [HOTPLATE_TOKEN]."),
            click.option("--project", metavar="NAME", help="The project [HOTPLATE_PROJECT]."),
            click.option(
                "--os-cloud",
                "cloud",
                metavar="NAME",
                help="The cloud of clouds.yaml in which objects are made [OS_CLOUD].",
            ),
            click.option(
                "--os-orchestration",
                "orchestration",
                is_flag=True,
                help="Ask that cloud's own orchestration service instead of working here.",
            ),
            click.option(
                "--database",
                metavar="URL",
                help="A database here; its server is asked if it runs [HOTPLATE_DATABASE].",
            ),
            click.option(
                "--objects",
                metavar="DIR",
                help="Turn the directory provider on [HOTPLATE_OBJECTS].",
            ),
            click.option(
                "--output",
                "form",
                type=click.Choice(FORMS),
                default="text",
                help="json: a line with an object for everything that is reported.",
            ),
        )
    ):
        command = option(command)
    return command


Run = Callable[..., Coroutine[Any, Any, int | None]]


def with_session(command: Run) -> Callable[..., Any]:
    """Turn a coroutine that takes a session into the function of a click command."""

    @wraps(command)
    def run(
        url: str | None,
        token: str | None,
        project: str | None,
        cloud: str | None,
        database: str | None,
        objects: str | None,
        orchestration: bool,
        form: str,
        **arguments: Any,
    ) -> int:
        wanted = Wanted(
            url=url or "",
            token=token or "",
            project=project or "",
            database=database or "",
            cloud=cloud or "",
            objects=objects or "",
            orchestration=orchestration,
        )
        output = Output(form)

        async def whole() -> int:
            return await command(Session(place_of(wanted), output), **arguments) or Code.DONE

        return run_reporting_errors(output, whole)

    return connection_options(run)


def run_reporting_errors(output: Output, work: Callable[[], Awaitable[int]]) -> int:
    """Run a command and return its exit code; an error is reported in one sentence."""
    _quiet_logs()
    try:
        return asyncio.run(_stoppable(work))
    except Stop as stop:
        output.error(str(stop), stop.code, stop.hint)
        return stop.code
    except CannotStart as fault:
        code = Code.USAGE if fault.code == 2 else Code.FAILED
        output.error(str(fault), code)
        return code
    except Refusal as refusal:
        from hotplate.cli.output.refusals import report_refusal

        return report_refusal(output, refusal)
    except Unreachable as fault:
        output.error(str(fault), Code.FAILED, "is the server running, and the address right?")
        return Code.FAILED
    except (KeyboardInterrupt, asyncio.CancelledError):
        return Code.INTERRUPTED


async def _stoppable(work: Callable[[], Awaitable[int]]) -> int:
    """Take SIGTERM like SIGINT: what is in hand is given back."""
    task = asyncio.current_task()
    if task is not None:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await work()


def _quiet_logs() -> None:
    """Keep the engine's records from the screen, unless they are asked for."""
    if os.environ.get("HOTPLATE_DEBUG"):
        from hotplate.server import set_up_logs

        set_up_logs("text", "debug")
    else:
        logging.getLogger().addHandler(logging.NullHandler())
