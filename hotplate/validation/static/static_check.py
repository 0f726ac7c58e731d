"""Resources of a template and of all nested ones against their types, whatever the values.

A resource under a condition is left alone, except at the top with all values known: nothing else
says whether it will be there.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from hotplate.document import InvalidDocument, Problem, from_data
from hotplate.environment import Environment
from hotplate.model.limits import DEEPEST_NESTING
from hotplate.resources.capabilities import ActsLater, NestedStack, acting_type
from hotplate.resources.catalogue import Catalogue, UnknownType
from hotplate.resources.heat.provider_template import is_template_file, resource_type_for
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import ResourceFailed, ResourceType, Source, TemplateMissing
from hotplate.template import (
    TIMELESS_CHECKS,
    NamedCheck,
    ResourceDefinition,
    Scope,
    Template,
    compile_template,
)
from hotplate.template.alike import with_words
from hotplate.validation.nesting import Compile, compile_text, contains_itself, not_given
from hotplate.validation.static.constraint_check import constraint_faults
from hotplate.validation.static.facades import facade_problems, template_facade_problems
from hotplate.validation.static.property_check import (
    parameter_faults,
    property_faults,
    property_problem,
    type_problem,
)
from hotplate.validation.static.template_tree import TemplateTree
from hotplate.validation.static.written_properties import WrittenProperties, written_properties

_TEXT = "text "
"""Begins a step into a template that is the text of a property; the text follows."""

_GENERATED = "nested_stack"
"""What a template is called that a type generates: Heat's word."""

_MOST_SHOWN = 1000
"""Nested templates that are shown one by one."""


@dataclass(frozen=True, slots=True)
class _Resource:
    """A resource with the template it is in, and the steps that led to that template.

    ``type_name`` is what the registry makes of its type: a type, or a template file.
    """

    tree: TemplateTree
    definition: ResourceDefinition
    type_name: str
    resource_type: ResourceType
    written: WrittenProperties
    chain: tuple[str, ...]

    @property
    def is_file(self) -> bool:
        """Whether it is made from a template file."""
        return is_template_file(self.type_name)

    def nested(self, template: Template, environment: Environment) -> TemplateTree:
        """Return the template that it is made from."""
        return TemplateTree(self.definition.type, template, environment)

    def environment(self, parameters: Mapping[str, Any] | None = None) -> Environment:
        """Return the environment of the stack that it is."""
        tree, definition = self.tree, self.definition
        given = None if parameters is None else from_data(dict(parameters), tree.template.name)
        return tree.environment.child(definition.name, definition.type, given)

    def placed(self, problems: Iterable[Problem]) -> list[Problem]:
        """Return problems of a template that no file holds at the properties it is made from."""
        template = self.tree.template
        path = (*self.definition.path, template.dialect.keywords.properties)
        return [
            template.document.placed(
                replace(problem, path=path, file="", position=None, through=())
            )
            for problem in problems
        ]

    def through(self, problems: Iterable[Problem], template_name: str) -> list[Problem]:
        """Return problems of the template that it is made from, seen from around it."""
        step = (self.definition.name, template_name)
        return [replace(problem, through=(step, *problem.through)) for problem in problems]


class StaticCheck:
    """Checks a template and those nested in it. Use once; ``problems`` has what is wrong.

    Each file is checked once, or with ``shows_all`` as often as it is used, within limits.
    ``checks`` are custom constraints that somebody else can check. With ``notes_types``, ``types``
    has all types that the stack may come to use, and where: also those under conditions.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        files: Mapping[str, str],
        compiled: Compile = compile_text,
        deepest_nesting: int = DEEPEST_NESTING,
        shows_all: bool = False,
        checks: Mapping[str, NamedCheck] | None = None,
        notes_types: bool = False,
    ) -> None:
        self._catalogue = catalogue
        self._files = files
        self._compiled = compiled
        self._deepest_nesting = deepest_nesting
        self._checks = checks or {}
        self._repetitions = _MOST_SHOWN if shows_all else 0
        self._templates: dict[str, Template | None] = {}
        self._checked: set[str] = set()
        self._sizes: dict[str, int] = {}
        self._found: dict[Problem, None] = {}
        self._notes_types = notes_types
        self.types: dict[str, str] = {}
        self.missing: set[str] = set()
        """Addresses of templates that are not among the files."""

        self.acts_later = False
        """Whether a type was met that calls a cloud when nobody asks."""

    @property
    def problems(self) -> list[Problem]:
        """All that has been found, each once."""
        return list(self._found)

    def check(self, tree: TemplateTree, chain: tuple[str, ...] = ()) -> TemplateTree:
        """Check every resource of a template that is there for certain, and what is nested."""
        nested: dict[str, TemplateTree] = {}
        definitions = [d for d in tree.template.resources.values() if d.condition is None]
        if len(definitions) < len(tree.template.resources):
            self._check_uncertain(tree)
        size = len(definitions)
        if self._notes_types:
            self._note_conditional(tree, chain)
        for definition in definitions:
            written = written_properties(definition.properties, files=self._files)
            resource_type = self._resource_type(tree, definition)
            if resource_type is None or definition.external_id is not None:
                continue  # of what is external, no property matters
            self._check_facade(tree, definition)
            if written is None:
                continue
            type_name = _type_name(tree, definition)
            resource = _Resource(tree, definition, type_name, resource_type, written, chain)
            if not resource.is_file:
                schema = resource_type.properties
                self._report(resource, property_faults(schema, written))
                found = constraint_faults(schema, definition.properties, self._checks)
                self._report(resource, found)
            inner = self._nested(resource)
            if inner is not None:
                nested[definition.name] = inner
            size += self._size(resource, inner)
        return replace(tree, nested=nested, size=size)

    def check_nested(
        self, tree: TemplateTree, resources: Mapping[str, ResourceDefinition], scope: Scope
    ) -> TemplateTree:
        """Check what is nested in those of the resources that are stacks, with known values.

        Their own types and properties have been checked.
        """
        nested: dict[str, TemplateTree] = {}
        size = len(resources)
        names_resource = tree.environment.registry.names_resource
        # Types that are no stacks: what is found of one resource of such a type holds for all.
        plain: set[str] = set()
        for name, words in with_words(resources):
            if words.type in plain and not names_resource(name):
                continue
            definition = resources[name]
            resource_type = self._resource_type(tree, definition)
            if not isinstance(resource_type, NestedStack):
                if resource_type is not None and not names_resource(name):
                    plain.add(definition.type)
                continue
            self._check_facade(tree, definition)
            written = written_properties(definition.properties, scope)
            if written is None:
                continue
            type_name = _type_name(tree, definition)
            resource = _Resource(tree, definition, type_name, resource_type, written, ())
            inner = self._nested(resource)
            if inner is not None:
                nested[definition.name] = inner
            size += self._size(resource, inner)
        return replace(tree, nested=nested, size=size)

    def _note_conditional(self, tree: TemplateTree, chain: tuple[str, ...]) -> None:
        """Note the types of resources that may not be there; what is wrong with them is not."""
        with self._apart():
            for definition in tree.template.resources.values():
                if definition.condition is None:
                    continue
                resource_type = self._resource_type(tree, definition)
                written = written_properties(definition.properties, files=self._files)
                if resource_type is not None and written is not None:
                    name = _type_name(tree, definition)
                    self._nested(_Resource(tree, definition, name, resource_type, written, chain))

    def _nested(self, resource: _Resource) -> TemplateTree | None:
        """Check what is nested in a resource, wherever its template comes from."""
        resource_type = resource.resource_type
        if not isinstance(resource_type, NestedStack):
            return None
        if acting_type(resource_type, resource.written.values) is not resource_type:
            return None
        if resource.is_file:
            return self._from_file(resource)
        if len(resource.chain) >= self._deepest_nesting:
            return None
        try:
            properties = resource_type.convert(resource.written.values)
            source = resource_type.child_source(properties, self._files)
        except BadProperty:
            return None  # it is not known yet, or has been reported
        except ResourceFailed as fault:
            if isinstance(fault, TemplateMissing):
                self.missing.add(fault.name)
            self._add(resource.placed([Problem(str(fault))]))
            return None
        if source is None:
            return self._generated(resource, resource_type.child_sample(properties))
        return self._from_text(resource, source)

    def _from_file(self, resource: _Resource) -> TemplateTree | None:
        """Check a resource whose type is a template file."""
        name, written = resource.type_name, resource.written
        template = self._file(resource.tree, resource.definition, name)
        if template is None:
            return None
        defaults = resource.tree.environment.parameter_defaults
        self._report(resource, self._parameter_faults(template, defaults, written))
        if name in resource.chain:
            self._report_recursion(resource, (*_since(resource.chain, name), name))
        elif name in self._checked and not self._repetitions:
            return None
        given = {key: value for key, value in written.values.items() if value is not None}
        inner = resource.nested(template, resource.environment(given))
        if name in resource.chain or len(resource.chain) >= self._deepest_nesting:
            return inner
        self._checked.add(name)
        self._repetitions = max(0, self._repetitions - 1)
        with self._apart() as found:
            checked = self.check(inner, (*resource.chain, name))
        self._add(resource.through(found, name))
        self._sizes[name] = checked.size
        return checked

    def _from_text(self, resource: _Resource, source: Source) -> TemplateTree | None:
        """Check a resource whose template is the text of a property."""
        step = f"{_TEXT}{source.template}"
        if step in resource.chain:
            self._report_recursion(resource, _since(resource.chain, step))
            return None
        try:
            template = self._compiled(source.template, "template")
        except InvalidDocument as fault:
            self._add(resource.placed(fault.problems))
            return None
        inner = resource.nested(template, resource.environment(source.parameters))
        with self._apart() as found:
            if not resource.written.unknown:
                given = WrittenProperties(frozenset(source.parameters), source.parameters)
                defaults = resource.tree.environment.parameter_defaults
                self._report(resource, self._parameter_faults(template, defaults, given))
            inner = self.check(inner, (*resource.chain, step))
        self._add(resource.placed(found))
        return inner

    def _generated(self, resource: _Resource, sample: dict[str, Any]) -> TemplateTree | None:
        """Check a resource whose template its type generates from the properties."""
        try:
            template = compile_template(from_data(sample, resource.tree.template.name))
            inner = resource.nested(template, resource.environment())
        except InvalidDocument as fault:
            self._add(resource.placed(fault.problems))
            return None
        with self._apart() as found:
            checked = self.check(inner, (*resource.chain, ""))
        for problem in resource.through(found, _GENERATED):
            # Without a position it is one of the template that the type has generated.
            self._add([problem] if problem.position else resource.placed([problem]))
        return checked

    def _size(self, resource: _Resource, inner: TemplateTree | None) -> int:
        """Return how many resources are nested in one. Of a file that was seen, as many as then."""
        if inner is None or not inner.size:
            return self._sizes.get(resource.type_name, 0)
        resource_type = resource.resource_type
        if resource.is_file or not isinstance(resource_type, NestedStack):
            return inner.size
        try:
            properties = resource_type.convert(resource.written.values)
            return inner.size * resource_type.members(properties)
        except BadProperty:
            return inner.size

    def _resource_type(
        self, tree: TemplateTree, definition: ResourceDefinition
    ) -> ResourceType | None:
        name = _type_name(tree, definition)
        if self._notes_types and not is_template_file(name):
            self.types.setdefault(name, _place(tree, definition))
        try:
            found = resource_type_for(self._catalogue, name)
            self.acts_later = self.acts_later or isinstance(found, ActsLater)
            return found
        except UnknownType as fault:
            self._add([type_problem(tree.template, definition.path, fault)])
        except InvalidDocument as fault:
            self._add(fault.problems)
        return None

    def _check_uncertain(self, tree: TemplateTree) -> None:
        """Note whether something acts later that is there on a condition only."""
        for definition in tree.template.resources.values():
            if definition.condition is not None:
                with suppress(UnknownType, InvalidDocument):  # it may never be there
                    found = resource_type_for(self._catalogue, _type_name(tree, definition))
                    self.acts_later = self.acts_later or isinstance(found, ActsLater)

    def _check_facade(self, tree: TemplateTree, definition: ResourceDefinition) -> None:
        """Find out whether a template has what the type promises whose place it takes."""
        name = _type_name(tree, definition)
        if not is_template_file(name):
            return
        if definition.type not in self._catalogue:
            self._check_template_facade(tree, definition, name)
            return
        template = self._file(tree, definition, name)
        if template is not None:
            facade = self._catalogue.get(definition.type)
            defaults = tree.environment.parameter_defaults
            self._add(facade_problems(facade, template, defaults))

    def _check_template_facade(
        self, tree: TemplateTree, definition: ResourceDefinition, name: str
    ) -> None:
        """Find out whether a template for one resource has what that for its type promises."""
        general = tree.environment.registry.lookup(definition.type).template
        if general is None or general == name or general not in self._files:
            return
        facade = self._file(tree, definition, general)
        template = self._file(tree, definition, name)
        if facade is not None and template is not None:
            defaults = tree.environment.parameter_defaults
            self._add(template_facade_problems(definition.type, facade, template, defaults))

    def _file(
        self, tree: TemplateTree, definition: ResourceDefinition, name: str
    ) -> Template | None:
        """Return the template of a file, compiled once; what is wrong with it is reported once."""
        if name not in self._templates:
            self._templates[name] = None
            if name not in self._files:
                path = (*definition.path, tree.template.dialect.keywords.type)
                problem = not_given(path, name, self._files)
                self._add([tree.template.document.placed(problem)])
                return None
            try:
                self._templates[name] = self._compiled(self._files[name], name)
            except InvalidDocument as fault:
                self._add(fault.problems)
        return self._templates[name]

    def _parameter_faults(
        self, template: Template, defaults: Mapping[str, Any], written: WrittenProperties
    ) -> Iterator[BadProperty]:
        checks = {**TIMELESS_CHECKS, **self._checks}
        return parameter_faults(template, defaults, written, checks)

    def _report(self, resource: _Resource, faults: Iterable[BadProperty]) -> None:
        template, path = resource.tree.template, resource.definition.path
        self._add(property_problem(template, path, fault) for fault in faults)

    def _report_recursion(self, resource: _Resource, way: tuple[str, ...]) -> None:
        template = resource.tree.template
        path = (*resource.definition.path, template.dialect.keywords.type)
        names = [step for step in way if step and not step.startswith(_TEXT)]
        self._add([template.document.placed(contains_itself(path, names))])

    def _add(self, problems: Iterable[Problem]) -> None:
        self._found.update(dict.fromkeys(problems))

    @contextmanager
    def _apart(self) -> Iterator[dict[Problem, None]]:
        """Collect what is found in here by itself."""
        before, self._found = self._found, {}
        try:
            yield self._found
        finally:
            self._found = before


def _type_name(tree: TemplateTree, definition: ResourceDefinition) -> str:
    """Return what the registry makes of the type of a resource: a type, or a template file."""
    resolution = tree.environment.registry.lookup(definition.type, definition.name)
    return resolution.template or resolution.type


def _place(tree: TemplateTree, definition: ResourceDefinition) -> str:
    """Return where a resource stands: its name, the file and the line."""
    problem = tree.template.document.placed(Problem("", definition.path))
    where = f"{problem.position.file}, line {problem.position.line}" if problem.position else ""
    return f"resources.{definition.name}" + (f" in {where}" if where else "")


def _since(chain: tuple[str, ...], step: str) -> tuple[str, ...]:
    return chain[chain.index(step) :]
