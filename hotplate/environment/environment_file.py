"""One environment as it was written: its sections, checked and with their places."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from hotplate.document import Cause, Document, InvalidDocument, Problem, Severity, did_you_mean
from hotplate.environment import names
from hotplate.environment.names import Strategy
from hotplate.environment.registry_format import check_registry
from hotplate.environment.wording import kind_of, quoted

_SINK_TYPES = ("zaqar-queue",)
_SINK_KEYS = ("type", "target", "ttl")
_TEMPLATE_VERSIONS = (
    "heat_template_version",
    "HeatTemplateFormatVersion",
    "AWSTemplateFormatVersion",
)


@dataclass(frozen=True, slots=True)
class EnvironmentFile:
    """An environment that keeps to the format; ``sections`` is shared and must not be changed.

    Sections that were not written are absent. The paths of ``document`` and of ``sections`` are
    the same, but a remainder has fewer sections than its document.
    """

    document: Document
    sections: Mapping[str, Any]
    warnings: tuple[Problem, ...] = field(default=(), compare=False)

    @property
    def name(self) -> str:
        """The name people know the file by."""
        return self.document.name

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing at all."""
        return not self.sections

    @property
    def default_strategy(self) -> Strategy | None:
        """The strategy this file states for parameters it does not name."""
        return self._strategy("default")

    def stated_strategy(self, parameter: str) -> Strategy | None:
        """The strategy this file states for one parameter by name."""
        return None if parameter == "default" else self._strategy(parameter)

    def without_parameters(self, dropped: Collection[str]) -> "EnvironmentFile":
        """Return the file without its values for some parameters; ``parameter_defaults`` stay."""
        given = self.sections.get(names.PARAMETERS, {})
        if not any(name in given for name in dropped):
            return self
        kept = {name: value for name, value in given.items() if name not in dropped}
        return replace(self, sections={**self.sections, names.PARAMETERS: kept})

    def _strategy(self, key: str) -> Strategy | None:
        stated = self.sections.get(names.MERGE_STRATEGIES, {}).get(key)
        return None if stated is None else Strategy(stated)


def parse(document: Document) -> EnvironmentFile:
    """Return the environment that a document holds; an empty document is an empty environment.

    Raises InvalidDocument with all faults of the format, each with its place.
    """
    data = {} if document.data is None else document.data
    if not isinstance(data, dict):
        message = f"an environment must be a map of sections, not {kind_of(data)}"
        problem = Problem(message, cause=Cause.ENVIRONMENT_NO_MAP)
        raise InvalidDocument([document.placed(problem)])
    problems = list(_problems(data))
    errors = [p for p in problems if p.severity is Severity.ERROR]
    if errors:
        raise InvalidDocument([document.placed(problem) for problem in errors])
    warnings = tuple(document.placed(problem) for problem in problems)
    return EnvironmentFile(document, data, (*document.warnings, *warnings))


def _problems(data: dict[str, Any]) -> list[Problem]:
    if data and not any(_is_nearly_a_section(key) for key in data):
        return [_without_sections(data)]
    problems: list[Problem] = []
    for section, value in data.items():
        path = (section,)
        if section not in names.SECTIONS:
            problems.append(_unknown_section(section))
        elif value is None:
            hint = "give it a value or leave it out"
            cause = Cause.EMPTY_SECTION
            problems.append(Problem("is empty", path, hint, cause=cause, subject=section))
        elif section in names.MAP_SECTIONS and not isinstance(value, dict):
            problems.append(Problem(f"must be a map, not {kind_of(value)}", path))
        elif section in names.LIST_SECTIONS and not isinstance(value, list):
            problems.append(Problem(f"must be a list, not {kind_of(value)}", path))
        elif section == names.MERGE_STRATEGIES:
            problems.extend(_strategy_problems(value))
        elif section == names.REGISTRY:
            problems.extend(check_registry(value))
        elif section == names.EVENT_SINKS:
            for index, sink in enumerate(value):
                problems.extend(_sink_problems(sink, index))
        elif section == names.ENCRYPTED:
            problems.extend(
                Problem(f"must be the name of a parameter, not {kind_of(name)}", (section, index))
                for index, name in enumerate(value)
                if not isinstance(name, str)
            )
    return problems


def _is_nearly_a_section(key: str) -> bool:
    return (
        key in names.SECTIONS
        or key == "environment_files"
        or bool(did_you_mean(key, names.SECTIONS))
    )


def _without_sections(data: dict[str, Any]) -> Problem:
    for key in _TEMPLATE_VERSIONS:
        if key in data:
            hint = "give it as the template, and environments apart from it"
            message = "this is a template, not an environment"
            return _wrong_section(key, message, hint)
    first = next(iter(data))
    hint = f'write the values of parameters below "{names.PARAMETERS}:"'
    return _wrong_section(first, "unknown section, and there is no other that is known", hint)


def _wrong_section(section: str, message: str, hint: str) -> Problem:
    cause = Cause.ENVIRONMENT_SECTION
    return Problem(message, (section,), hint, cause=cause, subject=section)


def _unknown_section(section: str) -> Problem:
    if section == "environment_files":
        hint = "list it in the request, in the order in which the files apply"
        return _wrong_section(section, "an environment cannot include other files", hint)
    hint = did_you_mean(section, names.SECTIONS)
    return _wrong_section(
        section, "unknown section", hint or f"the sections are {', '.join(names.SECTIONS)}"
    )


def _strategy_problems(strategies: dict[str, Any]) -> list[Problem]:
    known = [strategy.value for strategy in Strategy]
    return [
        Problem(
            f"unknown merge strategy {quoted(stated)}",
            (names.MERGE_STRATEGIES, parameter),
            did_you_mean(stated, known) or f"the strategies are {', '.join(known)}",
        )
        for parameter, stated in strategies.items()
        if stated not in known
    ]


def _sink_problems(sink: Any, index: int) -> list[Problem]:
    path = (names.EVENT_SINKS, index)
    if not isinstance(sink, dict):
        return [Problem(f'must be a map with "type" and "target", not {kind_of(sink)}', path)]
    problems = [
        Problem("unknown key", (*path, key), did_you_mean(key, _SINK_KEYS))
        for key in sink
        if key not in _SINK_KEYS
    ]
    sink_type = sink.get("type")
    if sink_type not in _SINK_TYPES:
        message = (
            "an event sink needs a type"
            if sink_type is None
            else f"unknown type {quoted(sink_type)}"
        )
        hint = did_you_mean(sink_type, _SINK_TYPES) or f"the types are {', '.join(_SINK_TYPES)}"
        problems.append(Problem(message, (*path, "type"), hint))
    if not isinstance(sink.get("target"), str) or not sink["target"]:
        hint = 'name the queue in "target"'
        problems.append(Problem("an event sink needs a target", (*path, "target"), hint))
    ttl = sink.get("ttl")
    if ttl is not None and not _is_seconds(ttl):
        problems.append(Problem("must be a number of seconds, 1 or more", (*path, "ttl")))
    return problems


def _is_seconds(ttl: object) -> bool:
    if isinstance(ttl, bool):
        return False
    return isinstance(ttl, int) and ttl > 0
