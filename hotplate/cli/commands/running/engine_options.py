"""The options of every process that runs an engine."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from hotplate.server import LOG_FORMATS, LOG_LEVELS

Command = Callable[..., Any]

_OPTIONS = (
    click.option(
        "--objects", metavar="DIR", help="Turn the directory provider on, with its objects here."
    ),
    click.option(
        "--os-cloud", metavar="NAME", help="The cloud of clouds.yaml in which objects are made."
    ),
    click.option(
        "--test-resources",
        is_flag=True,
        default=None,
        help="Make resources of the type OS::Heat::TestResource, which wait and fail as they are "
        "told.",
    ),
    click.option("--log-format", type=click.Choice(LOG_FORMATS), help="Form of the logs [text]."),
    click.option("--log-level", type=click.Choice(LOG_LEVELS), help="What is logged [info]."),
    click.option(
        "--config",
        type=click.Path(dir_okay=False, path_type=Path),
        help="The configuration [~/.config/hotplate/hotplate.toml].",
    ),
)


def engine_options(function: Command) -> Command:
    """Give a command the options of an engine: where it acts, and what it logs."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function
