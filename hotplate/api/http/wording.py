"""What is wrong with a template, in the sentences and classes of error that Heat's users know."""

from collections.abc import Mapping, Sequence
from typing import Final

from hotplate.document import Cause, Path, Problem
from hotplate.environment import INLINE

_KINDS: Final[Mapping[Cause, str]] = {
    Cause.SYNTAX: "HTTPBadRequest",
    Cause.TEMPLATE_NO_MAP: "HTTPBadRequest",
    Cause.NO_VERSION: "InvalidTemplateVersion",
    Cause.VERSION: "InvalidTemplateVersion",
    Cause.ENVIRONMENT_NO_MAP: "HTTPBadRequest",
    Cause.ENVIRONMENT_SECTION: "HTTPBadRequest",
    Cause.EMPTY_SECTION: "HTTPBadRequest",
    Cause.MISSING_PARAMETER: "UserParameterMissing",
    Cause.UNKNOWN_PARAMETER: "UnknownUserParameter",
    Cause.REFERENCE: "InvalidTemplateReference",
    Cause.CYCLE: "CircularDependencyException",
}
_TEMPLATE: Final = "Template not in valid format: "
_ENVIRONMENT: Final = "Environment not in valid format: "
_SENTENCES: Final[Mapping[Cause, str]] = {
    Cause.TEMPLATE_NO_MAP: f"{_TEMPLATE}The template is not a JSON object or YAML mapping.",
    Cause.NO_VERSION: f"{_TEMPLATE}Template format version not found.",
    Cause.VERSION: "The template version is invalid: {message}",
    Cause.SECTION: "The template section is invalid: {subject}",
    Cause.ENVIRONMENT_NO_MAP: f"{_ENVIRONMENT}The environment is not a valid YAML mapping data "
    "type.",
    Cause.ENVIRONMENT_SECTION: f'{_ENVIRONMENT}environment has wrong section "{{subject}}"',
    Cause.EMPTY_SECTION: f'{_ENVIRONMENT}environment has empty section "{{subject}}"',
    Cause.MISSING_PARAMETER: "The Parameter ({subject}) was not provided.",
    Cause.UNKNOWN_PARAMETER: "The Parameter ({subject}) was not defined in template.",
    Cause.UNKNOWN_TYPE: "{path}: The Resource Type ({subject}) could not be found.",
    Cause.PROPERTY: "Property error: {path}: {message}",
    Cause.CONVERSION: "Property error: {path}: {message}",
    Cause.REFERENCE: 'The specified reference "{subject}" (in {path}) is incorrect.',
    Cause.CYCLE: "Circular Dependency Found: {subject}",
    Cause.ELSEWHERE: "{message}",
}
"""What Heat says, with the parts that differ from case to case."""


_WITH_WAY: Final = (Cause.PROPERTY, Cause.CONVERSION, Cause.PARAMETER_REFERENCE)
"""What Heat reports with the path through the stacks, if it is in a nested template."""

_RESOURCE: Final = 2
_PROPERTY: Final = 4
"""Steps of the path to a property: the section, the resource, its properties, the name."""


def kind_of_problems(problems: Sequence[Problem]) -> str:
    """Return the class of error that clients see: that of the first problem."""
    first = problems[0].cause if problems else Cause.OTHER
    return _KINDS.get(first, "StackValidationFailed")


def words_for(problem: Problem) -> str:
    """Return Heat's sentence for a problem, then the hint, then the place."""
    said = _sentence(problem)
    if problem.hint:
        hint = f"{problem.hint[:1].upper()}{problem.hint[1:]}"
        said = f"{said} {hint}" if said.endswith((".", "?")) else f"{said}. {hint}"
    place = str(problem.position) if problem.position else problem.file
    return f"{said} ({place})" if place else said


def _sentence(problem: Problem) -> str:
    path, message = dotted(problem.path), problem.message
    if problem.cause is Cause.SYNTAX:
        file = problem.position.file if problem.position else problem.file
        return f"{_ENVIRONMENT if file == INLINE else _TEMPLATE}{message}"
    if problem.through and problem.cause in _WITH_WAY:
        return _in_nested_template(problem)
    is_property = problem.path[2:3] in (("properties",), ("Properties",))
    if problem.cause is Cause.PARAMETER_REFERENCE and is_property:
        # Heat names the property, however deep in it the call stands.
        path = dotted(problem.path[:_PROPERTY])
        return f"Property error: : {path}: : The Parameter ({problem.subject}) was not provided."
    known = _SENTENCES.get(problem.cause)
    if known is not None:
        return known.format(path=path, message=message, subject=problem.subject)
    return f"{path}: {message}" if path else message


def _in_nested_template(problem: Problem) -> str:
    """Return what Heat says of a value in a nested template: with the path through the stacks."""
    way = ".".join(f"resources.{name}<{template}>" for name, template in problem.through)
    message = problem.message
    if problem.cause is Cause.PROPERTY:
        return f"Property error: : {way}.{dotted(problem.path)}: : {message}"
    if problem.cause is Cause.PARAMETER_REFERENCE:
        message = f"The Parameter ({problem.subject}) was not provided."
    return f"ValueError: : {way}.{dotted(problem.path[:_RESOURCE])}: : {message}"


def dotted(path: Path) -> str:
    """Return a path as Heat writes it: ``resources.web.properties.networks[0].port``."""
    text = ""
    for step in path:
        if isinstance(step, int) or (text and step.isascii() and step.isdigit()):
            text += f"[{step}]"
        else:
            text += f".{step}" if text else step
    return text
