"""Everything that is wrong with a request, found in one go."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from hotplate.bounded import time_limit
from hotplate.document import Document, InvalidDocument, Problem, from_data
from hotplate.environment import EXPLICIT, Environment, EnvironmentFile
from hotplate.environment import merge as merge_environments
from hotplate.environment import parse as parse_environment
from hotplate.template import (
    SERVICE_CONSTRAINTS,
    BoundTemplate,
    InvalidTemplate,
    NamedCheck,
    ParameterType,
    Template,
    compile_template,
    local_checks,
    parameter_values,
)
from hotplate.validation.nesting import NestedTemplates
from hotplate.validation.report import Report
from hotplate.validation.request import Request

_SECONDS = 2.0
"""Processor time for all patterns and queries of a request."""


@time_limit(_SECONDS)
def validate(request: Request, now: datetime) -> Report:
    """Return all that is wrong with the template, its environments and its values.

    Steps that need an earlier one which failed are left out. Resource types and constraints that
    only a cloud service can check are left out.
    """
    report = Report()
    template = _template(request.template, report)
    environment = _environment(request, template, report)
    if template is None or environment is None:
        return report
    _check_values(request, template, environment, report, now)
    NestedTemplates(request.files, report).check(template, environment)
    reported = {(problem.message, problem.path) for problem in report.errors}
    report.warnings = [w for w in report.warnings if (w.message, w.path) not in reported]
    return report


def _template(document: Document, report: Report) -> Template | None:
    try:
        template = compile_template(document)
    except InvalidTemplate as fault:
        report.errors.extend(fault.problems)
        report.warnings.extend((*document.warnings, *fault.warnings))
        return None
    report.warnings.extend(template.warnings)
    return template


def _environment(request: Request, template: Template | None, report: Report) -> Environment | None:
    files: list[EnvironmentFile] = []
    for document in request.environments:
        try:
            file = parse_environment(document)
        except InvalidDocument as fault:
            report.errors.extend(fault.problems)
            continue
        report.warnings.extend(file.warnings)
        files.append(file)
    if len(files) < len(request.environments):
        return None
    types: dict[str, ParameterType] = {}
    if template is not None:
        types = {name: parameter.type for name, parameter in template.parameters.items()}
    try:
        explicit = from_data(dict(request.parameters), EXPLICIT) if request.parameters else None
        return merge_environments(files, parameters=explicit, types=types)
    except InvalidDocument as fault:
        report.errors.extend(fault.problems)
        return None


def _check_values(
    request: Request, template: Template, environment: Environment, report: Report, now: datetime
) -> None:
    try:
        values = parameter_values(
            template,
            environment.parameters,
            environment.parameter_defaults,
            checks=_checks(now),
            locate=environment.position,
            allow_missing=True,
        )
    except InvalidDocument as fault:
        report.errors.extend(_with_files(fault.problems, environment))
        return
    report.missing = values.missing
    if values.missing:
        # Conditions cannot be decided; what is wrong whatever they say has been found before.
        return
    try:
        bound = BoundTemplate(template, values, request.files)
        bound.check_values()
        report.warnings.extend(bound.failing_outputs())
    except InvalidDocument as fault:
        report.errors.extend(fault.problems)


def _with_files(problems: tuple[Problem, ...], environment: Environment) -> list[Problem]:
    """Name the file of values that have no line because they arrived decoded."""
    return [
        problem
        if problem.position or problem.file or origin is None
        else replace(problem, file=origin.file)
        for problem, origin in ((problem, environment.origin(problem.path)) for problem in problems)
    ]


def _checks(now: datetime) -> Mapping[str, NamedCheck]:
    def passed(value: object) -> str:
        return ""

    return {
        **dict.fromkeys(SERVICE_CONSTRAINTS, passed),
        "test_constr": passed,
        **local_checks(now),
    }
