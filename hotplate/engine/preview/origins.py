"""Where the value of a property comes from: the places in templates and environments, in order."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from hotplate.document import Path, format_path
from hotplate.engine.recipes.book import Bound
from hotplate.environment import EXPLICIT
from hotplate.template import ResolveError
from hotplate.template.errors import BadCall
from hotplate.template.expression import Constant, Expression, MapExpression, walk_active
from hotplate.template.functions.references import GetFile, GetParam, ResourceReference

_MOST = 12
"""Places listed for one value."""

_MEMBERS = (("resource_def", "properties"), ("resource", "properties"), ("resource_properties",))
"""Where the properties of members stand among those of a group whose type makes them."""


class SourceKind(Enum):
    """What stands at a place that a value comes from."""

    TEMPLATE = "template"
    PARAMETER = "parameter"
    """Given with the request itself."""

    ENVIRONMENT = "environment"
    DEFAULT = "default"
    """The default that the template declares."""

    RESOURCE = "resource"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Source:
    """One place. ``name`` is the parameter, resource or file that the value is taken from.

    ``line`` is None where the place is known only by its path, as for what arrived decoded.
    """

    kind: SourceKind
    name: str
    file: str
    line: int | None
    path: str


class Tracer:
    """Tells the sources of values in one stack; in a nested one, through to the root.

    ``file`` is what the stack's template is called; of a root, its recipe says so. ``owner`` is the
    resource of the outer stack that this one is; ``is_written`` says whether a user wrote its
    template, or its type did.
    """

    def __init__(
        self,
        bound: Bound,
        file: str = "",
        outer: "Tracer | None" = None,
        owner: str = "",
        is_written: bool = True,
    ) -> None:
        self._bound = bound
        self._file = file or bound.recipe.template_name or "template"
        self._outer = outer
        self._owner = owner
        self._is_written = is_written

    def nested(self, bound: Bound, owner: str, type_name: str, is_written: bool) -> "Tracer":
        """Return a tracer for the stack that a resource is."""
        return Tracer(bound, type_name, self, owner, is_written)

    def of_property(self, resource: str, name: str) -> tuple[Source, ...]:
        """Return where the value of a property comes from, the nearest place first."""
        return tuple(islice(dict.fromkeys(self._of_property(resource, name)), _MOST))

    def definition(self, resource: str) -> Source:
        """Return where a resource is written; one that a type made, where its group is."""
        if not self._is_written and self._outer is not None:
            return self._outer.definition(self._owner)
        return self._place(SourceKind.TEMPLATE, resource, self._path(resource))

    def _path(self, resource: str) -> Path:
        return self._bound.template.template.resources[resource].path

    def _of_property(self, resource: str, name: str) -> Iterator[Source]:
        if not self._is_written and self._outer is not None:
            found = self._written_at(resource, (name,))
            if found is None:
                yield from self._outer._of_properties(self._owner)
            else:
                tracer, part, place = found
                yield from tracer._of_expression(part, place)
            return
        template = self._bound.template
        definition = template.template.resources[resource]
        expression = definition.properties
        path = (*definition.path, template.template.dialect.keywords.properties, name)
        if isinstance(expression, MapExpression):
            expression = expression.entries.get(name)
        elif isinstance(expression, Constant):
            given = isinstance(expression.value, dict) and name in expression.value
            expression = expression if given else None
        if expression is not None:
            yield from self._of_expression(expression, path)

    def _written_at(
        self, resource: str, steps: tuple[str, ...]
    ) -> "tuple[Tracer, Expression, Path] | None":
        """Return who knows where a part of the properties is written, and what stands there.

        The properties of a resource that a type has made stand among those of its group. None if
        that is not so, or if a function gives a part as a whole.
        """
        if not self._is_written and self._outer is not None:
            places = (
                self._outer._written_at(self._owner, (*prefix, *steps)) for prefix in _MEMBERS
            )
            return next((place for place in places if place is not None), None)
        definition = self._bound.template.template.resources[resource]
        expression: Expression | None = definition.properties
        for step in steps:
            if isinstance(expression, MapExpression):
                expression = expression.entries.get(step)
            elif isinstance(expression, Constant) and isinstance(expression.value, dict):
                inner = expression.value
                expression = Constant(inner[step]) if step in inner else None
            else:
                return None
        if expression is None:
            return None
        keywords = self._bound.template.template.dialect.keywords
        return self, expression, (*definition.path, keywords.properties, *steps)

    def _of_properties(self, resource: str) -> Iterator[Source]:
        if not self._is_written and self._outer is not None:
            yield from self._outer._of_properties(self._owner)
            return
        definition = self._bound.template.template.resources[resource]
        path = (*definition.path, self._bound.template.template.dialect.keywords.properties)
        if definition.properties is not None:
            yield from self._of_expression(definition.properties, path)

    def _of_expression(self, expression: Expression, path: Path) -> Iterator[Source]:
        yield self._place(SourceKind.TEMPLATE, "", path)
        scope = self._bound.template.scope()
        try:
            for part in walk_active(expression, scope):
                if isinstance(part, GetParam):
                    name = part.arguments.resolve_alone(scope)
                    name = name[0] if isinstance(name, list) and name else name
                    yield from self._of_parameter(str(name))
                elif isinstance(part, ResourceReference):
                    yield self._place(SourceKind.RESOURCE, part.target(scope), part.path)
                elif isinstance(part, GetFile):
                    name = part.arguments.resolve_alone(scope)
                    yield self._place(SourceKind.FILE, str(name), part.path)
        except (ResolveError, BadCall):
            return  # what cannot be resolved is reported elsewhere

    def _of_parameter(self, name: str) -> Iterator[Source]:
        environment = self._bound.environment
        given = environment.parameters.get(name) is not None
        section = "parameters" if given else "parameter_defaults"
        origin = environment.origin((section, name))
        if given and self._outer is not None:
            yield from self._outer._of_property(self._owner, name)
        elif origin is not None and (given or environment.parameter_defaults.get(name) is not None):
            yield from self._outermost()._of_environment(section, name)
        else:
            yield from self._of_default(name)

    def _of_environment(self, section: str, name: str) -> Iterator[Source]:
        origin = self._bound.environment.origin((section, name))
        for place in origin.contributors if origin else ():
            kind = SourceKind.PARAMETER if place.file == EXPLICIT else SourceKind.ENVIRONMENT
            position = place.position
            line = position.line if position else None
            yield Source(kind, name, place.file, line, format_path(place.path))

    def _of_default(self, name: str) -> Iterator[Source]:
        template = self._bound.template.template
        if name in template.parameters:
            word = "Default" if template.dialect.is_cfn else "default"
            path = (template.dialect.keywords.parameters, name, word)
            yield self._place(SourceKind.DEFAULT, name, path)

    def _outermost(self) -> "Tracer":
        return self if self._outer is None else self._outer._outermost()

    def _place(self, kind: SourceKind, name: str, path: Path) -> Source:
        # What was decoded on its way here is one long line, so its position says nothing.
        has_lines = "\n" in self._bound.recipe.template
        position = self._bound.template.template.document.locate(path) if has_lines else None
        line = position.line if position else None
        return Source(kind, name, self._file, line, format_path(path))
