"""`hotplate template …`: what can be said of a template without a stack."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime

import click

from hotplate.cli.answers.sources import shown_file
from hotplate.cli.command_line.arguments import complete_parameter, stack_argument
from hotplate.cli.command_line.lazy_commands import LazyGroup, command
from hotplate.cli.input.environment_list import TakesEnvironments, environment_list_option
from hotplate.cli.input.files import read
from hotplate.cli.input.recipe import named_value, recipe_body
from hotplate.cli.output.exit_codes import Code, Stop
from hotplate.cli.output.problems import in_reading_order, language_warnings, print_report
from hotplate.cli.output.refusals import placed
from hotplate.cli.session.session import Purpose, Session, with_session
from hotplate.cli.view.table import show_table
from hotplate.cli.view.values import as_yaml
from hotplate.client import Discovered, Refusal, discover, url_of
from hotplate.document import Cause, InvalidDocument, Problem, from_data, parse
from hotplate.document.suggestion import did_you_mean
from hotplate.environment import parse as parse_environment
from hotplate.template import compile_template
from hotplate.validation import Report, Request, validate

template = LazyGroup(
    "template",
    help="Validate templates, and show what they need.",
    lazy={
        "validate": (
            "templates.template:validate_command",
            "Say everything that is wrong with a template.",
        ),
        "show": ("templates.template:show", "Print the template of a stack."),
        "files": ("templates.template:files", "List the files that a stack is made of."),
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
    shell_complete=complete_parameter,
    help="A value for a parameter; it wins over all environment files.",
)
@click.option(
    "--language-only",
    is_flag=True,
    help="Check each text alone, without values and the files it names.",
)
@with_session
async def validate_command(
    session: Session,
    file: str,
    environments: tuple[str, ...],
    parameters: tuple[str, ...],
    language_only: bool,
) -> int:
    """Say everything that is wrong with a template and its environments.

    Without a server nothing is stored. Exits with 0 if there is nothing, with 1 if there is an
    error. With --output json it prints one object: valid, errors, warnings, missing_parameters.
    """
    values = dict(map(named_value, parameters))
    if language_only:
        report = _language_report(file, environments)
    else:
        report = await _full_report(session, file, environments, values)
    print_report(file, report, session.output)
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


@command(
    "files",
    examples=[
        ("hotplate template files app", "Nested templates, environments, scripts:"),
        ("hotplate template files app web.yaml", "What one of them says:"),
    ],
)
@stack_argument
@click.argument("file", required=False)
@with_session
async def files(session: Session, name: str, file: str | None) -> None:
    """List the files that were sent with the template of a stack, or print one of them."""
    async with session.api() as api:
        stack = await session.existing(api, name)
        found: dict[str, str] = await api.call("GET", f"{stack.path}/files")
    if file is None:
        for address, text in found.items():
            session.output.record("file", name=address, content=text)
        rows = [(shown_file(address), str(len(text))) for address, text in found.items()]
        show_table(session.output, ("FILE", "CHARACTERS"), rows, f"{stack.name} has no files")
        return
    wanted = [each for each in found if file in (each, shown_file(each), each.rpartition("/")[2])]
    if not wanted:
        known = [shown_file(each) for each in found]
        hint = did_you_mean(file, known) or f"`hotplate template files {stack.name}` lists them"
        raise Stop(f'{stack.name} has no file "{file}"', Code.REFUSED, hint)
    session.output.record("file", name=wanted[0], content=found[wanted[0]])
    session.output.say(found[wanted[0]].rstrip("\n"))


def _language_report(file: str, environments: tuple[str, ...]) -> Report:
    """Check each text by itself."""
    report = Report()
    for name in (file, *environments):
        try:
            document = parse(read(url_of(name)).decode(), name)
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


async def _full_report(
    session: Session, file: str, environments: tuple[str, ...], values: dict[str, str]
) -> Report:
    """Check the template with its environments, values, nested templates and resource types."""
    try:
        found = discover(file, environments, read)
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
    report.errors = in_reading_order(map(found.placed, report.errors))
    warnings = (*map(found.placed, report.warnings), *language_warnings(found))
    report.warnings = in_reading_order(warnings)
    checkable = found if report.is_valid else sound_part(found, report.errors)
    if checkable is not None:
        for problem in await _refused(session, checkable, values):
            # Without a server: one may have a type that is not here, if it does not look misspelt.
            is_foreign = problem.cause is Cause.UNKNOWN_TYPE and not problem.hint
            if is_foreign and session.is_embedded:
                hint = "a server may have it; name it with --url"
                report.warnings.append(replace(problem, hint=hint))
            else:
                report.errors.append(problem)
        report.errors = in_reading_order(report.errors)
    return report


def sound_part(found: Discovered, errors: Iterable[Problem]) -> Discovered | None:
    """Return the template without what is wrong with its text, so that types can judge the rest.

    Resources with a fault give way to one that takes all properties and has all attributes. None
    if something else is wrong: whatever depends on that cannot be judged.
    """
    if not isinstance(found.template, dict):
        return None
    template = dict(found.template)
    document = next(iter(found.documents.values()))
    for problem in errors:
        file = problem.position.file if problem.position else problem.file
        section, name = (*map(str, problem.path[:2]), "", "")[:2]
        part = template.get(section)
        if file != document.name or not isinstance(part, dict) or name not in part:
            return None
        kind = section.lower()
        if kind == "outputs":
            template[section] = {key: value for key, value in part.items() if key != name}
        elif kind == "resources":
            stand_in = {"type" if section == "resources" else "Type": "OS::Heat::None"}
            template[section] = {**part, name: stand_in}
        else:
            return None
    return replace(found, template=template)


async def _refused(session: Session, found: Discovered, values: dict[str, str]) -> list[Problem]:
    """Return what whoever knows the resource types has against it. Raises Refusal."""
    try:
        async with session.api(Purpose.VALIDATE) as api:
            await api.call("POST", "/validate", recipe_body(found, values))
    except Refusal as refusal:
        if refusal.status != 400:
            raise
        problems = [placed(problem, found) for problem in refusal.problems]
        return in_reading_order(problems or [Problem(refusal.message)])
    return []
