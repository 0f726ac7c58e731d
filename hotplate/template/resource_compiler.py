"""The sections resources and outputs: each entry read, every fault reported."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from hotplate.document import Cause, Data, Path, Severity, did_you_mean
from hotplate.document.repeated import RepeatedMap
from hotplate.template.alike import AlikeResources
from hotplate.template.definition import (
    LOWER_CASE_POLICIES,
    POLICIES,
    Output,
    ResourceDefinition,
    static_references,
)
from hotplate.template.dialect import Dialect
from hotplate.template.errors import Problems, kind_of
from hotplate.template.expression import Constant, Expression, is_call
from hotplate.template.expression_compiler import ExpressionCompiler

_LONGEST_NAME = 255

_MANY = 100
"""Resources written like others that are not built until they are asked for."""


class ResourceCompiler:
    """Compiles resources and outputs, collecting problems."""

    def __init__(
        self, dialect: Dialect, expressions: ExpressionCompiler, problems: Problems
    ) -> None:
        self._dialect = dialect
        self._keywords = dialect.keywords
        self._expressions = expressions
        self._problems = problems

    def resources(self, section: dict[str, Any]) -> Mapping[str, ResourceDefinition]:
        """Return the resources that could be compiled."""
        if isinstance(section, RepeatedMap):
            # What is ours has names that need no look, and each run is compiled once.
            repeated = self._of_runs(section)
            if repeated is not None:
                return repeated
        compiled: dict[str, ResourceDefinition] = {}
        like: dict[str, str] = {}
        # By what is written: a large template says the same thing many times.
        plain: dict[str, str] = {}
        for name, body in section.items():
            path = (self._keywords.resources, name)
            if not name or "/" in name:
                self._problems.add(
                    f'"{name}" is no name for a resource',
                    path,
                    'it must not be empty or have a "/"',
                )
            if len(name) > _LONGEST_NAME:
                self._problems.add(
                    f"the name of a resource has at most {_LONGEST_NAME} characters", path
                )
            if not isinstance(body, dict):
                glued = isinstance(body, str) and ":" in body
                hint = "a space is missing after a colon" if glued else ""
                message = f"a resource is a map with a type, not {kind_of(body)}"
                self._problems.add(message, path, hint)
                continue
            words = repr(body)
            if words in plain:
                like[name] = plain[words]
                continue
            found = self._problems.count
            definition = self._resource(name, body, path, section)
            if definition:
                compiled[name], like[name] = definition, name
                if self._problems.count == found and _is_plain(definition):
                    plain[words] = name
        alike = AlikeResources(like, compiled)
        is_worth_it = len(like) - len(compiled) > _MANY
        return alike if is_worth_it else MappingProxyType(dict(alike))

    def _of_runs(self, section: RepeatedMap) -> AlikeResources | None:
        """Return the resources of a section of ours; None if not each run can be compiled once."""
        own: dict[str, ResourceDefinition] = {}
        for run in section.runs:
            name = next(run.names())
            path = (self._keywords.resources, name)
            definition = self._resource(name, run.value, path, section)
            if definition is None or self._problems.count or not _is_plain(definition):
                return None
            own[name] = definition
        return AlikeResources.of_runs(section.runs, own)

    def _resource(
        self, name: str, body: dict[str, Any], path: Path, section: dict[str, Any]
    ) -> ResourceDefinition | None:
        keywords = self._keywords
        self._check_keys(body, path)
        self._check_nulls(body, path)
        type_name = body.get(keywords.type)
        if not isinstance(type_name, str) or not type_name:
            place = (*path, keywords.type) if keywords.type in body else path
            if any(key.lower() == keywords.type.lower() for key in body if key != keywords.type):
                return None  # the wrong spelling has been reported
            self._problems.add(
                f'the key "{keywords.type}" is missing'
                if keywords.type not in body
                else "a type is named by a text",
                place,
                f"write {keywords.type}: OS::Heat::None, for example",
            )
        description = body.get(keywords.description)
        if description is not None and not isinstance(description, str):
            self._problems.add(
                f"must be a text, not {kind_of(description)}", (*path, keywords.description)
            )
        definition = ResourceDefinition(
            name=name,
            type=str(type_name),
            path=path,
            properties=self._map_part(body, keywords.properties, path),
            metadata=self._map_part(body, keywords.metadata, path),
            depends_on=self._depends_on(body, path, section),
            deletion_policy=self._policy(body, path),
            update_policy=self._map_part(body, keywords.update_policy, path),
            external_id=self._external_id(body, path),
            condition=self._condition(body, path),
            description=str(description or ""),
        )
        return replace(
            definition, static_references=static_references(definition.reference_holders())
        )

    def _check_keys(self, body: dict[str, Any], path: Path) -> None:
        keywords = self._keywords
        known = [
            keywords.type,
            keywords.properties,
            keywords.metadata,
            keywords.depends_on,
            keywords.deletion_policy,
            keywords.update_policy,
            keywords.description,
        ]
        if self._dialect.has_conditions:
            known += [word for word in (keywords.external_id, keywords.condition) if word]
        for key in body:
            if key in known:
                continue
            if key in (keywords.external_id, keywords.condition):
                hint = "it exists since heat_template_version: 2016-10-14"
                message = f'the key "{key}" does not exist in version {self._dialect.version}'
                self._problems.add(message, (*path, key), "" if self._dialect.is_cfn else hint)
            else:
                # Heat ignores such keys in CFN templates.
                misspelt_type = key.lower() == keywords.type.lower()
                lenient = self._dialect.is_cfn and not misspelt_type
                self._problems.add(
                    f'unknown key "{key}"',
                    (*path, key),
                    did_you_mean(key, known) or f"a resource has {', '.join(known)}",
                    Severity.WARNING if lenient else Severity.ERROR,
                )

    def _check_nulls(self, body: dict[str, Any], path: Path) -> None:
        # The type has its own message; no external id means that the resource is managed.
        allowed = (self._keywords.type, self._keywords.external_id)
        for key, value in body.items():
            if value is None and key not in allowed:
                self._problems.add("is empty", (*path, key), "give it a value or remove the key")

    def _map_part(self, body: dict[str, Any], word: str, path: Path) -> Expression | None:
        value = body.get(word)
        if value is None:
            return None
        expression = self._expressions.compile(value, (*path, word))
        if not isinstance(value, dict):
            self._problems.add(f"must be a map, not {kind_of(value)}", (*path, word))
        return expression

    def _depends_on(
        self, body: dict[str, Any], path: Path, section: dict[str, Any]
    ) -> tuple[str, ...]:
        value = body.get(self._keywords.depends_on)
        path = (*path, self._keywords.depends_on)
        if value is None:
            return ()
        names = [value] if isinstance(value, str) else value
        wrong = _first_not_text(names) if isinstance(names, list) else None
        if not isinstance(names, list) or wrong is not None:
            self._problems.add(
                "must be the name of a resource or a list of names",
                path if wrong is None else (*path, wrong),
                "functions cannot be used here" if _contains_map(value) else "",
            )
            return ()
        for index, name in enumerate(names):
            if name not in section:
                place = path if isinstance(value, str) else (*path, index)
                self._problems.add(
                    f'there is no resource "{name}"',
                    place,
                    did_you_mean(name, section),
                    cause=Cause.REFERENCE,
                    subject=name,
                )
        return tuple(dict.fromkeys(names))

    def _policy(self, body: dict[str, Any], path: Path) -> Expression | None:
        word = self._keywords.deletion_policy
        value = body.get(word)
        if value is None:
            return None
        expression = self._expressions.compile(value, (*path, word))
        known = dict(POLICIES)
        if self._dialect.lower_case_policies:
            known.update(LOWER_CASE_POLICIES)
        if not is_call(expression) and (not isinstance(value, str) or value not in known):
            hint = did_you_mean(value, known) or f"use one of {', '.join(known)}"
            if isinstance(value, str) and value in LOWER_CASE_POLICIES:
                hint = f"before 2016-10-14 it is written {str(value).capitalize()}"
            self._problems.add(f"there is no deletion policy {value!r}", (*path, word), hint)
        return expression

    def _external_id(self, body: dict[str, Any], path: Path) -> Expression | None:
        word = self._keywords.external_id
        if not word or body.get(word) is None or not self._dialect.has_conditions:
            return None
        expression = self._expressions.compile(body[word], (*path, word))
        if not is_call(expression) and not isinstance(body[word], str):
            self._problems.add(f"must be a text, not {kind_of(body[word])}", (*path, word))
        return expression

    def _condition(self, body: dict[str, Any], path: Path) -> Expression | None:
        word = self._keywords.condition
        if body.get(word) is None or not self._dialect.has_conditions:
            return None
        path = (*path, word)
        expression = self._expressions.compile_condition(body[word], path)
        if not is_call(expression) and not isinstance(expression, Constant):
            self._problems.add("must be a condition", path)
        self._expressions.check_condition_name(expression, path)
        return expression

    def outputs(self, section: dict[str, Any]) -> dict[str, Output]:
        """Return the outputs that could be compiled."""
        keywords = self._keywords
        known = [keywords.value, keywords.description]
        if self._dialect.has_conditions:
            known.append(keywords.condition)
        compiled = {}
        for name, body in section.items():
            path = (keywords.outputs, name)
            if not isinstance(body, dict):
                self._problems.add(f'an output is a map with a "{keywords.value}"', path)
                continue
            has_value = keywords.value in body
            unknown = [key for key in body if key not in known]
            for key in unknown:
                # Heat ignores such keys as long as there is a value.
                self._problems.add(
                    f'unknown key "{key}"',
                    (*path, key),
                    did_you_mean(key, known) or f"an output has {', '.join(known)}",
                    Severity.WARNING if has_value else Severity.ERROR,
                )
            if not has_value:
                if not unknown:
                    self._problems.add(f'an output is a map with a "{keywords.value}"', path)
                continue
            compiled[name] = Output(
                name=name,
                value=self._expressions.compile_output(
                    body[keywords.value], (*path, keywords.value)
                ),
                path=path,
                description=str(body.get(keywords.description) or ""),
                condition=self._condition(body, path),
            )
        return compiled


def _is_plain(definition: ResourceDefinition) -> bool:
    """Tell whether nothing is called in a definition, and it names no other resource."""
    return (
        not definition.depends_on
        and definition.external_id is None
        and definition.condition is None
        and all(isinstance(part, Constant) for part in definition.parts())
    )


def _contains_map(value: Data) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, dict) for item in value)
    )


def _first_not_text(names: list[Data]) -> int | None:
    return next((index for index, name in enumerate(names) if not isinstance(name, str)), None)
