"""The sections that declare parameters, in HOT's and in CFN's words."""

from collections.abc import Callable
from functools import partial
from typing import Any

from hotplate.bounded import BadPattern, Pattern
from hotplate.document import Data, Path, Severity, did_you_mean
from hotplate.template.constraint import (
    AllowedPattern,
    AllowedValues,
    Constraint,
    CustomConstraint,
    Length,
    Modulo,
    Range,
)
from hotplate.template.dialect import Dialect
from hotplate.template.errors import Problems, kind_of
from hotplate.template.parameter import Parameter, ParameterGroup
from hotplate.template.parameter_type import ParameterType
from hotplate.template.value import BadValue, boolean, number

_HOT_KEYS = (
    "type", "label", "description", "default", "hidden", "constraints", "immutable", "schema",
)  # fmt: skip
_CFN_KEYS = (
    "Type", "Default", "NoEcho", "AllowedValues", "AllowedPattern", "MaxLength", "MinLength",
    "MaxValue", "MinValue", "Description", "ConstraintDescription", "Label",
)  # fmt: skip
_HOT_TYPES = {parameter_type.value: parameter_type for parameter_type in ParameterType}
_CFN_TYPES = {
    "String": ParameterType.STRING,
    "Number": ParameterType.NUMBER,
    "CommaDelimitedList": ParameterType.LIST,
    "Json": ParameterType.JSON,
    "Boolean": ParameterType.BOOLEAN,
}
_GROUP_KEYS = ("label", "description", "parameters")
_CONSTRAINTS = ("length", "range", "modulo", "allowed_values", "allowed_pattern",
                "custom_constraint")  # fmt: skip


class _Fault(Exception):
    def __init__(self, message: str, *steps: str | int, hint: str = "") -> None:
        self.message = message
        self.steps = steps
        self.hint = hint
        super().__init__(message)


class ParameterCompiler:
    """Compiles parameters one by one, collecting problems."""

    def __init__(self, dialect: Dialect, problems: Problems) -> None:
        self._dialect = dialect
        self._problems = problems
        self._keys: tuple[str, ...] = _CFN_KEYS if dialect.is_cfn else _HOT_KEYS
        if dialect.has_tags:
            self._keys = (*self._keys, "tags")
        self._types = _CFN_TYPES if dialect.is_cfn else _HOT_TYPES

    def compile(self, name: str, schema: Data, path: Path) -> Parameter | None:
        """Return the parameter, or None if it is beyond repair. All faults are reported."""
        if not isinstance(schema, dict):
            self._report(_Fault(f"a parameter is a map with a type, not {kind_of(schema)}"), path)
            return None
        for key in schema:
            if key not in self._keys:
                self._report(self._unknown_key(key), path)
        parameter_type = self._attempt(lambda: self._type(schema), path)
        if parameter_type is None:
            return None
        read = self._read_cfn if self._dialect.is_cfn else self._read_hot
        parameter = read(name, parameter_type, schema, path)
        self._check_default(parameter, path)
        return parameter

    def _unknown_key(self, key: str) -> _Fault:
        if key == "tags" and not self._dialect.is_cfn:
            return _Fault('the key "tags" does not exist in this version', key,
                          hint="it exists since heat_template_version: 2018-03-02")  # fmt: skip
        return _Fault(
            f'unknown key "{key}"',
            key,
            hint=did_you_mean(key, self._keys) or f"a parameter has {', '.join(self._keys)}",
        )

    def _type(self, schema: dict[str, Any]) -> ParameterType:
        word = self._dialect.keywords.type
        if word not in schema:
            raise _Fault(f'the key "{word}" is missing', hint=f"one of {', '.join(self._types)}")
        spelt = schema[word]
        if not isinstance(spelt, str) or spelt not in self._types:
            raise _Fault(
                f"there is no parameter type {spelt!r}",
                word,
                hint=did_you_mean(spelt, self._types) or f"use one of {', '.join(self._types)}",
            )
        return self._types[spelt]

    def _read_hot(
        self, name: str, parameter_type: ParameterType, schema: dict[str, Any], path: Path
    ) -> Parameter:
        return Parameter(
            name=name,
            type=parameter_type,
            label=self._text(schema, "label", path) or name,
            description=self._text(schema, "description", path),
            default=schema.get("default"),
            hidden=self._flag(schema, "hidden", path),
            immutable=self._flag(schema, "immutable", path),
            tags=self._tags(schema, path),
            constraints=tuple(self._constraints(parameter_type, schema.get("constraints"), path)),
        )

    def _read_cfn(
        self, name: str, parameter_type: ParameterType, schema: dict[str, Any], path: Path
    ) -> Parameter:
        description = self._text(schema, "ConstraintDescription", path)
        builders: list[tuple[Callable[[], Constraint], str]] = []
        if "MinValue" in schema or "MaxValue" in schema:
            builders.append((
                lambda: Range(
                    _number(schema, "MinValue"), _number(schema, "MaxValue"),
                    description=description,
                ),
                "MinValue",
            ))  # fmt: skip
        if "MinLength" in schema or "MaxLength" in schema:
            builders.append((
                lambda: Length(
                    _whole(schema, "MinLength"), _whole(schema, "MaxLength"),
                    description=description,
                ),
                "MinLength",
            ))  # fmt: skip
        if "AllowedValues" in schema:
            builders.append((
                lambda: _allowed_values(schema, "AllowedValues", description), "AllowedValues"
            ))  # fmt: skip
        if "AllowedPattern" in schema:
            builders.append((
                lambda: _allowed_pattern(schema, "AllowedPattern", description), "AllowedPattern"
            ))  # fmt: skip
        constraints = []
        for build, key in builders:
            constraint = self._attempt(build, path)
            if constraint is not None and self._fits(constraint, parameter_type, (*path, key)):
                constraints.append(constraint)
        return Parameter(
            name=name,
            type=parameter_type,
            label=self._text(schema, "Label", path) or name,
            description=self._text(schema, "Description", path),
            default=schema.get("Default"),
            hidden=self._flag(schema, "NoEcho", path),
            constraints=tuple(constraints),
        )

    def _constraints(
        self, parameter_type: ParameterType, body: Data, path: Path
    ) -> list[Constraint]:
        if body is None:
            return []
        path = (*path, "constraints")
        if not isinstance(body, list):
            self._report(_Fault(f"the constraints must be a list, not {kind_of(body)}"), path)
            return []
        found = []
        for index, item in enumerate(body):
            place = (*path, index)
            constraint = self._attempt(partial(self._constraint, item), place)
            if constraint is not None and self._fits(constraint, parameter_type, place):
                found.append(constraint)
        return found

    def _fits(self, constraint: Constraint, parameter_type: ParameterType, path: Path) -> bool:
        if parameter_type in constraint.fits:
            return True
        self._report(
            _Fault(
                f"the constraint {constraint.name} does not apply to the type "
                f"{parameter_type.value}",
                hint="it applies to " + ", ".join(sorted(fit.value for fit in constraint.fits)),
            ),
            path,
        )
        return False

    def _constraint(self, item: Data) -> Constraint:
        known = [name for name in _CONSTRAINTS if name != "modulo" or self._dialect.has_modulo]
        if not isinstance(item, dict):
            raise _Fault(f"a constraint must be a map, not {kind_of(item)}")
        for key in item:
            if key == "modulo" and not self._dialect.has_modulo:
                raise _Fault('the constraint "modulo" does not exist in this version', key,
                             hint="it exists since heat_template_version: 2017-02-24")  # fmt: skip
            if key not in known and key != "description":
                raise _Fault(
                    f'there is no constraint "{key}"',
                    key,
                    hint=did_you_mean(key, known) or f"use one of {', '.join(known)}",
                )
        given = [key for key in known if key in item]
        if len(given) != 1:
            said = "names no constraint" if not given else f"has {' and '.join(given)}"
            raise _Fault(
                f"this item {said}",
                hint="each item of the list is one constraint: " + ", ".join(known),
            )
        description = item.get("description") or ""
        return _build(given[0], item, str(description))

    def _check_default(self, parameter: Parameter, path: Path) -> None:
        default = parameter.default
        if default is None:
            return
        word = "Default" if self._dialect.is_cfn else "default"
        if parameter.type is ParameterType.STRING and isinstance(default, dict | list):
            self._problems.add(
                f"{kind_of(default)} as the default of a text is turned into text",
                (*path, word),
                "functions are not called here; for data use the type json",
                Severity.WARNING,
            )
        try:
            parameter.value_of(default)
        except BadValue as fault:
            self._report(_Fault(f"the default is invalid: {fault}", word), path)

    def _text(self, schema: dict[str, Any], key: str, path: Path) -> str:
        value = schema.get(key)
        if value is None:
            return ""
        if isinstance(value, dict | list):
            message = f"should be a text, not {kind_of(value)}"
            self._problems.add(message, (*path, key), severity=Severity.WARNING)
            return ""
        return str(value)

    def _flag(self, schema: dict[str, Any], key: str, path: Path) -> bool:
        value = schema.get(key, False)
        try:
            return False if value is None else boolean(value)
        except BadValue as fault:
            self._report(_Fault(str(fault), key), path)
            return False

    def _tags(self, schema: dict[str, Any], path: Path) -> tuple[str, ...]:
        tags = schema.get("tags")
        if "tags" not in schema or "tags" not in self._keys:
            return ()
        if not isinstance(tags, list):
            self._report(_Fault(f"must be a list, not {kind_of(tags)}", "tags"), path)
            return ()
        return tuple(str(tag) for tag in tags)

    def _attempt(self, build: Callable[[], Any], path: Path) -> Any:
        try:
            return build()
        except _Fault as fault:
            self._report(fault, path)
            return None

    def _report(self, fault: _Fault, path: Path) -> None:
        self._problems.add(fault.message, (*path, *fault.steps), fault.hint)


def _build(name: str, item: dict[str, Any], description: str) -> Constraint:
    body = item[name]
    match name:
        case "allowed_values":
            return _allowed_values(item, name, description)
        case "allowed_pattern":
            return _allowed_pattern(item, name, description)
        case "custom_constraint":
            if not isinstance(body, str):
                raise _Fault(f"a custom constraint is named by a text, not {kind_of(body)}", name)
            return CustomConstraint(body, description=description)
    keys = ("step", "offset") if name == "modulo" else ("min", "max")
    if not isinstance(body, dict):
        raise _Fault(f"must be a map with {' and '.join(keys)}, not {kind_of(body)}", name)
    for key in body:
        if key not in keys:
            raise _Fault(f'unknown key "{key}"', name, key, hint=f"use {' and '.join(keys)}")
    try:
        if name == "modulo":
            return _modulo(body, description)
        if all(body.get(key) is None for key in keys):
            raise _Fault("needs min or max or both")
        _check_order(_number(body, "min"), _number(body, "max"))
        if name == "length":
            return Length(_whole(body, "min"), _whole(body, "max"), description=description)
        return Range(_number(body, "min"), _number(body, "max"), description=description)
    except _Fault as fault:
        raise _Fault(fault.message, name, *fault.steps, hint=fault.hint) from None


def _modulo(body: dict[str, Any], description: str) -> Modulo:
    step, offset = _whole(body, "step"), _whole(body, "offset")
    if step is None or offset is None:
        raise _Fault("needs both step and offset")
    if step == 0:
        raise _Fault("must not be 0", "step")
    if abs(offset) >= abs(step):
        raise _Fault("must be smaller than the step", "offset")
    if step * offset < 0:
        raise _Fault("must have the same sign as the step", "offset")
    return Modulo(step, offset, description=description)


def _check_order(least: float | None, most: float | None) -> None:
    if least is not None and most is not None and least > most:
        raise _Fault(f"no value is at least {least} and at most {most}")


def _number(body: dict[str, Any], key: str) -> int | float | None:
    if body.get(key) is None:
        return None
    try:
        return number(body[key])
    except BadValue as fault:
        raise _Fault(str(fault), key) from None


def _whole(body: dict[str, Any], key: str) -> int | None:
    value = _number(body, key)
    if value is not None and value != int(value):
        raise _Fault(f"must be a whole number, not {value}", key)
    return None if value is None else int(value)


def _allowed_values(body: dict[str, Any], key: str, description: str) -> AllowedValues:
    if not isinstance(body[key], list):
        raise _Fault(f"must be a list, not {kind_of(body[key])}", key)
    return AllowedValues(tuple(body[key]), description=description)


def _allowed_pattern(body: dict[str, Any], key: str, description: str) -> AllowedPattern:
    if not isinstance(body[key], str):
        raise _Fault(f"must be a text, not {kind_of(body[key])}", key)
    try:
        return AllowedPattern(Pattern(body[key]), description=description)
    except BadPattern as fault:
        raise _Fault(str(fault), key) from None


def compile_groups(
    body: Data, declared: dict[str, Any], problems: Problems, path: Path
) -> tuple[ParameterGroup, ...]:
    """Return the parameter groups; each parameter may be in one of them."""
    if body is None:
        return ()
    if not isinstance(body, list):
        problems.add(f"must be a list, not {kind_of(body)}", path)
        return ()
    groups = []
    seen: set[str] = set()
    for index, item in enumerate(body):
        place = (*path, index)
        names = item.get("parameters") if isinstance(item, dict) else None
        if not isinstance(item, dict) or not isinstance(names, list):
            given = isinstance(item, dict) and "parameters" in item
            problems.add(
                'a group is a map with a list "parameters"',
                (*place, "parameters") if given else place,
            )
            continue
        for key in item:
            if key not in _GROUP_KEYS:
                hint = did_you_mean(key, _GROUP_KEYS) or "remove it"
                problems.add(f'unknown key "{key}"', (*place, key), hint, Severity.WARNING)
        for position, name in enumerate(names):
            if not isinstance(name, str) or name not in declared:
                problems.add(
                    f"there is no parameter {name!r}",
                    (*place, "parameters", position),
                    did_you_mean(name, declared),
                )
            elif name in seen:
                problems.add(
                    f'the parameter "{name}" is already in another group',
                    (*place, "parameters", position),
                )
            else:
                seen.add(name)
        groups.append(
            ParameterGroup(
                str(item.get("label") or ""), str(item.get("description") or ""),
                tuple(map(str, names)),
            )
        )  # fmt: skip
    return tuple(groups)
