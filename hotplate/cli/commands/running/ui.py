"""`hotplate ui`: the page on the database of this user."""

import os
import sys
import webbrowser

import click

from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.session.place import PROJECT
from hotplate.server import (
    CannotStart,
    WorkerDied,
    configure,
    recorded_server,
    run_page,
    set_up_logs,
)


@command(
    "ui",
    examples=[
        ("hotplate ui", "Open the page in the browser:"),
        ("hotplate ui --no-browser", "Print its address alone:"),
    ],
)
@click.option("--no-browser", is_flag=True, help="Print the address, and open nothing.")
@click.option("--listen", metavar="HOST:PORT", help="Where to listen [127.0.0.1, any free port].")
@click.option("--database", metavar="URL", help="Where the state is [an SQLite file of this user].")
@click.option("--objects", metavar="DIR", help="Turn the directory provider on.")
@click.option("--project", metavar="NAME", help=f"Whose stacks to show first [{PROJECT}].")
def ui(
    no_browser: bool,
    listen: str | None,
    database: str | None,
    objects: str | None,
    project: str | None,
) -> None:
    """Open the page, and run the engine behind it, until Ctrl-C.

    Nobody else gets in: the address has a secret in it that counts once, and Enter makes another.
    If a server runs on the database, its page is opened instead.
    """

    def show(address: str) -> None:
        click.echo(f"The page: {address}")
        if not no_browser:
            webbrowser.open(address)

    flags = {"listen": listen or "127.0.0.1:0", "database": database, "objects": objects}
    try:
        configuration = configure(flags, os.environ)
        server = recorded_server(configuration.database)
        if server is not None:
            show(f"{server.url}/")
            return
        set_up_logs("text", "warning")
        run_page(configuration, project or os.environ.get("HOTPLATE_PROJECT") or PROJECT, show)
    except CannotStart as fault:
        click.echo(f"hotplate: {fault}", err=True)
        sys.exit(fault.code)
    except WorkerDied as fault:
        click.echo(f"hotplate: the worker died ({fault}); start the page again", err=True)
        sys.exit(1)
