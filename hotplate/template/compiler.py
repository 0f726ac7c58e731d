"""A document to a template: every section read, every fault reported at once."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from hotplate.bounded import time_limit
from hotplate.document import Cause, Document, Severity, did_you_mean
from hotplate.graph import CycleError, Graph
from hotplate.template.alike import in_own_words
from hotplate.template.definition import (
    ResourceDefinition,
    reference_path,
)
from hotplate.template.dialect import Dialect
from hotplate.template.errors import InvalidTemplate, Problems, kind_of
from hotplate.template.expression import Expression, is_call
from hotplate.template.expression_compiler import ExpressionCompiler
from hotplate.template.functions.arguments import shown
from hotplate.template.functions.logic import conditions_named
from hotplate.template.parameter import Parameter
from hotplate.template.parameter_compiler import ParameterCompiler, compile_groups
from hotplate.template.resource_compiler import ResourceCompiler
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


_SECONDS = 2.0
"""Processor time for the patterns of all parameters together."""

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
            cause=Cause.TEMPLATE_NO_MAP,
        )
        raise InvalidTemplate(problems.errors)
    dialect = _dialect(document.data, problems)
    if dialect is None:
        raise InvalidTemplate(problems.errors)
    with _collector_paused(), time_limit(_SECONDS):
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
            problems.add(
                f"the template has {' and '.join(keys)}",
                (keys[1],),
                "keep one of them",
                cause=Cause.VERSION,
            )
        else:
            near = next(
                (
                    f" ({hint})"
                    for key in list(data)[:100]
                    if (hint := did_you_mean(key, VERSION_KEYS))
                ),
                "",
            )
            problems.add(
                f"the template does not say its version{near}",
                (),
                "begin with heat_template_version: wallaby",
                cause=Cause.NO_VERSION,
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
        cause=Cause.VERSION,
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
        self._keywords = dialect.keywords
        self._problems = problems
        self._limits = limits

    def compile(self) -> Template:
        self._check_sections()
        keywords, limits = self._keywords, self._limits
        parameters = self._parameters(self._section(keywords.parameters, limits.parameters))
        conditions = self._section(
            keywords.conditions if self._dialect.has_conditions else "", limits.conditions
        )
        resources = self._section(keywords.resources, limits.resources)
        outputs = self._section(keywords.outputs, limits.outputs)
        pseudo = dict.fromkeys(self._dialect.pseudo_parameters)
        site = Site(
            parameters={**pseudo, **self._section(keywords.parameters, limits.parameters)},
            resources=resources,
            conditions=conditions,
            mappings=self._section(keywords.mappings, limits.parameters),
        )
        self._expressions = ExpressionCompiler(self._dialect, site, self._problems)
        groups = (
            compile_groups(
                self._data.get(keywords.parameter_groups),
                self._section(keywords.parameters, limits.parameters),
                self._problems,
                (keywords.parameter_groups,),
            )
            if keywords.parameter_groups
            else ()
        )
        compiler = ResourceCompiler(self._dialect, self._expressions, self._problems)
        compiled_resources = compiler.resources(resources)
        template = Template(
            document=self._document,
            dialect=self._dialect,
            description=self._description(),
            parameters=MappingProxyType(parameters),
            groups=groups,
            conditions=MappingProxyType(self._conditions(conditions)),
            resources=compiled_resources,
            outputs=MappingProxyType(compiler.outputs(outputs)),
        )
        self._check_duplicate_names(parameters, resources)
        self._warn_of_cycle(compiled_resources)
        self._problems.raise_if_any()
        return replace(template, warnings=(*self._document.warnings, *self._problems.warnings))

    def _check_sections(self) -> None:
        keywords = self._keywords
        known = [
            keywords.version,
            keywords.description,
            keywords.parameters,
            keywords.parameter_groups,
            keywords.mappings,
            keywords.resources,
            keywords.outputs,
        ]
        if self._dialect.has_conditions:
            known.append(keywords.conditions)
        known = [word for word in known if word]
        for key in self._data:
            if key in known:
                continue
            if key == keywords.conditions:
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
                cause=Cause.SECTION,
                subject=key,
            )

    def _section(self, word: str, most: int) -> dict[str, Any]:
        body = self._data.get(word) if word else None
        if body is None:
            if word == self._keywords.conditions and word in self._data:
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
        value = self._data.get(self._keywords.description)
        if isinstance(value, dict | list):
            self._problems.add(
                f"should be a text, not {kind_of(value)}",
                (self._keywords.description,),
                severity=Severity.WARNING,
            )
        return str(value) if value else "No description"

    def _parameters(self, section: dict[str, Any]) -> dict[str, Parameter]:
        compiler = ParameterCompiler(self._dialect, self._problems)
        for name in self._dialect.pseudo_parameters:
            if name in section:
                self._problems.add(f"the name {name} is taken", (self._keywords.parameters, name))
        compiled = {
            name: compiler.compile(name, schema, (self._keywords.parameters, name))
            for name, schema in section.items()
        }
        return {name: parameter for name, parameter in compiled.items() if parameter}

    def _conditions(self, section: dict[str, Any]) -> dict[str, Expression]:
        compiled = {}
        names: dict[str, list[str]] = {}
        for name, body in section.items():
            path = (self._keywords.conditions, name)
            expression = self._expressions.compile_condition(body, path)
            if isinstance(body, str) or not (isinstance(body, bool) or is_call(expression)):
                self._problems.add(
                    f"a condition is true, false or a condition function, not {shown(body)}",
                    path,
                    "use one of " + ", ".join(self._dialect.condition_functions),
                )
            compiled[name] = expression
            names[name] = conditions_named(expression, section)
        self._report_cycle(names, self._keywords.conditions)
        return compiled

    def _check_duplicate_names(
        self, parameters: dict[str, Parameter], resources: dict[str, Any]
    ) -> None:
        for name in parameters:
            if name in resources:
                self._problems.add(
                    f'"{name}" is the name of a parameter and of a resource',
                    (self._keywords.resources, name),
                    "rename one of them",
                )

    def _warn_of_cycle(self, resources: Mapping[str, ResourceDefinition]) -> None:
        """Find a cycle of references that no condition could break.

        Only a stack cannot have one; Heat keeps and shows templates that do.
        """
        always = {
            definition.name: definition
            for definition in in_own_words(resources)
            if (definition.depends_on or definition.static_references)
            and definition.condition is None
            and definition.static_references is not None
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
            message, hint = cycle_message(CycleError(cycle))
            path = reference_path(always[cycle[0]], cycle[1], self._keywords.depends_on)
            self._problems.add(message, path, hint, Severity.WARNING)

    def _report_cycle(self, requires: dict[str, list[str]], section: str) -> None:
        try:
            Graph(requires).order()
        except CycleError as cycle:
            message, hint = cycle_message(cycle)
            self._problems.add(message, (section, str(cycle.path[0])), hint)


def cycle_message(cycle: CycleError) -> tuple[str, str]:
    """Return what is wrong and what to do about a cycle."""
    names = list(map(str, cycle.path))
    if len(names) == 2:
        return f"{names[0]} needs itself", "remove the reference"
    return f"these need each other: {' -> '.join(names)}", "remove one of the references"
