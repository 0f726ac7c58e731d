"""Whether a stack can be made of a recipe: the values, the nesting, the types and the size."""

from contextlib import suppress
from dataclasses import dataclass, replace

from hotplate.document import InvalidDocument, Problem
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, StackFacts, bind_with_graph
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.engine.recipes.kept_secrets import with_secrets
from hotplate.engine.recipes.stored import digest_of_recipe
from hotplate.engine.refusals import TooManyResources
from hotplate.engine.wanted_definition import is_alike, note_fingerprints
from hotplate.environment import Environment
from hotplate.resources.heat.stack import CfnStack
from hotplate.template import (
    ParameterValues,
    ResolveError,
    Template,
    custom_problems,
    parameter_values,
)
from hotplate.template.alike import with_words
from hotplate.validation.nesting import NestedTemplates
from hotplate.validation.recipes.cloud_check import CloudChecks, checks_of_parameters
from hotplate.validation.recipes.remote_check import remote_resources
from hotplate.validation.recipes.resource_check import resource_problems
from hotplate.validation.report import Report
from hotplate.validation.static import StaticCheck, TemplateTree


@dataclass(frozen=True, slots=True)
class StackToBe:
    """The stack that a recipe is for. ``timeout`` is in minutes.

    One that will never exist has no id by which it could be found again: it ``is_kept`` not.
    """

    id: str
    name: str
    project: str
    timeout: int | None = None
    is_kept: bool = True


def validated(
    tools: Tools, stack: StackToBe, recipe: Recipe, cloud: CloudChecks | None = None
) -> Bound:
    """Return the recipe bound to the stack. Raises InvalidDocument with all that is wrong.

    ``cloud`` gets what a cloud must be asked, and knows what it has refused.
    """
    digest = digest_of_recipe(recipe)
    kept = tools.book.known(stack.id, digest) if stack.is_kept else None
    if kept is not None and kept.is_validated and _is_asked(kept, cloud):
        return kept
    tools = replace(tools, catalogue=tools.offered)
    whose = StackFacts(stack.id, stack.name, stack.project)
    bound = bind_with_graph(tools, whose, recipe, digest)
    static_check = _static_check(tools, recipe, cloud=cloud)
    bound.size = _check_bound(tools, bound, static_check, stack.timeout, cloud).size
    bound.acts_later = static_check.acts_later
    bound.remote = remote_resources(tools, bound)
    secrets_of(bound)  # found once, here: files are read for them
    note_fingerprints(tools.catalogue, bound)
    bound.is_validated = True
    bound.asked = None if cloud is None else frozenset(cloud.asked)
    if stack.is_kept:
        tools.book.keep(stack.id, bound)
    return bound


def _is_asked(kept: Bound, cloud: CloudChecks | None) -> bool:
    """Tell whether it is known what a cloud must be asked, and note that; it may refuse it now."""
    if cloud is None:
        return True
    if kept.asked is None or cloud.faults:
        return False
    cloud.asked |= kept.asked
    return True


def statically_checked(
    tools: Tools, project: str, recipe: Recipe, cloud: CloudChecks | None = None
) -> TemplateTree:
    """Return the templates of a recipe whose parameters need not all have values yet.

    What `validated` would refuse whatever these values are is refused here, too. Nothing is kept.
    Raises InvalidDocument.
    """
    tools = replace(tools, catalogue=tools.offered)
    recipe = with_secrets(recipe, tools.book)
    static_check = _static_check(tools, recipe, shows_all=True, cloud=cloud)
    return _check(tools, project, recipe, static_check, cloud)


def may_name_templates(recipe: Recipe) -> bool:
    """Tell whether there may be templates that are named by their addresses. Cheap."""
    texts = (recipe.template, recipe.environment, *recipe.files.values())
    return any(CfnStack.name in text for text in texts)


def missing_templates(tools: Tools, project: str, recipe: Recipe) -> list[str]:
    """Return the addresses of templates that are not among the files and could be fetched."""
    static_check = _static_check(tools, recipe)
    with suppress(InvalidDocument):  # whoever binds the recipe reports what is wrong
        _check(tools, project, recipe, static_check)
    return sorted(static_check.missing)


def used_types(tools: Tools, project: str, recipe: Recipe) -> dict[str, str]:
    """Return the types that a stack of a recipe may come to use, nested ones too, and where.

    As far as that is known now: a group may compute the type of its members from an attribute.
    """
    static_check = _static_check(tools, recipe, notes_types=True)
    with suppress(InvalidDocument):  # whoever binds the recipe reports what is wrong
        _check(tools, project, with_secrets(recipe, tools.book), static_check)
    return static_check.types


def _static_check(
    tools: Tools,
    recipe: Recipe,
    shows_all: bool = False,
    cloud: CloudChecks | None = None,
    notes_types: bool = False,
) -> StaticCheck:
    return StaticCheck(
        tools.catalogue,
        recipe.files,
        tools.book.compiled,
        tools.deepest_nesting,
        shows_all,
        cloud.by_name() if cloud else {},
        notes_types,
    )


def _check(
    tools: Tools,
    project: str,
    recipe: Recipe,
    static_check: StaticCheck,
    cloud: CloudChecks | None = None,
) -> TemplateTree:
    """Check a recipe with the values that there are. Raises InvalidDocument."""
    template = tools.book.template_of(recipe)
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
        bound = tools.book.bind(StackFacts("", "draft", project), recipe, digest)
        return _check_bound(tools, bound, static_check, None, cloud)
    problems = [
        *_parameter_problems(tools, values, environment, cloud),
        *_nesting_problems(tools, recipe, template, environment),
    ]
    tree = static_check.check(TemplateTree("", template, environment))
    problems = list(dict.fromkeys([*problems, *static_check.problems]))
    if problems:
        raise InvalidDocument(problems)
    _check_size(tools, tree)
    return tree


def _check_bound(
    tools: Tools,
    bound: Bound,
    static_check: StaticCheck,
    timeout: int | None,
    cloud: CloudChecks | None,
) -> TemplateTree:
    """Check everything that can be checked. Raises InvalidDocument with all that is wrong."""
    problems = dict.fromkeys(_parameter_problems(tools, bound.values, bound.environment, cloud))
    template, checks = bound.template.template, cloud.by_name() if cloud else {}
    try:
        bound.template.check_values()
    except InvalidDocument as fault:
        problems.update(dict.fromkeys(fault.problems))
    nesting = _nesting_problems(tools, bound.recipe, template, bound.environment)
    problems.update(dict.fromkeys(nesting))
    reported = {(problem.message, problem.position) for problem in problems}
    faultless: set[str] = set()
    for name, words in with_words(bound.template.resources):
        if words.name in faultless and is_alike(bound, name, words.name):
            continue  # what is said of one would be said of the other
        try:
            found = list(resource_problems(tools, bound, name, timeout, checks))
        except InvalidDocument as fault:
            found = list(fault.problems)
        # A value that cannot be resolved has been reported with its own place already.
        if not found:
            faultless.add(name)
        fresh = [each for each in found if (each.message, each.position) not in reported]
        problems.update(dict.fromkeys(fresh))
    tree = TemplateTree("", template, bound.environment)
    if not nesting:
        with suppress(ResolveError):  # reported above
            resources, scope = bound.template.resources, bound.template.scope()
            tree = static_check.check_nested(tree, resources, scope)
        problems.update(dict.fromkeys(static_check.problems))
    if problems:
        raise InvalidDocument(list(problems))
    _check_size(tools, tree)
    return tree


def _check_size(tools: Tools, tree: TemplateTree) -> None:
    """Refuse what is too large, as far as that is known before anything starts."""
    if 0 < tools.most_resources < tree.size:
        raise TooManyResources(tree.size, tools.most_resources)


def _parameter_problems(
    tools: Tools, values: ParameterValues, environment: Environment, cloud: CloudChecks | None
) -> list[Problem]:
    """Return which values of parameters break custom constraints."""
    declared = values.template.parameters.values()
    if not any(parameter.custom_constraints for parameter in declared):
        return []
    return list(
        custom_problems(
            values,
            environment.parameters,
            environment.parameter_defaults,
            checks_of_parameters(tools, cloud),
            environment.position,
        )
    )


def _nesting_problems(
    tools: Tools, recipe: Recipe, template: Template, environment: Environment
) -> list[Problem]:
    report = Report()
    nested = NestedTemplates(recipe.files, report, tools.deepest_nesting, tools.book.compiled)
    nested.check(template, environment)
    return report.errors
