"""Whether a stack can be made of a recipe, found out before anything is stored."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from sqlalchemy import Connection

from hotplate.document import Cause, Data, InvalidDocument, Path, Problem, did_you_mean
from hotplate.engine.context import Tools
from hotplate.engine.external_objects import unfit
from hotplate.engine.kept_secrets import with_secrets
from hotplate.engine.object_ownership import kind_of, unreadable
from hotplate.engine.recipes import Bound, Recipe, digest_of_recipe
from hotplate.engine.refusals import ImmutableChanged, TooManyResources
from hotplate.engine.wanted_definition import wanted_definition
from hotplate.environment import Environment
from hotplate.model import Stack
from hotplate.resources.catalogue import UnknownType
from hotplate.resources.heat.provider_template import kind_for
from hotplate.resources.heat.stack import CfnStack
from hotplate.resources.property import BadProperty, convert_all
from hotplate.resources.resource_type import ResourceType
from hotplate.store.objects import holders
from hotplate.template import ResolveError, Template, changed_immutable, parameter_values
from hotplate.validation.nesting import NestedTemplates
from hotplate.validation.report import Report
from hotplate.validation.static.static_check import (
    Draft,
    Drafter,
    Written,
    property_faults,
    property_problem,
    type_problem,
    written,
)

_ASKING = ("get_attr", "Fn::GetAtt")
"""Functions that ask for an attribute of a resource."""


def validated(
    tools: Tools,
    stack_id: str,
    name: str,
    project: str,
    recipe: Recipe,
    timeout: int | None = None,
    keeps: bool = True,
) -> Bound:
    """Return the recipe bound to the stack. Raises InvalidDocument with all that is wrong.

    A stack that does not exist has no id by which it could be known again: ``keeps`` is false.
    """
    digest = digest_of_recipe(recipe)
    known = tools.book.known(stack_id, digest) if keeps else None
    if known is not None and known.is_validated:
        return known
    bound = tools.book.bind(stack_id, name, project, recipe, digest, keeps)
    _checked(tools, bound, Drafter(tools, recipe.files), timeout)
    bound.is_validated = True
    return bound


def drafted(tools: Tools, project: str, recipe: Recipe) -> Draft:
    """Return what is known of a recipe whose parameters need not all have values yet.

    What `validated` would refuse whatever these values are is refused here, too. Nothing is kept.
    Raises InvalidDocument.
    """
    recipe = with_secrets(recipe, tools.book)
    return _drafted(tools, project, recipe, Drafter(tools, recipe.files, shown=True))


def missing_templates(tools: Tools, project: str, recipe: Recipe) -> list[str]:
    """Return the addresses of templates that are not among the files and could be fetched."""
    texts = (recipe.template, recipe.environment, *recipe.files.values())
    if not any(CfnStack.name in text for text in texts):
        return []
    drafter = Drafter(tools, recipe.files)
    with suppress(InvalidDocument):  # whoever binds the recipe tells what is wrong
        _drafted(tools, project, recipe, drafter)
    return sorted(drafter.missing)


def _drafted(tools: Tools, project: str, recipe: Recipe, drafter: Drafter) -> Draft:
    template = tools.book.compiled(recipe.template)
    environment = tools.book.environment(recipe, template)
    values = parameter_values(
        template,
        environment.parameters,
        environment.parameter_defaults,
        locate=environment.position,
        allow_missing=True,
    )
    if not values.missing:
        digest = digest_of_recipe(recipe)
        bound = tools.book.bind("", "draft", project, recipe, digest, keeps=False)
        return _checked(tools, bound, drafter, None)
    problems = _nesting_problems(recipe, template, environment)
    draft = drafter.check(Draft("", template, environment))
    problems = list(dict.fromkeys([*problems, *drafter.problems]))
    if problems:
        raise InvalidDocument(problems)
    _check_size(tools, draft)
    return draft


def _checked(tools: Tools, bound: Bound, drafter: Drafter, timeout: int | None) -> Draft:
    """Look at everything that can be looked at. Raises InvalidDocument with all that is wrong."""
    problems: dict[Problem, None] = {}
    template = bound.template.template
    try:
        bound.template.check_values()
    except InvalidDocument as fault:
        problems.update(dict.fromkeys(fault.problems))
    inside = _nesting_problems(bound.recipe, template, bound.environment)
    problems.update(dict.fromkeys(inside))
    told = {(problem.message, problem.position) for problem in problems}
    for name in bound.template.resources:
        try:
            found = list(type_problems(tools, bound, name, timeout))
        except InvalidDocument as fault:
            found = list(fault.problems)
        # A value that cannot be had has been told with its own place already.
        fresh = [each for each in found if (each.message, each.position) not in told]
        problems.update(dict.fromkeys(fresh))
    draft = Draft("", template, bound.environment)
    if not inside:
        with suppress(ResolveError):  # told above
            draft = drafter.inside(draft, bound.template.resources.values(), bound.template.scope())
        problems.update(dict.fromkeys(drafter.problems))
    if problems:
        raise InvalidDocument(list(problems))
    _check_size(tools, draft)
    return draft


def _check_size(tools: Tools, draft: Draft) -> None:
    """Refuse what is too large, as far as that is known before anything starts."""
    if 0 < tools.most_resources < draft.size:
        raise TooManyResources(draft.size, tools.most_resources)


def _nesting_problems(
    recipe: Recipe, template: Template, environment: Environment
) -> list[Problem]:
    report = Report()
    NestedTemplates(recipe.files, report).check(template, environment)
    return report.errors


def type_problems(tools: Tools, bound: Bound, name: str, timeout: int | None) -> Iterable[Problem]:
    """Yield what the type of a resource finds wrong with it."""
    definition = bound.template.resources[name]
    template = bound.template.template
    document = template.document
    resolution = bound.resolution(name)
    kind_name = resolution.template or resolution.type
    try:
        kind = kind_for(tools.catalogue, kind_name)
    except UnknownType as error:
        yield type_problem(template, definition.path, error)
        return
    for attribute in sorted({str(path[0]) for path in bound.needed.get(name, ()) if path}):
        if not kind.has_attribute(attribute):
            text = f"The Referenced Attribute ({name} {attribute}) is incorrect."
            hint = did_you_mean(attribute, kind.attributes)
            places = list(attribute_places(document.data, name, attribute))
            for path in places or [definition.path]:
                yield document.placed(Problem(text, path, hint))
    try:
        if bound.external_id(name) is not None:
            yield from _external_problems(tools, bound, name, kind)
            return
    except ResolveError as error:
        yield document.placed(error.problem)
        return
    yield from _managed_problems(tools, bound, name, kind, timeout)


def attribute_places(data: Data, name: str, attribute: str, path: Path = ()) -> Iterator[Path]:
    """Yield where an attribute of a resource is asked for in a template."""
    if isinstance(data, dict):
        for key, value in data.items():
            here = (*path, key)
            if key in _ASKING:
                if isinstance(value, list) and value[:2] == [name, attribute]:
                    yield (*here, 1)
                elif value == f"{name}.{attribute}":
                    yield here
            yield from attribute_places(value, name, attribute, here)
    elif isinstance(data, list):
        for number, value in enumerate(data):
            yield from attribute_places(value, name, attribute, (*path, number))


def _external_problems(
    tools: Tools, bound: Bound, name: str, kind: ResourceType
) -> Iterable[Problem]:
    """Yield why a resource cannot be an object of somebody else. Its properties do not matter.

    Where another resource decides what it shall be, or whether, that is told when it is known.
    """
    fault = unfit(kind, tools.allows_unverified) if bound.external_id(name) else ""
    if fault:
        template = bound.template.template
        path = (*bound.template.resources[name].path, template.dialect.words.external_id)
        yield template.document.placed(Problem(fault, path))


def _managed_problems(
    tools: Tools, bound: Bound, name: str, kind: ResourceType, timeout: int | None
) -> Iterable[Problem]:
    """Yield what is wrong with the properties of a resource that is managed."""
    definition = bound.template.resources[name]
    template = bound.template.template
    document = template.document
    if definition.static_references:
        # Some values come from other resources: these are checked when those exist.
        said = written(definition.properties, bound.template.scope())
        faults = [] if said is None else list(property_faults(kind.properties, said))
        for fault in faults:
            yield property_problem(template, definition.path, fault)
        text = "" if faults or said is None else _early_verdict(kind, said)
        if text:
            path = (*definition.path, template.dialect.words.properties)
            yield document.placed(Problem(text, path))
        with suppress(ResolveError):  # it comes from another resource, too
            yield from _policy_problems(kind, dict.fromkeys(kind.properties), bound, name)
        return
    try:
        properties = kind.convert(_properties(tools, bound, name, kind))
    except BadProperty as error:
        # That is the first; all are told at once.
        said = written(definition.properties, bound.template.scope())
        faults = [] if said is None else list(property_faults(kind.properties, said))
        for fault in faults or [error]:
            yield property_problem(template, definition.path, fault)
        return
    except ResolveError as error:
        yield document.placed(error.problem)
        return
    yield from _name_problems(kind, properties, bound, name)
    try:
        yield from _policy_problems(kind, properties, bound, name)
    except ResolveError as error:
        yield document.placed(error.problem)
    text = kind.validate(properties, None if timeout is None else 60.0 * timeout)
    if text:
        yield document.placed(Problem(text, (*definition.path, template.dialect.words.properties)))


def _policy_problems(
    kind: ResourceType, properties: dict[str, Any], bound: Bound, name: str
) -> Iterable[Problem]:
    """Yield what is wrong with the update policy of a resource. Raises ResolveError."""
    template, definition = bound.template.template, bound.template.resources[name]
    if not kind.update_policies or definition.update_policy is None:
        return
    try:
        kind.policies(properties, bound.template.update_policy(name))
    except BadProperty as error:
        path = (*definition.path, template.dialect.words.update_policy, *error.path)
        problem = Problem(error.message, path, error.hint, cause=Cause.PROPERTY)
        yield template.document.placed(problem)


def _early_verdict(kind: ResourceType, said: Written) -> str:
    """Return what a type says of properties that are written down, while others are unknown."""
    unknown = said.names - said.values.keys()
    if not kind.validated or not kind.validated.isdisjoint(unknown):
        return ""
    known = {name: kind.properties[name] for name in kind.validated}
    given = {name: value for name, value in said.values.items() if name in known}
    return kind.validate({**dict.fromkeys(kind.properties), **convert_all(known, given)})


def _name_problems(
    kind: ResourceType, properties: dict[str, Any], bound: Bound, name: str
) -> Iterable[Problem]:
    """Yield which resources are named that the stack does not have, in Heat's words."""
    template, definition = bound.template.template, bound.template.resources[name]
    for other in kind.named_resources(properties):
        if other not in bound.template.resources:
            text = f"{kind.name.rpartition('::')[2]} resource {other} not in stack"
            path = (*definition.path, template.dialect.words.properties)
            hint = did_you_mean(other, bound.template.resources)
            yield template.document.placed(Problem(text, path, hint))


def external_conflicts(connection: Connection, stack: Stack, bound: Bound) -> None:
    """Refuse a recipe by which a resource would use an object that is about to be deleted.

    Told before anything begins, as far as it can be known; what is taken meanwhile is noticed when
    the resource takes it. Raises InvalidDocument.
    """
    template = bound.template.template
    problems = []
    for name, object_id in bound.external_ids().items():
        resolution = bound.resolution(name)
        for holder in holders(connection, stack.project, object_id):
            is_own = (holder.stack_id, holder.name) == (stack.id, name)
            if is_own or kind_of(holder) != (resolution.template or resolution.type):
                continue
            text = unreadable(holder, stack.id, bound.template.resources)
            if text:
                path = (*bound.template.resources[name].path, template.dialect.words.external_id)
                problems.append(template.document.placed(Problem(text, path)))
    if problems:
        raise InvalidDocument(problems)


def refuse_changed_immutables(
    connection: Connection, tools: Tools, stack: Stack, bound: Bound
) -> None:
    """Refuse a recipe that gives another value to an immutable parameter of the stack.

    Compared is what the stack is made of now, whether or not that has completed. Raises
    ImmutableChanged.
    """
    declared = bound.template.template.parameters.values()
    if not any(parameter.immutable for parameter in declared):
        return  # spares binding the old recipe
    old = tools.book.bound(connection, stack, stack.recipe)
    if changed := changed_immutable(old.values, bound.values):
        raise ImmutableChanged(changed)


def _properties(tools: Tools, bound: Bound, name: str, kind: ResourceType) -> dict[str, Any]:
    """Return the properties of a resource that depends on no other. Raises ResolveError.

    Its definition is made now and kept, so that the engine need not make it again.
    """
    if kind.nested:
        return bound.template.properties(name)
    return wanted_definition(tools.catalogue, bound, name, {})[0].properties
