"""`hotplate worker`: the engine without the API."""

import os
import sys
from pathlib import Path

import click

from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.commands.running.engine_options import engine_options
from hotplate.server import (
    CannotStart,
    WorkerDied,
    configure,
    run_worker,
    set_up_logs,
    shown_broker,
    shown_url,
)


@command(
    "worker",
    examples=[
        (
            "hotplate worker --database postgresql://hotplate@db/hotplate",
            "On any machine that reaches the database:",
        ),
    ],
)
@click.option("--database", metavar="URL", help="Where the state is.")
@click.option(
    "--key-file",
    metavar="FILE",
    help="The master keys that seal the database, a copy on each host.",
)
@click.option("--public-url", metavar="URL", help="How servers and people elsewhere reach the API.")
@engine_options
def worker(config: Path | None, **flags: object) -> None:
    """Work on stacks, without answering the API.

    Any number of workers may share a database, on any number of machines. With a broker
    (HOTPLATE_BROKER, or the setting broker) they hear of work at once; without one they look for
    it every second. SIGTERM stops in good order, and others go on at once.
    """
    try:
        configuration = configure(flags, os.environ, config)
        place = f"database {shown_url(configuration.database)}"
        if configuration.broker:
            place += f", broker {shown_broker(configuration.broker)}"
        set_up_logs(configuration.log_format, configuration.log_level)
        run_worker(configuration, lambda: click.echo(f"hotplate worker is ready ({place})"))
    except CannotStart as fault:
        click.echo(f"hotplate: {fault}", err=True)
        sys.exit(fault.code)
    except WorkerDied as fault:
        click.echo(
            f"hotplate: the worker died ({fault}); start it again, and report this with the log",
            err=True,
        )
        sys.exit(1)
