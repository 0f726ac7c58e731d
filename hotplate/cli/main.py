"""The command and its groups."""

import click

from hotplate.cli.template import template


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="hotplate")
def main() -> None:
    """Bring stacks up from HOT templates, see all of them, trust the plan."""


main.add_command(template)
