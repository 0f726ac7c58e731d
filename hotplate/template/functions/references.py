"""Functions that look something up: a parameter, a resource, one of its attributes, a file."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from hotplate.document import Data, Problem, did_you_mean
from hotplate.template.errors import BadCall, ResolveError, UnknownParameter, UnknownResource
from hotplate.template.expression import (
    Call,
    Constant,
    Expression,
    Faulty,
    items_of,
    own_copy,
    walk_active,
)
from hotplate.template.functions.arguments import must_be, shown, text
from hotplate.template.scope import AttributePath, NoValue, ResourceData, Scope
from hotplate.template.site import Site


def step_into(value: Data, step: Data) -> Data:
    """Return one item of a map, list or text. Raises LookupError or TypeError if there is none."""
    if isinstance(value, dict) and isinstance(step, str):
        return value[step]
    if isinstance(value, list | str) and isinstance(step, int) and not isinstance(step, bool):
        return value[step]
    raise TypeError(step)


def _number_if_spelt(step: Data) -> Data:
    """Return the number a text spells: ``get_param`` finds list items by text as well."""
    try:
        return int(step) if isinstance(step, str) and len(step) < 10 else step
    except ValueError:
        return step


class GetParam(Call):
    """``get_param: name`` or ``get_param: [name, step, …]``."""

    __slots__ = ()

    hands_on = True

    def check(self, site: Site) -> None:
        """Refuse a name that is not declared."""
        first = _first(self.arguments)
        if first is None:
            raise BadCall("must name a parameter", "write get_param: name")
        if isinstance(first, Constant):
            _known_parameter(first.value, site.parameters)

    def evaluate(self, scope: Scope) -> Data:
        """Return the value; a path that leads nowhere gives an empty text."""
        arguments = self.arguments.resolve_alone(scope)
        steps = arguments if isinstance(arguments, list) else [arguments]
        if not steps:
            raise BadCall("must name a parameter", "write get_param: name")
        name = _known_parameter(steps[0], scope.parameters)
        value = scope.parameters[name]
        for step in steps[1:]:
            try:
                is_map = isinstance(value, dict)
                value = step_into(value, step if is_map else _number_if_spelt(step))
            except (LookupError, TypeError):
                return ""
        scope.budget.spend_for(value)
        if name in scope.secret_parameters:
            scope.fetched(value)
        return own_copy(value)


def _known_parameter(name: Data, known: Mapping[str, object]) -> str:
    if not isinstance(name, str):
        hint = "YAML reads on, off, yes and no as true and false: put quotes around such a name"
        raise BadCall(
            f"a parameter is named by a text, not {shown(name)}",
            hint if isinstance(name, bool) else "",
        )
    if name not in known:
        hint = did_you_mean(name, known) or 'declare it in the section "parameters"'
        raise UnknownParameter(name, hint)
    return name


def _first(arguments: Expression) -> Expression | None:
    items = items_of(arguments)
    if items is not None:
        return items[0] if items else None
    if isinstance(arguments, Constant) and not arguments.value:
        return None
    return arguments


class ResourceReference(Call):
    """A call that depends on another resource."""

    __slots__ = ()

    hands_on = True

    def _name(self) -> Expression:
        return self.arguments

    def target(self, scope: Scope) -> str:
        """Return the name of the resource referred to."""
        return text(self._name().resolve_alone(scope), "the name of a resource")

    def static_target(self) -> str | None:
        """Return the name if it is written down, None if it must be resolved."""
        name = self._name()
        return name.value if isinstance(name, Constant) and isinstance(name.value, str) else None

    def attribute(self, scope: Scope) -> AttributePath | None:
        """Return the attribute needed from the target, None if only its reference is."""
        return None

    def check(self, site: Site) -> None:
        """Refuse a resource that the template does not have."""
        name = self._name()
        if isinstance(name, Constant):
            _known_resource(name.value, site.resources)


def _known_resource(name: Data, known: Mapping[str, object]) -> None:
    if not isinstance(name, str):
        raise BadCall(f"a resource is named by a text, not {shown(name)}")
    if name not in known:
        raise UnknownResource(name, did_you_mean(name, known))


class GetResource(ResourceReference):
    """``get_resource: name``: the reference by which a provider knows the resource."""

    __slots__ = ()

    def evaluate(self, scope: Scope) -> Data:
        """Return the reference; the logical name while the resource does not exist."""
        name = self.target(scope)
        data = scope.resources.get(name)
        if data is None:
            return name
        if data.has_secrets:
            scope.fetched(data.reference)
        return data.reference


class GetAttr(ResourceReference):
    """``get_attr: [resource, attribute, step, …]``."""

    __slots__ = ()

    least = 2
    most: int | None = None
    form = "get_attr: [resource, attribute]"

    def _items(self) -> tuple[Expression, ...]:
        items = items_of(self.arguments)
        if items is None or len(items) < self.least or (self.most and len(items) > self.most):
            raise BadCall(
                "must name a resource and an attribute"
                if self.least > 1
                else "must be a list that begins with a resource",
                f"write {self.form}",
            )
        return items

    def _name(self) -> Expression:
        return self._items()[0]

    def check(self, site: Site) -> None:
        """Refuse besides an attribute that is not named by a text."""
        super().check(site)
        for index, item in enumerate(self._items()[1:2], 1):
            must_be(item, (str,), "an attribute is named by a text", index)

    def attribute(self, scope: Scope) -> AttributePath | None:
        """Return the attribute and the steps into it, an empty tuple for all attributes.

        The path ends before a step that another resource decides, and before one that leads
        nowhere because it is a list or a map.
        """
        steps: list[Data] = []
        try:
            for item in self._items()[1:]:
                if any(isinstance(part, ResourceReference) for part in walk_active(item, scope)):
                    break
                step = item.resolve_alone(scope)
                if steps and isinstance(step, dict | list):
                    break
                steps.append(step)
            return _path(steps)
        except (BadCall, ResolveError):
            return None  # whoever resolves the call gets to know

    def evaluate(self, scope: Scope) -> Data:
        """Return the value, null while there is none or where the path leads nowhere."""
        data = scope.resources.get(self.target(scope))
        if data is None:
            return None
        path = _path([item.resolve_alone(scope) for item in self._items()[1:]])
        value = select_attribute(data, path)
        if isinstance(value, NoValue):
            raise ResolveError(Problem(value.reason))  # its words say where it failed
        scope.budget.spend_for(value)
        if data.has_secrets:
            scope.fetched(value)
        return own_copy(value)


class GetAttrOrAll(GetAttr):
    """``get_attr`` which without an attribute gives a map of all of them."""

    __slots__ = ()

    least = 1
    form = "get_attr: [resource, attribute]"


class FnGetAtt(GetAttr):
    """``Fn::GetAtt: [resource, attribute]``."""

    __slots__ = ()

    most = 2
    form = '{"Fn::GetAtt": ["resource", "attribute"]}'


def _path(steps: list[Data]) -> tuple[Data, ...]:
    if steps and not isinstance(steps[0], str):
        raise BadCall(f"an attribute is named by a text, not {shown(steps[0])}")
    return tuple(steps)


def select_attribute(data: ResourceData, path: AttributePath) -> Data | NoValue:
    """Return what the path leads to in a resource's attributes, or null."""
    if not path:
        return {
            name: None if isinstance(value, NoValue) else value
            for name, value in data.attributes.items()
            if isinstance(name, str) and name != "show"
        }
    known = data.attributes.get(path) if _is_key(path) else None
    if known is not None:
        return known
    value = data.attributes.get(str(path[0]))
    if isinstance(value, NoValue):
        return value
    for step in path[1:]:
        try:
            value = step_into(value, step)
        except (LookupError, TypeError):
            return None
    return value


def _is_key(path: AttributePath) -> bool:
    return all(isinstance(step, str | int) for step in path)


class GetFile(Call):
    """``get_file: name``: the content of a file that came with the template."""

    __slots__ = ()

    def check(self, site: Site) -> None:
        """Refuse anything but a text."""
        if isinstance(self.arguments, Constant):
            text(self.arguments.value, "the name of a file")

    def evaluate(self, scope: Scope) -> Data:
        """Return the file's text."""
        name = text(self.arguments.resolve_alone(scope), "the name of a file")
        content = scope.files.get(name)
        if content is None:
            raise BadCall(
                f'the content of the file "{name}" was not given',
                did_you_mean(name, scope.files) or "send it in the request's files",
            )
        scope.budget.spend_for(content)
        return content


class ResourceFacade(Call):
    """What a nested template knows of the resource it stands in for."""

    __slots__ = ()

    hands_on = True

    choices: ClassVar[Mapping[str, str]] = {
        "metadata": "metadata",
        "deletion_policy": "deletion_policy",
        "update_policy": "update_policy",
    }

    def check(self, site: Site) -> None:
        """Refuse an unknown choice."""
        self._choice()

    def _choice(self) -> str:
        value = self.arguments.value if isinstance(self.arguments, Constant) else None
        if not isinstance(value, str) or value not in self.choices:
            raise BadCall(f"must be one of {', '.join(self.choices)}")
        return self.choices[value]

    def evaluate(self, scope: Scope) -> Data:
        """Return the part of the facade."""
        choice = self._choice()
        if scope.facade is None:
            raise BadCall("this stack is not nested in another one, there is no facade")
        if choice == "deletion_policy":
            return scope.facade.deletion_policy
        is_policy = choice == "update_policy"
        value = (scope.facade.update_policy or {}) if is_policy else scope.facade.metadata
        scope.fetched(value)
        return own_copy(value)


class FnResourceFacade(ResourceFacade):
    """The same with CFN's words."""

    __slots__ = ()

    choices: ClassVar[Mapping[str, str]] = {
        "Metadata": "metadata",
        "DeletionPolicy": "deletion_policy",
        "UpdatePolicy": "update_policy",
    }


def trial(part: Expression, scope: Scope) -> Iterator[Problem]:
    """Resolve the largest parts that refer to no resource; yield what fails."""
    waiting = [part]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Constant):
            continue
        try:
            refers = any(isinstance(e, ResourceReference) for e in walk_active(current, scope))
            if isinstance(current, Call | Faulty) and not refers:
                current.resolve(scope)
            else:
                waiting.extend(reversed(current.active_parts(scope)))
        except ResolveError as error:
            yield error.problem


def references_in(part: Expression, scope: Scope) -> Iterator[ResourceReference]:
    """Yield the references on the branches of a part that count."""
    for expression in walk_active(part, scope):
        if isinstance(expression, ResourceReference):
            yield expression
