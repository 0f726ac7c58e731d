"""What a stack shall be made of, as the command line says it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from hotplate.cli.command_line.arguments import complete_parameter, complete_parameter_file
from hotplate.cli.input.environment_list import environment_list_option
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.client import Discovered

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class RecipeArguments:
    """Files and values, not read yet."""

    template: str | None
    environments: tuple[str, ...]
    parameters: tuple[str, ...]
    parameter_files: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, str]:
        """The values of parameters that were given by name. Raises BadParameter or Stop."""
        values = dict(map(named_value, self.parameters))
        for name, file in map(named_value, self.parameter_files):
            try:
                values[name] = Path(file).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                message = getattr(error, "strerror", None) or "it is not text in UTF-8"
                raise Stop(f"{file} cannot be read: {message}", Code.USAGE) from None
        return values


def recipe_options(command: Callable[..., T]) -> Callable[..., T]:
    """Add the options that name environments and values."""
    command = click.option(
        "--parameter-file",
        "parameter_files",
        multiple=True,
        metavar="NAME=FILE",
        shell_complete=complete_parameter_file,
        help="A file whose content is the value of a parameter.",
    )(command)
    command = click.option(
        "--parameter",
        "parameters",
        multiple=True,
        metavar="NAME=VALUE",
        shell_complete=complete_parameter,
        help="A value for a parameter; it wins over all environment files.",
    )(command)
    command = environment_list_option(command)
    return click.option(
        "-e",
        "--environment",
        "environments",
        multiple=True,
        metavar="FILE",
        help="An environment file; give it again for more, the last one wins.",
    )(command)


def named_value(parameter: str) -> tuple[str, str]:
    """Return the name and the value of `NAME=VALUE`. Raises BadParameter."""
    name, separator, value = parameter.partition("=")
    if not separator or not name:
        raise click.BadParameter(f'"{parameter}" is not of the form NAME=VALUE')
    return name, value


def recipe_body(found: Discovered, values: dict[str, str]) -> dict[str, Any]:
    """Return the fields of a request that carry what was found and the values."""
    body: dict[str, Any] = {
        "files": dict(found.files),
        "environment_files": list(found.environment_files),
        "parameters": values,
    }
    if found.environment_names:
        body["environment_file_names"] = dict(found.environment_names)
    if found.template is not None:
        body["template"] = found.template_text
        body["template_name"] = next(iter(found.documents))
    return body


def given_values(found: Discovered, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of the template's parameters by name, as far as they are known here.

    Defaults, what environments say in their order, and what was given by name. Not how they are
    merged: that is for the server to decide.
    """
    given: dict[str, Any] = {}
    declared = found.template.get("parameters") if isinstance(found.template, dict) else None
    for name, parameter in declared.items() if isinstance(declared, dict) else ():
        if isinstance(parameter, dict) and "default" in parameter:
            given[name] = parameter["default"]
    for section in ("parameter_defaults", "parameters"):
        for url in found.environment_files:
            data = found.documents[url].data
            said = data.get(section) if isinstance(data, dict) else None
            given.update(said if isinstance(said, dict) else {})
    return given | dict(values)


def stack_name_of(template: str) -> str:
    """Return the name that a stack gets by default: that of its template."""
    stem = Path(template.rpartition("/")[2]).name.partition(".")[0]
    name = "".join(sign if sign.isalnum() or sign in "_-" else "-" for sign in stem)
    return name if name[:1].isalpha() and name.isascii() else f"stack-{name}".rstrip("-")
