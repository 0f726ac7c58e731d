"""What can be told of a template before its values are known: types, properties, what is inside.

A resource under a condition is left alone, except at the top with all values known: nobody knows
whether it will be there.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from hotplate.document import (
    Cause,
    Data,
    InvalidDocument,
    Path,
    Problem,
    did_you_mean,
    from_data,
)
from hotplate.engine.context import Tools
from hotplate.environment import Environment
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import is_template_file, kind_for
from hotplate.resources.property import BadProperty, NotOfKind, Property, missing, unknown
from hotplate.resources.resource_type import ResourceFailed, ResourceType, Source, TemplateMissing
from hotplate.store.recipes import digest_of
from hotplate.template import ResolveError, ResourceDefinition, Scope, Template, compile_template
from hotplate.template.expression import OMITTED, Constant, Expression, MapExpression, walk_active
from hotplate.template.functions.logic import If
from hotplate.template.functions.references import GetFile, ResourceReference
from hotplate.template.value import BadValue
from hotplate.validation.static.facades import facade_problems, template_facade_problems

_TEXT = "text "
"""Begins a step into a template that is the text of a property; its digest follows."""

_MADE = "nested_stack"
"""What a template is called that a type has made: Heat's word."""

_MOST_SHOWN = 1000
"""Templates inside a template that are told of one by one."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A template with its environment, and those inside it by the name of their resource.

    Of a template inside, the environment's parameters are the properties that are known.
    """

    type: str
    template: Template
    environment: Environment
    nested: Mapping[str, "Draft"] = field(default_factory=dict)
    size: int = 0
    """How many resources there are for sure, with all that is inside; as far as it is known."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a template says of the properties of a resource.

    ``values`` are those that depend on nothing that is not known; ``maybe`` may turn out to be
    absent.
    """

    names: frozenset[str] = frozenset()
    values: Mapping[str, Data] = field(default_factory=dict)
    maybe: frozenset[str] = frozenset()


def written(
    expression: Expression | None,
    scope: Scope | None = None,
    files: Mapping[str, str] | None = None,
) -> Written | None:
    """Return what is written of the properties; None if a function gives them as a whole.

    With a scope, whatever refers to no resource is known; without, the contents of files are.
    """
    if expression is None:
        return Written()
    if isinstance(expression, Constant):
        value = expression.value
        return Written(frozenset(value), value) if isinstance(value, dict) else None
    if not isinstance(expression, MapExpression):
        return None
    values: dict[str, Data] = {}
    absent, maybe = set(), set()
    for name, part in expression.entries.items():
        try:
            if isinstance(part, Constant):
                values[name] = part.value
            elif isinstance(part, GetFile) and scope is None:
                content = (files or {}).get(_file_name(part))
                if content is not None:
                    values[name] = content
            elif scope is not None and not _refers(part, scope):
                values[name] = part.resolve(scope)
                if values[name] is OMITTED:
                    absent.add(name)
                    del values[name]
            elif isinstance(part, If):
                maybe.add(name)
        except ResolveError:
            maybe.add(name)
    names = frozenset(expression.entries) - absent
    return Written(names, values, frozenset(maybe))


def _file_name(part: GetFile) -> str:
    return str(part.arguments.value) if isinstance(part.arguments, Constant) else ""


def _refers(part: Expression, scope: Scope) -> bool:
    return any(isinstance(inner, ResourceReference) for inner in walk_active(part, scope))


def property_faults(schema: Mapping[str, Property], said: Written) -> Iterator[BadProperty]:
    """Yield what is wrong with properties whatever the unknown values will be."""
    for name in sorted(said.names - said.maybe):
        if name not in schema:
            yield unknown(name, schema)
    for name, declared in schema.items():
        value = said.values.get(name)
        if value is not None:
            try:
                declared.convert(value, (name,))
            except BadProperty as fault:
                yield fault
        elif declared.required and name not in said.names:
            yield missing(name)


def parameter_faults(
    template: Template, defaults: Mapping[str, Data], said: Written
) -> Iterator[BadProperty]:
    """Yield what is wrong with the properties of a resource that is made from a template."""
    for name in sorted(said.names - said.maybe):
        if name not in template.parameters:
            yield unknown(name, template.parameters)
    unknown_values = said.names - said.values.keys()
    for name, parameter in template.parameters.items():
        value = said.values.get(name)
        if value is not None:
            try:
                parameter.value_of(value)
            except BadValue as fault:
                yield BadProperty(str(fault), (name,))
        elif parameter.required and defaults.get(name) is None and name not in unknown_values:
            yield missing(name)


def property_problem(template: Template, resource: Path, fault: BadProperty) -> Problem:
    """Return a fault of a property with its place in the template."""
    path = (*resource, template.dialect.words.properties, *fault.path)
    cause = Cause.CONVERSION if isinstance(fault, NotOfKind) else Cause.PROPERTY
    return template.document.placed(Problem(fault.message, path, fault.hint, cause=cause))


def type_problem(template: Template, resource: Path, fault: UnknownType) -> Problem:
    """Return that a type is unknown, with its place in the template."""
    path = (*resource, template.dialect.words.type)
    return template.document.placed(
        Problem(
            f'there is no resource type "{fault.name}"',
            path,
            fault.hint,
            cause=Cause.UNKNOWN_TYPE,
            subject=fault.name,
        )
    )


def _through(step: tuple[str, str], problems: Iterable[Problem]) -> list[Problem]:
    """Return problems found inside a resource, seen from around it."""
    return [replace(problem, through=(step, *problem.through)) for problem in problems]


class Drafter:
    """Looks into templates inside templates. Use once; ``problems`` has what is wrong there.

    Each file is looked through once, or for ``shown`` as often as it is used, within limits.
    """

    def __init__(self, tools: Tools, files: Mapping[str, str], shown: bool = False) -> None:
        self._tools = tools
        self._files = files
        self._left = _MOST_SHOWN if shown else 0
        self._compiled: dict[str, Template | None] = {}
        self._checked: set[str] = set()
        self._sizes: dict[str, int] = {}
        self._found: dict[Problem, None] = {}
        self.missing: set[str] = set()
        """Addresses of templates that are not among the files."""

    @property
    def problems(self) -> list[Problem]:
        """All that has been found, each once."""
        return list(self._found)

    def check(self, draft: Draft, chain: tuple[str, ...] = ()) -> Draft:
        """Look at every resource of a template that is there for sure, and into it."""
        definitions = [d for d in draft.template.resources.values() if d.condition is None]
        nested: dict[str, Draft] = {}
        size = len(definitions)
        for definition in definitions:
            said = written(definition.properties, files=self._files)
            kind = self._kind(draft, definition)
            if kind is None or definition.external_id is not None:
                continue  # of what is external, no property matters
            self._check_facade(draft, definition)
            if said is None:
                continue
            if not kind.nested or not is_template_file(self._kind_name(draft, definition)):
                self._report(draft.template, definition, property_faults(kind.properties, said))
            inner = self._inside(draft, definition, kind, said, chain)
            if inner is not None:
                nested[definition.name] = inner
            size += self._size(self._kind_name(draft, definition), kind, said, inner)
        return replace(draft, nested=nested, size=size)

    def inside(
        self, draft: Draft, definitions: Iterable[ResourceDefinition], scope: Scope
    ) -> Draft:
        """Look into those of the resources that are stacks, with the values that are known.

        Their own types and properties have been checked.
        """
        nested: dict[str, Draft] = {}
        size = 0
        for definition in definitions:
            size += 1
            kind = self._kind(draft, definition)
            if kind is None or not kind.nested:
                continue
            self._check_facade(draft, definition)
            said = written(definition.properties, scope)
            if said is None:
                continue
            inner = self._inside(draft, definition, kind, said, ())
            if inner is not None:
                nested[definition.name] = inner
            size += self._size(self._kind_name(draft, definition), kind, said, inner)
        return replace(draft, nested=nested, size=size)

    def _size(self, name: str, kind: ResourceType, said: Written, inner: Draft | None) -> int:
        """Return how many resources are inside one. Of a file that was seen, as many as then."""
        if inner is None or not inner.size:
            return self._sizes.get(name, 0)
        if is_template_file(name):
            return inner.size
        try:
            return inner.size * kind.members(kind.convert(said.values))
        except BadProperty:
            return inner.size

    def _kind_name(self, draft: Draft, definition: ResourceDefinition) -> str:
        resolution = draft.environment.registry.lookup(definition.type, definition.name)
        return resolution.template or resolution.type

    def _kind(self, draft: Draft, definition: ResourceDefinition) -> ResourceType | None:
        try:
            return kind_for(self._tools.catalogue, self._kind_name(draft, definition))
        except UnknownType as fault:
            self._found[type_problem(draft.template, definition.path, fault)] = None
        except InvalidDocument as fault:
            self._found.update(dict.fromkeys(fault.problems))
        return None

    def _check_facade(self, draft: Draft, definition: ResourceDefinition) -> None:
        """Find out whether a template keeps up what the type promises whose place it takes."""
        name = self._kind_name(draft, definition)
        if not is_template_file(name):
            return
        if definition.type not in self._tools.catalogue:
            self._check_template_facade(draft, definition, name)
            return
        template = self._file(draft.template, definition, name)
        if template is not None:
            facade = self._tools.catalogue.get(definition.type)
            defaults = draft.environment.parameter_defaults
            self._found.update(dict.fromkeys(facade_problems(facade, template, defaults)))

    def _check_template_facade(
        self, draft: Draft, definition: ResourceDefinition, name: str
    ) -> None:
        """Find out whether a template for one resource keeps up what that for its type promises."""
        general = draft.environment.registry.lookup(definition.type).template
        if general is None or general == name or general not in self._files:
            return
        facade = self._file(draft.template, definition, general)
        template = self._file(draft.template, definition, name)
        if facade is not None and template is not None:
            defaults = draft.environment.parameter_defaults
            found = template_facade_problems(definition.type, facade, template, defaults)
            self._found.update(dict.fromkeys(found))

    def _report(
        self, template: Template, definition: ResourceDefinition, faults: Iterable[BadProperty]
    ) -> None:
        for fault in faults:
            self._found[property_problem(template, definition.path, fault)] = None

    def _inside(
        self,
        draft: Draft,
        definition: ResourceDefinition,
        kind: ResourceType,
        said: Written,
        chain: tuple[str, ...],
    ) -> Draft | None:
        if not kind.nested or kind.variant(said.values) is not kind:
            return None
        name = self._kind_name(draft, definition)
        if not is_template_file(name):
            return self._made(draft, definition, kind, said, chain)
        template = self._file(draft.template, definition, name)
        if template is None:
            return None
        defaults = draft.environment.parameter_defaults
        self._report(draft.template, definition, parameter_faults(template, defaults, said))
        if name in chain:
            self._report_recursion(draft, definition, (*chain[chain.index(name) :], name))
        elif name in self._checked and not self._left:
            return None
        given = {key: value for key, value in said.values.items() if value is not None}
        environment = draft.environment.child(
            definition.name, definition.type, from_data(given, draft.template.name)
        )
        inner = Draft(definition.type, template, environment)
        if name in chain or len(chain) >= self._tools.deepest_nesting:
            return inner
        self._checked.add(name)
        self._left = max(0, self._left - 1)
        with self._apart() as found:
            checked = self.check(inner, (*chain, name))
        self._found.update(dict.fromkeys(_through((definition.name, name), found)))
        self._sizes[name] = checked.size
        return checked

    def _report_recursion(
        self, draft: Draft, definition: ResourceDefinition, way: tuple[str, ...]
    ) -> None:
        names = [step for step in way if step and not step.startswith(_TEXT)]
        problem = Problem(
            f"a template cannot contain itself{': ' if names else ''}{' -> '.join(names)}",
            (*definition.path, draft.template.dialect.words.type),
            "use another type here, or a condition that ends it",
        )
        self._found[draft.template.document.placed(problem)] = None

    def _made(
        self,
        draft: Draft,
        definition: ResourceDefinition,
        kind: ResourceType,
        said: Written,
        chain: tuple[str, ...],
    ) -> Draft | None:
        """Look into a resource whose properties say what is inside."""
        if len(chain) >= self._tools.deepest_nesting:
            return None
        try:
            properties = kind.convert(said.values)
            source = kind.child_source(properties, self._files)
        except BadProperty:
            return None  # it is not known yet, or has been reported
        except ResourceFailed as fault:
            if isinstance(fault, TemplateMissing):
                self.missing.add(fault.name)
            self._found.update(
                dict.fromkeys(self._outside(draft, definition, [Problem(str(fault))]))
            )
            return None
        if source is None:
            return self._members(draft, definition, kind, properties, chain)
        return self._written(draft, definition, source, said, chain)

    def _written(
        self,
        draft: Draft,
        definition: ResourceDefinition,
        source: Source,
        said: Written,
        chain: tuple[str, ...],
    ) -> Draft | None:
        """Look into a resource whose template is the text of a property."""
        step = f"{_TEXT}{digest_of(source.template)}"
        if step in chain:
            self._report_recursion(draft, definition, chain[chain.index(step) :])
            return None
        try:
            template = self._tools.book.compiled(source.template)
        except InvalidDocument as fault:
            self._found.update(dict.fromkeys(self._outside(draft, definition, fault.problems)))
            return None
        environment = draft.environment.child(
            definition.name,
            definition.type,
            from_data(dict(source.parameters), draft.template.name),
        )
        inner = Draft(definition.type, template, environment)
        with self._apart() as found:
            if said.names <= said.values.keys():
                given = Written(frozenset(source.parameters), source.parameters)
                defaults = draft.environment.parameter_defaults
                faults = parameter_faults(template, defaults, given)
                self._report(draft.template, definition, faults)
            inner = self.check(inner, (*chain, step))
        self._found.update(dict.fromkeys(self._outside(draft, definition, found)))
        return inner

    def _members(
        self,
        draft: Draft,
        definition: ResourceDefinition,
        kind: ResourceType,
        properties: Mapping[str, Any],
        chain: tuple[str, ...],
    ) -> Draft | None:
        """Look into a resource whose template its type makes from the properties."""
        try:
            sample = kind.child_sample(properties)
            document = from_data(sample, draft.template.name)
            environment = draft.environment.child(definition.name, definition.type)
            inner = Draft(definition.type, compile_template(document), environment)
        except InvalidDocument as fault:
            self._found.update(dict.fromkeys(self._outside(draft, definition, fault.problems)))
            return None
        with self._apart() as found:
            checked = self.check(inner, (*chain, ""))
        for problem in _through((definition.name, _MADE), found):
            # Without a place it stands in the template that the type has made.
            placed = [problem] if problem.position else self._outside(draft, definition, [problem])
            self._found.update(dict.fromkeys(placed))
        return checked

    @contextmanager
    def _apart(self) -> Iterator[dict[Problem, None]]:
        """Collect what is found in here by itself."""
        before, self._found = self._found, {}
        try:
            yield self._found
        finally:
            self._found = before

    def _outside(
        self, draft: Draft, definition: ResourceDefinition, problems: Iterable[Problem]
    ) -> list[Problem]:
        """Return problems of a template that nobody wrote at the resource that it is made from."""
        path = (*definition.path, draft.template.dialect.words.properties)
        return [
            draft.template.document.placed(
                replace(problem, path=path, file="", position=None, through=())
            )
            for problem in problems
        ]

    def _file(
        self, template: Template, definition: ResourceDefinition, name: str
    ) -> Template | None:
        if name not in self._compiled:
            self._compiled[name] = None
            if name not in self._files:
                path = (*definition.path, template.dialect.words.type)
                hint = did_you_mean(name, self._files) or "send it in the request's files"
                problem = Problem(f'the template "{name}" was not given', path, hint)
                self._found[template.document.placed(problem)] = None
                return None
            try:
                self._compiled[name] = self._tools.book.compiled(self._files[name], name)
            except InvalidDocument as fault:
                self._found.update(dict.fromkeys(fault.problems))
        return self._compiled[name]
