"""The values of a template's parameters for one stack."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from hotplate.bounded import time_limit
from hotplate.document import Cause, Data, Path, Position, Problem, did_you_mean, same
from hotplate.secret import STARS, Secrets, holds_secret, secret
from hotplate.template.constraint import CustomConstraint, NamedCheck
from hotplate.template.errors import InvalidTemplate
from hotplate.template.parameter import Parameter
from hotplate.template.template import Template
from hotplate.template.value import BadValue

_SECONDS = 2.0
"""Processor time for the patterns of all parameters together."""

_MOST = 100
_LONGEST = 2000
"""Problems that are reported, and the characters of each."""

Locate = Callable[[Path], Position | None]
"""Returns where in an environment a value was given."""


@dataclass(frozen=True, slots=True, repr=False)
class ParameterValues(Mapping[str, Data]):
    """Converted values by name, pseudo parameters included.

    ``given`` holds what the user said, unconverted, as it is stored. Nothing here prints itself:
    values may be secret. Those of the parameters that ``secret_names`` names are typed so, or have
    secrets in them: hidden ones, and those that were given the secret of a stack around this one.
    """

    template: Template
    _values: Mapping[str, Data]
    given: Mapping[str, Data] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    secret_names: frozenset[str] = frozenset()

    def __getitem__(self, name: str) -> Data:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<values of {', '.join(self._values)}>"

    def inheriting(self, secrets: Secrets) -> Self:
        """Return the values with those typed as secrets that have one of these in them."""
        if not secrets:
            return self
        values = {
            name: value if name in self.secret_names else secrets.typed(value)
            for name, value in self._values.items()
        }
        found = frozenset(name for name, value in values.items() if holds_secret(value))
        return replace(self, _values=values, secret_names=self.secret_names | found)

    def secrets(self) -> Secrets:
        """Return the secrets among the values, to be found in texts."""
        return Secrets.inside(*(self[name] for name in self.secret_names if name in self))

    def shown(self) -> dict[str, str]:
        """Return the values as people may see them: as text, secret ones as stars."""
        parameters = self.template.parameters
        return {
            name: STARS
            if name in self.secret_names
            else parameters[name].text_of(value)
            if name in parameters
            else str(value)
            for name, value in self._values.items()
        }


@time_limit(_SECONDS)
def parameter_values(
    template: Template,
    given: Mapping[str, Data],
    defaults: Mapping[str, Data] | None = None,
    pseudo: Mapping[str, Data] | None = None,
    checks: Mapping[str, NamedCheck] | None = None,
    locate: Locate | None = None,
    allow_missing: bool = False,
) -> ParameterValues:
    """Return the values: the given one, else the environment's default, else the template's.

    Those of hidden parameters are typed as secrets.
    ``checks`` holds the custom constraints that can be checked here; None skips them all.
    Raises InvalidTemplate with everything that is wrong with the values.
    """
    problems: list[Problem] = []
    defaults = defaults or {}

    def report(path: Path, message: str, hint: str = "", cause: Cause = Cause.OTHER) -> None:
        position = locate(path) if locate else None
        subject = str(path[-1])
        problems.append(
            Problem(message[:_LONGEST], path, hint, position, cause=cause, subject=subject)
        )
        if len(problems) >= _MOST:
            raise InvalidTemplate(problems)

    for name in given:
        if name not in template.parameters:
            hint = did_you_mean(name, template.parameters)
            message = f'the template has no parameter "{name}"'
            report(("parameters", name), message, hint, Cause.UNKNOWN_PARAMETER)
    values: dict[str, Data] = {
        name: (pseudo or {}).get(name, "") for name in template.dialect.pseudo_parameters
    }
    missing = []
    for name, parameter in template.parameters.items():
        given_path = ("parameters", name)
        value = _first_given(given.get(name), defaults.get(name), parameter.default)
        if value is None:
            missing.append(name)
            if not allow_missing:
                report(
                    given_path,
                    f'the parameter "{name}" has no value',
                    "give it in an environment file or as an explicit parameter",
                    Cause.MISSING_PARAMETER,
                )
            continue
        try:
            values[name] = parameter.value_of(value)
            problems.extend(_unknown_rules(template, parameter, checks))
            parameter.check_custom(values[name], checks or {})
        except BadValue as fault:
            problems.append(_bad_value(template, name, fault, given, defaults, locate))
            if len(problems) >= _MOST:
                raise InvalidTemplate(problems) from None
    if problems:
        raise InvalidTemplate(problems)
    hidden = frozenset(name for name, each in template.parameters.items() if each.hidden)
    for name in hidden & values.keys():
        values[name] = secret(values[name])
    return ParameterValues(template, values, dict(given), tuple(missing), hidden)


def custom_problems(
    values: ParameterValues,
    given: Mapping[str, Data],
    defaults: Mapping[str, Data],
    checks: Mapping[str, NamedCheck],
    locate: Locate | None = None,
) -> Iterator[Problem]:
    """Yield which values break custom constraints that can be checked.

    ``given`` and ``defaults`` are those that the values were made of.
    """
    for name, parameter in values.template.parameters.items():
        if name in values and parameter.custom_constraints:
            try:
                parameter.check_custom(values[name], checks)
            except BadValue as fault:
                yield _bad_value(values.template, name, fault, given, defaults, locate)


def _bad_value(
    template: Template,
    name: str,
    fault: BadValue,
    given: Mapping[str, Data],
    defaults: Mapping[str, Data],
    locate: Locate | None,
) -> Problem:
    """Return that a value is wrong, at the place where it was given."""
    message = f"the value of {name} is invalid: {fault}"[:_LONGEST]
    if given.get(name) is None and defaults.get(name) is None:
        return template.document.placed(Problem(message, _default_path(template, name)))
    path = ("parameters" if given.get(name) is not None else "parameter_defaults", name)
    return Problem(message, path, position=locate(path) if locate else None, subject=name)


def _default_path(template: Template, name: str) -> Path:
    word = "Default" if template.dialect.is_cfn else "default"
    return (template.dialect.keywords.parameters, name, word)


def _unknown_rules(
    template: Template, parameter: Parameter, checks: Mapping[str, NamedCheck] | None
) -> Iterator[Problem]:
    for index, constraint in enumerate(parameter.constraints):
        if isinstance(constraint, CustomConstraint) and constraint.rule not in (checks or ()):
            if checks is None:
                continue
            path = (template.dialect.keywords.parameters, parameter.name, "constraints", index)
            message = f'there is no custom constraint "{constraint.rule}"'
            hint = did_you_mean(constraint.rule, checks)
            yield template.document.placed(Problem(message, path, hint))


def _first_given(*values: Data) -> Data:
    return next((value for value in values if value is not None), None)


def changed_immutable(old: ParameterValues, new: ParameterValues) -> tuple[str, ...]:
    """Return the immutable parameters whose value would change."""
    return tuple(
        name
        for name, parameter in new.template.parameters.items()
        if parameter.immutable and name in old and name in new and not same(old[name], new[name])
    )
