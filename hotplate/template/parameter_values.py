"""The values of a template's parameters for one stack."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from hotplate.document import Data, Position, Problem, did_you_mean
from hotplate.template.constraint import NamedCheck
from hotplate.template.errors import InvalidTemplate
from hotplate.template.template import Template
from hotplate.template.value import BadValue

Origin = Callable[[str], Position | None]
"""Tells where a value was given."""


@dataclass(frozen=True, slots=True, repr=False)
class ParameterValues(Mapping[str, Data]):
    """Converted values by name, pseudo parameters included.

    ``given`` holds what the user said, unconverted, as it is stored. Nothing here prints itself:
    values may be secret.
    """

    template: Template
    _values: Mapping[str, Data]
    given: Mapping[str, Data] = field(default_factory=dict)
    missing: tuple[str, ...] = ()

    def __getitem__(self, name: str) -> Data:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<values of {', '.join(self._values)}>"

    def shown(self) -> dict[str, str]:
        """Return the values as people may see them: as text, hidden ones as stars."""
        parameters = self.template.parameters
        return {
            name: parameters[name].text_of(value) if name in parameters else str(value)
            for name, value in self._values.items()
        }


def parameter_values(
    template: Template,
    given: Mapping[str, Data],
    defaults: Mapping[str, Data] | None = None,
    pseudo: Mapping[str, Data] | None = None,
    checks: Mapping[str, NamedCheck] | None = None,
    origin: Origin | None = None,
    allow_missing: bool = False,
) -> ParameterValues:
    """Return the values: the given one, else the environment's default, else the template's.

    ``checks`` holds the custom constraints that can be checked here; None skips them all.
    Raises InvalidTemplate with everything that is wrong with the values.
    """
    problems: list[Problem] = []

    def report(name: str, message: str, hint: str = "") -> None:
        position = origin(name) if origin else None
        problems.append(Problem(message, ("parameters", name), hint, position))

    for name in given:
        if name not in template.parameters:
            hint = did_you_mean(name, template.parameters)
            report(name, f'the template has no parameter "{name}"', hint)
    values: dict[str, Data] = {
        name: (pseudo or {}).get(name, "") for name in template.dialect.pseudo_parameters
    }
    missing = []
    for name, parameter in template.parameters.items():
        value = _first_given(given.get(name), (defaults or {}).get(name), parameter.default)
        if value is None:
            missing.append(name)
            if not allow_missing:
                report(
                    name,
                    f'the parameter "{name}" has no value',
                    "give it in an environment file or as an explicit parameter",
                )
            continue
        try:
            values[name] = parameter.value_of(value)
        except BadValue as fault:
            report(name, f"the value of {name} is invalid: {fault}")
            continue
        if checks is not None:
            for constraint in parameter.custom_constraints:
                found = constraint.check(values[name], checks)
                if found:
                    report(name, f"the value of {name} is invalid: {found}")
    if problems:
        raise InvalidTemplate(problems)
    return ParameterValues(template, values, dict(given), tuple(missing))


def _first_given(*values: Data) -> Data:
    return next((value for value in values if value is not None), None)


def changed_immutable(old: ParameterValues, new: ParameterValues) -> tuple[str, ...]:
    """Return the immutable parameters whose value would change."""
    return tuple(
        name
        for name, parameter in new.template.parameters.items()
        if parameter.immutable and name in old and name in new and old[name] != new[name]
    )
