"""A parameter that a template declares."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hotplate.document import Data
from hotplate.secret import STARS
from hotplate.template.constraint import Constraint, CustomConstraint, NamedCheck
from hotplate.template.parameter_type import ParameterType
from hotplate.template.value import BadValue, as_text, convert


@dataclass(frozen=True, slots=True)
class Parameter:
    """Name, type and rules. A default of None means that there is none."""

    name: str
    type: ParameterType
    label: str
    description: str = ""
    default: Data = None
    hidden: bool = False
    immutable: bool = False
    tags: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()

    @property
    def required(self) -> bool:
        """Whether a value must be given."""
        return self.default is None

    @property
    def custom_constraints(self) -> tuple[CustomConstraint, ...]:
        """The rules that may need a service to be checked."""
        return tuple(c for c in self.constraints if isinstance(c, CustomConstraint))

    def value_of(self, given: Data) -> Data:
        """Return the value in its type. Raises BadValue if it breaks a rule.

        The words of the refusal do not quote a hidden value.
        """
        try:
            value = convert(self.type, given)
        except BadValue:
            if not self.hidden:
                raise
            raise BadValue(f"it is not of the type {self.type.value}") from None
        for constraint in self.constraints:
            fault = constraint.fault(value, self.type)
            if fault:
                raise BadValue(self.words_for(constraint, fault))
        return value

    def check_custom(self, value: Data, checks: Mapping[str, NamedCheck]) -> None:
        """Put a value to the custom constraints that can be checked. Raises BadValue."""
        for constraint in self.custom_constraints:
            if fault := constraint.check(value, checks):
                raise BadValue(self.words_for(constraint, fault))

    def words_for(self, constraint: Constraint, fault: str) -> str:
        """Return why a constraint refuses a value, without the value if that is hidden."""
        if not self.hidden or constraint.description:
            return fault
        return f"it breaks the constraint {json.dumps(constraint.as_data())}"

    def text_of(self, value: Data) -> str:
        """Return a converted value as people may see it."""
        return STARS if self.hidden else as_text(self.type, value)


@dataclass(frozen=True, slots=True)
class ParameterGroup:
    """Parameters that belong together on a form."""

    label: str
    description: str
    parameters: tuple[str, ...]

    def as_data(self) -> dict[str, Any]:
        """Return the group as a template would write it."""
        return {
            "label": self.label,
            "description": self.description,
            "parameters": list(self.parameters),
        }
