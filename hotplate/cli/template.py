"""`hotplate template …`: what can be said of a template without a stack."""

from datetime import UTC, datetime

import click

from hotplate.cli.codes import Code
from hotplate.cli.commanding import LazyGroup, command
from hotplate.cli.environments import TakesEnvironments, environment_list_option
from hotplate.cli.names import stack_argument
from hotplate.cli.problems import in_reading_order, print_report
from hotplate.cli.recipe import named_value
from hotplate.cli.session import Session, with_session
from hotplate.cli.view.values import as_yaml
from hotplate.client.files import Discovered, discover, url_of
from hotplate.client.reader import read_url
from hotplate.document import InvalidDocument, Problem, from_data, parse
from hotplate.environment import parse as parse_environment
from hotplate.template import compile_template
from hotplate.validation import Report, Request, validate

template = LazyGroup(
    "template",
    help="Look at templates.",
    lazy={
        "validate": ("template:validate_command", "Say everything that is wrong with a template."),
        "show": ("template:show", "Print the template of a stack."),
    },
)


@command(
    "validate",
    cls=TakesEnvironments,
    examples=[
        ("hotplate template validate app.yaml -e prod.env.yaml", "All that is wrong, in one go:"),
        ("hotplate template validate app.yaml --output json", "For an editor or a pipeline:"),
    ],
)
@click.argument("file")
@click.option(
    "-e",
    "--environment",
    "environments",
    multiple=True,
    metavar="FILE",
    help="An environment file; give it again for more, the last one wins.",
)
@environment_list_option
@click.option(
    "--parameter",
    "parameters",
    multiple=True,
    metavar="NAME=VALUE",
    help="A value for a parameter; it wins over all environment files.",
)
@click.option(
    "--language-only",
    is_flag=True,
    help="Look at each text alone, not at the values or at the files it names.",
)
@click.option(
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    help="json prints one object: valid, errors, warnings, missing_parameters.",
)
def validate_command(
    file: str,
    environments: tuple[str, ...],
    parameters: tuple[str, ...],
    language_only: bool,
    output: str,
) -> int:
    """Say everything that is wrong with a template and its environments.

    Exits with 0 if there is nothing, with 1 if there is an error.
    """
    values = dict(map(named_value, parameters))
    if language_only:
        report = _language_report(file, environments)
    else:
        report = full_report(file, environments, values)
    print_report(file, report, output)
    return Code.DONE if report.is_valid else Code.FAILED


@command("show", examples=[("hotplate template show app", "What app is made from:")])
@stack_argument
@with_session
async def show(session: Session, name: str) -> None:
    """Print the template of a stack, as YAML."""
    async with session.api() as api:
        stack = await session.existing(api, name)
        found = await api.call("GET", f"{stack.path}/template")
    session.output.record("template", template=found)
    session.output.say(as_yaml(found).rstrip())


def _language_report(file: str, environments: tuple[str, ...]) -> Report:
    """Check each text by itself."""
    report = Report()
    for name in (file, *environments):
        try:
            document = parse(read_url(url_of(name)).decode(), name)
            if name == file:
                report.warnings.extend(compile_template(document).warnings)
            else:
                report.warnings.extend(parse_environment(document).warnings)
        except InvalidDocument as fault:
            report.errors.extend(fault.problems)
        except OSError as error:
            report.errors.append(Problem(f"cannot be read: {error}", file=name))
        except UnicodeDecodeError:
            report.errors.append(Problem("is not text in UTF-8", file=name))
    return report


def full_report(file: str, environments: tuple[str, ...], values: dict[str, str]) -> Report:
    """Check the template with its environments, values and nested templates."""
    try:
        found = discover(file, environments)
    except InvalidDocument as fault:
        # Files are missing; what is wrong with those that are there is worth knowing too.
        report = _language_report(file, environments)
        known = {(problem.file, problem.message) for problem in fault.problems}
        others = [p for p in report.errors if (p.file, p.message) not in known]
        report.errors = in_reading_order([*others, *fault.problems])
        return report
    request = Request(
        template=from_data(found.template, url_of(file)),
        environments=tuple(parse(found.files[url], url) for url in found.environment_files),
        parameters=values,
        files=found.files,
    )
    report = validate(request, datetime.now(UTC))
    if report.is_valid:
        report.errors = _faults_by_types(request, found)
    warnings = list(map(found.placed, report.warnings))
    for document in found.documents.values():
        warnings.extend(document.warnings)
    report.errors = in_reading_order(map(found.placed, report.errors))
    report.warnings = in_reading_order(warnings)
    return report


def _faults_by_types(request: Request, found: Discovered) -> list[Problem]:
    from hotplate.engine.recipes import Recipe  # the engine is not small, and mostly not needed
    from hotplate.engine.validating import faults_by_types
    from hotplate.resources.catalogue import installed

    recipe = Recipe(
        "",
        files=found.files,
        environment_files=found.environment_files,
        parameters=request.parameters,
    )
    return faults_by_types(installed(), compile_template(request.template), recipe)
