"""The page for the user of this machine: the server's application, for one who has the address."""

import asyncio
import contextlib
import sys
from collections.abc import Callable
from dataclasses import replace

from hotplate.page import SignIn
from hotplate.server.access.admission import Admission
from hotplate.server.access.secret import SecretAccess
from hotplate.server.address import Address
from hotplate.server.configuration import Configuration
from hotplate.server.refusal import nonsense
from hotplate.server.service import serve

Show = Callable[[str], None]
"""Takes an address that works once."""

_EVERYWHERE = {"may_reach": ["0.0.0.0/0", "::/0"]}
"""Whoever runs workflows on a machine of their own may reach from it what they like."""


def run_page(configuration: Configuration, project: str, show: Show) -> None:
    """Run the engine and the page until a signal says stop; calls ``show`` when it is ready.

    Commands beside it work by themselves on the same database, as without it. A line on the
    terminal makes another address. Raises CannotStart or WorkerDied.
    """
    if not configuration.listen.is_loopback:
        raise nonsense(
            f"{configuration.listen} is no address of this machine alone; for others there is "
            "`hotplate serve`"
        )
    written = {**_EVERYWHERE, **configuration.workflows}
    # Who works on an own machine uses the only cloud of clouds.yaml without naming it.
    cloud = configuration.os_cloud or ""
    own = replace(configuration, workflows=written, test_resources=True, os_cloud=cloud)
    asyncio.run(_run(own, project, show))


async def _run(configuration: Configuration, project: str, show: Show) -> None:
    access = SecretAccess()
    sign_in = SignIn("secret", project, access.exchange)
    with contextlib.ExitStack() as stack:

        def ready(address: Address) -> None:
            def another() -> None:
                show(f"http://{address}/#secret={access.new_secret()}")

            another()
            _on_each_line(stack, another)

        await serve(configuration, ready, lent=Admission(access.identify, None, sign_in))


def _on_each_line(stack: contextlib.ExitStack, do: Callable[[], None]) -> None:
    """Call a function for each line that the user of a terminal enters."""
    if not sys.stdin.isatty():
        return
    loop = asyncio.get_running_loop()

    def entered() -> None:
        if sys.stdin.readline():
            do()
        else:
            loop.remove_reader(sys.stdin)

    loop.add_reader(sys.stdin, entered)
    stack.callback(loop.remove_reader, sys.stdin)
