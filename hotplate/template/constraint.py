"""Constraints on the values of parameters."""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hotplate.bounded import Pattern, PatternTimeout
from hotplate.document import Data
from hotplate.template.parameter_type import ParameterType
from hotplate.template.value import BadValue, convert, number

NamedCheck = Callable[[Data], str]
"""Returns what is wrong with a value, or an empty text."""

_T = ParameterType

_LONGEST = 200
"""Characters of a value that a message quotes."""


@dataclass(frozen=True, slots=True)
class Constraint(ABC):
    """A rule that a converted value must keep. ``description`` replaces the text of a failure."""

    description: str = field(default="", kw_only=True)

    name: ClassVar[str]
    fits: ClassVar[frozenset[ParameterType]]

    def fault(self, value: Data, parameter_type: ParameterType) -> str:
        """Return what is wrong with the value, or an empty text."""
        found = self._fault(value, parameter_type)
        return (self.description or found) if found else ""

    @abstractmethod
    def _fault(self, value: Data, parameter_type: ParameterType) -> str: ...

    @abstractmethod
    def definition(self) -> Data:
        """Return the body as a template would write it."""

    def as_data(self) -> dict[str, Any]:
        """Return the constraint as a template would write it."""
        body: dict[str, Any] = {self.name: self.definition()}
        return {"description": self.description, **body} if self.description else body


def _bounds(least: float | None, most: float | None) -> str:
    return f"(min: {least}, max: {most})"


@dataclass(frozen=True, slots=True)
class Range(Constraint):
    """A number between two others."""

    least: float | None
    most: float | None

    name = "range"
    fits = frozenset((_T.NUMBER,))

    def _fault(self, value: Data, parameter_type: ParameterType) -> str:
        if _between(number(value), self.least, self.most):
            return ""
        return f"{value} is out of range {_bounds(self.least, self.most)}"

    def definition(self) -> Data:
        return _min_and_max(self.least, self.most)


@dataclass(frozen=True, slots=True)
class Length(Constraint):
    """A text, list or map of a certain size."""

    least: int | None
    most: int | None

    name = "length"
    fits = frozenset((_T.STRING, _T.LIST, _T.JSON))

    def _fault(self, value: Data, parameter_type: ParameterType) -> str:
        if not isinstance(value, str | list | dict):
            return f"{json.dumps(value)} has no length"
        if _between(len(value), self.least, self.most):
            return ""
        return f"length ({len(value)}) is out of range {_bounds(self.least, self.most)}"

    def definition(self) -> Data:
        return _min_and_max(self.least, self.most)


def _between(value: float, least: float | None, most: float | None) -> bool:
    return (least is None or value >= least) and (most is None or value <= most)


def _min_and_max(least: float | None, most: float | None) -> dict[str, float]:
    return {key: value for key, value in (("min", least), ("max", most)) if value is not None}


@dataclass(frozen=True, slots=True)
class Modulo(Constraint):
    """A number that is so many more than a multiple of another."""

    step: int
    offset: int

    name = "modulo"
    fits = frozenset((_T.NUMBER,))

    def _fault(self, value: Data, parameter_type: ParameterType) -> str:
        try:
            if number(value) % self.step == self.offset:
                return ""
        except OverflowError:
            pass  # a step beyond the range of floating point has no multiple among its numbers
        return f"{value} is not a multiple of {self.step} with an offset of {self.offset}"

    def definition(self) -> Data:
        return {"step": self.step, "offset": self.offset}


@dataclass(frozen=True, slots=True)
class AllowedValues(Constraint):
    """One of a list of values; every item of a list parameter must be one."""

    allowed: tuple[Any, ...]

    name = "allowed_values"
    fits = frozenset((_T.STRING, _T.NUMBER, _T.BOOLEAN, _T.LIST))

    def _fault(self, value: Data, parameter_type: ParameterType) -> str:
        if parameter_type is _T.LIST and isinstance(value, list):
            texts = {item for item in self.allowed if isinstance(item, str)}
            if all(isinstance(item, str) and item in texts for item in value):
                return ""
        elif value in self._converted(parameter_type):
            return ""
        allowed = ", ".join(json.dumps(item) for item in self.allowed)
        return f"{json.dumps(value)} is not an allowed value [{allowed}]"

    def _converted(self, parameter_type: ParameterType) -> list[Data]:
        converted: list[Data] = []
        for item in self.allowed:
            try:
                converted.append(convert(parameter_type, item))
            except BadValue:
                continue
        return converted

    def definition(self) -> Data:
        return list(self.allowed)


@dataclass(frozen=True, slots=True)
class AllowedPattern(Constraint):
    """A text that a regular expression matches as a whole."""

    pattern: Pattern

    name = "allowed_pattern"
    fits = frozenset((_T.STRING,))

    def _fault(self, value: Data, parameter_type: ParameterType) -> str:
        try:
            if self.pattern.matches_whole(str(value)):
                return ""
        except PatternTimeout as error:
            return str(error)
        return f'"{value}" does not match pattern "{self.pattern.text}"'

    def definition(self) -> Data:
        return self.pattern.text


@dataclass(frozen=True, slots=True)
class CustomConstraint(Constraint):
    """A rule known by name; those of cloud services are handed in by whoever can ask them."""

    rule: str

    name = "custom_constraint"
    fits = frozenset((_T.STRING, _T.NUMBER, _T.BOOLEAN, _T.LIST))

    def _fault(self, value: Data, parameter_type: ParameterType) -> str:
        return ""

    def check(self, value: Data, checks: Mapping[str, NamedCheck]) -> str:
        """Return what is wrong with the value, or an item of it, by the rule of that name.

        A rule that is not among the checks is not checked.
        """
        check = checks.get(self.rule)
        if check is None:
            return ""
        faults = ((item, check(item)) for item in items_of_value(value))
        return next((self.words_for(item, fault) for item, fault in faults if fault), "")

    def words_for(self, value: Data, fault: str) -> str:
        """Return what to say of a value that breaks the rule: Heat's words, then why."""
        return self.description or f"Error validating value '{brief(value)}': {fault}"

    def definition(self) -> Data:
        return self.rule


def items_of_value(value: Data) -> list[Data]:
    """Return what a custom constraint is asked about: the items of a list, one by one."""
    return value if isinstance(value, list) else [value]


def brief(value: Data) -> str:
    """Return a value as a sentence of Heat quotes it, but not at any length."""
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
