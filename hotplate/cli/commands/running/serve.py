"""`hotplate serve`: the API and the engine in one process."""

import os
import sys
from pathlib import Path

import click

from hotplate.cli.command_line.lazy_commands import command
from hotplate.cli.commands.running.engine_options import engine_options
from hotplate.server import (
    AUTH,
    Address,
    CannotStart,
    WorkerDied,
    configure,
    run,
    set_up_logs,
    shown_url,
)


@command(
    "serve",
    examples=[
        ("hotplate serve", "For the commands of this machine:"),
        ("hotplate serve --listen 0.0.0.0:8004 --auth-tokens tokens", "For others, with tokens:"),
    ],
)
@click.option("--listen", metavar="HOST:PORT", help="Where to listen [127.0.0.1:8004].")
@click.option(
    "--public-url",
    metavar="URL",
    help="How servers and people elsewhere reach it, such as https://plate.example.org.",
)
@click.option("--database", metavar="URL", help="Where the state is [an SQLite file of this user].")
@click.option(
    "--key-file",
    metavar="FILE",
    help="The master keys that seal the database [~/.config/hotplate/secrets.key].",
)
@click.option("--auth", type=click.Choice(AUTH), help="How callers prove who they are [none].")
@click.option(
    "--auth-tokens", metavar="FILE", help='Lines "token user project", in a file of mode 0600.'
)
@click.option(
    "--policy-file", metavar="FILE", help="Who may do what [policy.yaml beside the configuration]."
)
@click.option(
    "--allow-remote-without-auth",
    is_flag=True,
    help="Let other machines in without a token; the directory provider is off then.",
)
@click.option(
    "--host-name",
    "host_names",
    multiple=True,
    metavar="NAME",
    help="A further name of this server; without authentication only known names are answered.",
)
@click.option(
    "--proxy", metavar="ADDRESSES", help="Proxies whose X-Forwarded-For and -Proto are believed."
)
@click.option(
    "--no-engine",
    is_flag=True,
    help="Only answer the API, and leave the work to `hotplate worker` on the same database.",
)
@engine_options
def serve(config: Path | None, no_engine: bool, **flags: object) -> None:
    """Answer the API, and run the engine behind it.

    Each option can also be set by an environment variable (HOTPLATE_LISTEN, HOTPLATE_DATABASE and
    so on) or in the configuration file, where the broker of a cluster is named as well. SIGTERM
    stops in good order.
    """
    try:
        configuration = configure(flags, os.environ, config)
        database = shown_url(configuration.database)
        set_up_logs(configuration.log_format, configuration.log_level)

        def ready(address: Address) -> None:
            click.echo(f"hotplate is ready: http://{address}/v1 (database {database})")

        run(configuration, ready, is_working=not no_engine)
    except CannotStart as fault:
        click.echo(f"hotplate: {fault}", err=True)
        sys.exit(fault.code)
    except WorkerDied as fault:
        click.echo(
            f"hotplate: the worker died ({fault}); start the server again, and report this with "
            "the log",
            err=True,
        )
        sys.exit(1)
