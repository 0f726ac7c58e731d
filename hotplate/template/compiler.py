"""A document to a template: every section read, every fault reported at once."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from hotplate.document import Data, Document, Path, Severity, did_you_mean
from hotplate.graph import CycleError, Graph
from hotplate.template.definition import (
    LOWER_CASE_POLICIES,
    POLICIES,
    Output,
    ResourceDefinition,
    reference_path,
    static_references,
)
from hotplate.template.dialect import Dialect
from hotplate.template.errors import InvalidTemplate, Problems, kind_of
from hotplate.template.expression import Constant, Expression, is_call, walk
from hotplate.template.expression_compiler import ExpressionCompiler
from hotplate.template.functions.arguments import shown
from hotplate.template.functions.logic import ConditionCall
from hotplate.template.parameter import Parameter
from hotplate.template.parameter_compiler import ParameterCompiler, compile_groups
from hotplate.template.site import Site
from hotplate.template.template import Template
from hotplate.template.versions import VERSION_KEYS, versions_for


@dataclass(frozen=True, slots=True)
class TemplateLimits:
    """How many of each a template may have."""

    parameters: int = 10_000
    conditions: int = 10_000
    resources: int = 200_000
    outputs: int = 20_000


DEFAULT_TEMPLATE_LIMITS = TemplateLimits()


def compile_template(
    document: Document, limits: TemplateLimits = DEFAULT_TEMPLATE_LIMITS
) -> Template:
    """Return the template. Raises InvalidTemplate with everything that is wrong with it."""
    problems = Problems(document)
    if not isinstance(document.data, dict):
        problems.add(
            f"a template is a map, not {kind_of(document.data)}",
            (),
            "begin with heat_template_version: wallaby",
        )
        raise InvalidTemplate(problems.errors)
    dialect = _dialect(document.data, problems)
    if dialect is None:
        raise InvalidTemplate(problems.errors)
    with _collector_paused():
        return _TemplateCompiler(document, document.data, dialect, problems, limits).compile()


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Keep the garbage collector from walking over what is being built.

    Compiling makes many objects that all stay; looking for garbage among them costs half as much
    again and grows faster than the template. Whoever paused it first starts it again.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _dialect(data: dict[str, Any], problems: Problems) -> Dialect | None:
    keys = [key for key in VERSION_KEYS if key in data]
    if len(keys) != 1:
        if keys:
            problems.add(f"the template has {' and '.join(keys)}", (keys[1],), "keep one of them")
        else:
            near = next(
                (f" ({hint})" for key in data if (hint := did_you_mean(key, VERSION_KEYS))), ""
            )
            problems.add(
                f"the template does not say its version{near}",
                (),
                "begin with heat_template_version: wallaby",
            )
        return None
    (key,) = keys
    known = versions_for(key)
    version = data[key]
    if isinstance(version, str) and version in known:
        return known[version]
    problems.add(
        f"there is no version {version!r}",
        (key,),
        did_you_mean(version, known) or f"use one of {', '.join(known)}",
    )
    return None


class _TemplateCompiler:
    def __init__(
        self,
        document: Document,
        data: dict[str, Any],
        dialect: Dialect,
        problems: Problems,
        limits: TemplateLimits,
    ) -> None:
        self._document = document
        self._data = data
        self._dialect = dialect
        self._words = dialect.words
        self._problems = problems
        self._limits = limits

    def compile(self) -> Template:
        self._check_sections()
        words, limits = self._words, self._limits
        parameters = self._parameters(self._section(words.parameters, limits.parameters))
        conditions = self._section(
            words.conditions if self._dialect.has_conditions else "", limits.conditions
        )
        resources = self._section(words.resources, limits.resources)
        outputs = self._section(words.outputs, limits.outputs)
        pseudo = dict.fromkeys(self._dialect.pseudo_parameters)
        site = Site(
            parameters={**pseudo, **self._section(words.parameters, limits.parameters)},
            resources=resources,
            conditions=conditions,
            mappings=self._section(words.mappings, limits.parameters),
        )
        self._expressions = ExpressionCompiler(self._dialect, site, self._problems)
        groups = (
            compile_groups(
                self._data.get(words.parameter_groups),
                self._section(words.parameters, limits.parameters),
                self._problems,
                (words.parameter_groups,),
            )
            if words.parameter_groups
            else ()
        )
        compiled_resources = self._resources(resources)
        template = Template(
            document=self._document,
            dialect=self._dialect,
            description=self._description(),
            parameters=MappingProxyType(parameters),
            groups=groups,
            conditions=MappingProxyType(self._conditions(conditions)),
            resources=MappingProxyType(compiled_resources),
            outputs=MappingProxyType(self._outputs(outputs)),
        )
        self._check_duplicate_names(parameters, resources)
        self._warn_of_cycle(compiled_resources)
        self._problems.raise_if_any()
        return replace(template, warnings=(*self._document.warnings, *self._problems.warnings))

    def _check_sections(self) -> None:
        words = self._words
        known = [words.version, words.description, words.parameters, words.parameter_groups,
                 words.mappings, words.resources, words.outputs]  # fmt: skip
        if self._dialect.has_conditions:
            known.append(words.conditions)
        known = [word for word in known if word]
        for key in self._data:
            if key in known:
                continue
            if key == words.conditions:
                self._problems.add(
                    f'the section "{key}" does not exist in version {self._dialect.version}',
                    (key,),
                    ""
                    if self._dialect.is_cfn
                    else "it exists since heat_template_version: 2016-10-14",
                )
                continue
            self._problems.add(
                f'unknown section "{key}"',
                (key,),
                did_you_mean(key, known) or f"a template has {', '.join(known)}",
            )

    def _section(self, word: str, most: int) -> dict[str, Any]:
        body = self._data.get(word) if word else None
        if body is None:
            if word == self._words.conditions and word in self._data:
                self._problems.add("is empty", (word,), "write {} or remove the section")
            return {}
        if not isinstance(body, dict):
            self._problems.add(f"must be a map, not {kind_of(body)}", (word,))
            return {}
        if len(body) > most:
            self._problems.add(f"has {len(body)} entries, at most {most} are allowed", (word,))
            return {}
        return body

    def _description(self) -> str:
        value = self._data.get(self._words.description)
        if isinstance(value, dict | list):
            self._problems.add(
                f"should be a text, not {kind_of(value)}",
                (self._words.description,),
                severity=Severity.WARNING,
            )
        return str(value) if value else "No description"

    def _parameters(self, section: dict[str, Any]) -> dict[str, Parameter]:
        compiler = ParameterCompiler(self._dialect, self._problems)
        for name in self._dialect.pseudo_parameters:
            if name in section:
                self._problems.add(f"the name {name} is taken", (self._words.parameters, name))
        compiled = {
            name: compiler.compile(name, schema, (self._words.parameters, name))
            for name, schema in section.items()
        }
        return {name: parameter for name, parameter in compiled.items() if parameter}

    def _conditions(self, section: dict[str, Any]) -> dict[str, Expression]:
        compiled = {}
        names: dict[str, list[str]] = {}
        for name, body in section.items():
            path = (self._words.conditions, name)
            expression = self._expressions.compile_condition(body, path)
            if isinstance(body, str) or not (isinstance(body, bool) or _may_be_boolean(expression)):
                self._problems.add(
                    f"a condition is true, false or a condition function, not {shown(body)}",
                    path,
                    "use one of " + ", ".join(self._dialect.condition_functions),
                )
            compiled[name] = expression
            names[name] = _condition_names(expression, section)
        self._report_cycle(names, self._words.conditions)
        return compiled

    def _resources(self, section: dict[str, Any]) -> dict[str, ResourceDefinition]:
        compiled = {}
        for name, body in section.items():
            path = (self._words.resources, name)
            if not name or "/" in name:
                self._problems.add(
                    f'"{name}" is no name for a resource',
                    path,
                    'it must not be empty or have a "/"',
                )
            if not isinstance(body, dict):
                glued = isinstance(body, str) and ":" in body
                hint = "a space is missing after a colon" if glued else ""
                message = f"a resource is a map with a type, not {kind_of(body)}"
                self._problems.add(message, path, hint)
                continue
            definition = self._resource(name, body, path, section)
            if definition:
                compiled[name] = definition
        return compiled

    def _resource(
        self, name: str, body: dict[str, Any], path: Path, section: dict[str, Any]
    ) -> ResourceDefinition | None:
        words = self._words
        self._check_keys(body, path)
        self._check_nulls(body, path)
        kind = body.get(words.type)
        if not isinstance(kind, str) or not kind:
            place = (*path, words.type) if words.type in body else path
            if any(key.lower() == words.type.lower() for key in body if key != words.type):
                return None  # the wrong spelling has been reported
            self._problems.add(
                f'the key "{words.type}" is missing'
                if words.type not in body
                else "a type is named by a text",
                place,
                f"write {words.type}: OS::Heat::None, for example",
            )
        description = body.get(words.description)
        if description is not None and not isinstance(description, str):
            self._problems.add(
                f"must be a text, not {kind_of(description)}", (*path, words.description)
            )
        definition = ResourceDefinition(
            name=name,
            type=str(kind),
            path=path,
            properties=self._map_part(body, words.properties, path),
            metadata=self._map_part(body, words.metadata, path),
            depends_on=self._depends_on(body, path, section),
            deletion_policy=self._policy(body, path),
            update_policy=self._map_part(body, words.update_policy, path),
            external_id=self._external_id(body, path),
            condition=self._condition(body, path),
            description=str(description or ""),
        )
        return replace(
            definition, static_references=static_references(definition.reference_holders())
        )

    def _check_keys(self, body: dict[str, Any], path: Path) -> None:
        words = self._words
        known = [words.type, words.properties, words.metadata, words.depends_on,
                 words.deletion_policy, words.update_policy, words.description]  # fmt: skip
        if self._dialect.has_conditions:
            known += [word for word in (words.external_id, words.condition) if word]
        for key in body:
            if key in known:
                continue
            if key in (words.external_id, words.condition):
                hint = "it exists since heat_template_version: 2016-10-14"
                message = f'the key "{key}" does not exist in version {self._dialect.version}'
                self._problems.add(message, (*path, key), "" if self._dialect.is_cfn else hint)
            else:
                # Heat overlooks such keys in CFN templates.
                misspelt_type = key.lower() == words.type.lower()
                lenient = self._dialect.is_cfn and not misspelt_type
                self._problems.add(
                    f'unknown key "{key}"',
                    (*path, key),
                    did_you_mean(key, known) or f"a resource has {', '.join(known)}",
                    Severity.WARNING if lenient else Severity.ERROR,
                )

    def _check_nulls(self, body: dict[str, Any], path: Path) -> None:
        for key, value in body.items():
            if value is None and key != self._words.type:
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
        value = body.get(self._words.depends_on)
        path = (*path, self._words.depends_on)
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
                    f'there is no resource "{name}"', place, did_you_mean(name, section)
                )
        return tuple(dict.fromkeys(names))

    def _policy(self, body: dict[str, Any], path: Path) -> Expression | None:
        word = self._words.deletion_policy
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
        word = self._words.external_id
        if not word or body.get(word) is None or not self._dialect.has_conditions:
            return None
        expression = self._expressions.compile(body[word], (*path, word))
        if not is_call(expression) and not isinstance(body[word], str):
            self._problems.add(f"must be a text, not {kind_of(body[word])}", (*path, word))
        return expression

    def _condition(self, body: dict[str, Any], path: Path) -> Expression | None:
        word = self._words.condition
        if body.get(word) is None or not self._dialect.has_conditions:
            return None
        path = (*path, word)
        expression = self._expressions.compile_condition(body[word], path)
        if not _may_be_boolean(expression) and not isinstance(expression, Constant):
            self._problems.add("must be a condition", path)
        self._expressions.check_condition_name(expression, path)
        return expression

    def _outputs(self, section: dict[str, Any]) -> dict[str, Output]:
        words = self._words
        known = [words.value, words.description]
        if self._dialect.has_conditions:
            known.append(words.condition)
        compiled = {}
        for name, body in section.items():
            path = (words.outputs, name)
            if not isinstance(body, dict):
                self._problems.add(f'an output is a map with a "{words.value}"', path)
                continue
            has_value = words.value in body
            unknown = [key for key in body if key not in known]
            for key in unknown:
                # Heat overlooks such keys as long as there is a value.
                self._problems.add(
                    f'unknown key "{key}"',
                    (*path, key),
                    did_you_mean(key, known) or f"an output has {', '.join(known)}",
                    Severity.WARNING if has_value else Severity.ERROR,
                )
            if not has_value:
                if not unknown:
                    self._problems.add(f'an output is a map with a "{words.value}"', path)
                continue
            compiled[name] = Output(
                name=name,
                value=self._expressions.compile_output(body[words.value], (*path, words.value)),
                path=path,
                description=str(body.get(words.description) or ""),
                condition=self._condition(body, path),
            )
        return compiled

    def _check_duplicate_names(
        self, parameters: dict[str, Parameter], resources: dict[str, Any]
    ) -> None:
        for name in parameters:
            if name in resources:
                self._problems.add(
                    f'"{name}" is the name of a parameter and of a resource',
                    (self._words.resources, name),
                    "rename one of them",
                )

    def _warn_of_cycle(self, resources: dict[str, ResourceDefinition]) -> None:
        """Find a cycle of references that no condition could break.

        Only a stack cannot have one; Heat keeps and shows templates that do.
        """
        always = {
            name: definition
            for name, definition in resources.items()
            if definition.condition is None and definition.static_references is not None
        }
        cycle = Graph(
            {
                name: [
                    other
                    for other in (
                        *definition.depends_on,
                        *sorted(definition.static_references or ()),
                    )
                    if other in always
                ]
                for name, definition in always.items()
            }
        ).cycle()
        if cycle:
            message, hint = cycle_words(CycleError(cycle))
            path = reference_path(always[cycle[0]], cycle[1], self._words.depends_on)
            self._problems.add(message, path, hint, Severity.WARNING)

    def _report_cycle(self, requires: dict[str, list[str]], section: str) -> None:
        try:
            Graph(requires).order()
        except CycleError as cycle:
            message, hint = cycle_words(cycle)
            self._problems.add(message, (section, str(cycle.path[0])), hint)


def cycle_words(cycle: CycleError) -> tuple[str, str]:
    """Return what is wrong and what to do about a cycle."""
    names = list(map(str, cycle.path))
    if len(names) == 2:
        return f"{names[0]} needs itself", "remove the reference"
    return f"these need each other: {' -> '.join(names)}", "remove one of the references"


def _contains_map(value: Data) -> bool:
    return isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(item, dict) for item in value)
    )


def _first_not_text(names: list[Data]) -> int | None:
    return next((index for index, name in enumerate(names) if not isinstance(name, str)), None)


def _may_be_boolean(expression: Expression) -> bool:
    return is_call(expression)


def _condition_names(expression: Expression, known: dict[str, Any]) -> list[str]:
    names: list[str] = []
    for part in walk(expression):
        operands = part.operands() if isinstance(part, ConditionCall) else ()
        names.extend(
            operand.value
            for operand in operands
            if isinstance(operand, Constant)
            and isinstance(operand.value, str)
            and operand.value in known
        )
    return names
