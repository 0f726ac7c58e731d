"""What a template says of the properties of a resource, as far as its text or its values say it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from hotplate.document import Data
from hotplate.template import ResolveError, Scope
from hotplate.template.expression import OMITTED, Constant, Expression, MapExpression, walk_active
from hotplate.template.functions.logic import If
from hotplate.template.functions.references import GetFile, ResourceReference


@dataclass(frozen=True, slots=True)
class WrittenProperties:
    """The ``names`` that are written, and the ``values`` of those that depend on nothing unknown.

    Those of ``maybe`` may turn out to be absent.
    """

    names: frozenset[str] = frozenset()
    values: Mapping[str, Data] = field(default_factory=dict)
    maybe: frozenset[str] = frozenset()

    @property
    def unknown(self) -> frozenset[str]:
        """The names of those whose values are not known yet."""
        return self.names - self.values.keys()


def written_properties(
    expression: Expression | None,
    scope: Scope | None = None,
    files: Mapping[str, str] | None = None,
) -> WrittenProperties | None:
    """Return what is written of the properties; None if a function gives them as a whole.

    With a scope, whatever refers to no resource is known; without, the contents of files are.
    """
    if expression is None:
        return WrittenProperties()
    if isinstance(expression, Constant):
        value = expression.value
        return WrittenProperties(frozenset(value), value) if isinstance(value, dict) else None
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
            elif scope is not None and not refers(part, scope):
                values[name] = part.resolve(scope)
                if values[name] is OMITTED:
                    absent.add(name)
                    del values[name]
            elif isinstance(part, If):
                maybe.add(name)
        except ResolveError:
            maybe.add(name)
    names = frozenset(expression.entries) - absent
    return WrittenProperties(names, values, frozenset(maybe))


def _file_name(part: GetFile) -> str:
    return str(part.arguments.value) if isinstance(part.arguments, Constant) else ""


def refers(part: Expression, scope: Scope) -> bool:
    """Tell whether a value depends on a resource."""
    return any(isinstance(inner, ResourceReference) for inner in walk_active(part, scope))
