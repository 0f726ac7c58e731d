"""Whether a stack can be made of a recipe: the values, the nesting, the types and the size."""

from contextlib import suppress

from hotplate.document import InvalidDocument, Problem
from hotplate.engine.context import Tools
from hotplate.engine.kept_secrets import with_secrets
from hotplate.engine.recipes import Bound, Recipe, digest_of_recipe
from hotplate.engine.refusals import TooManyResources
from hotplate.environment import Environment
from hotplate.resources.heat.stack import CfnStack
from hotplate.template import ResolveError, Template, parameter_values
from hotplate.validation.nesting import NestedTemplates
from hotplate.validation.recipes.resource_check import resource_problems
from hotplate.validation.report import Report
from hotplate.validation.static import StaticCheck, TemplateTree


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

    A stack that does not exist has no id by which it could be found again: ``keeps`` is false.
    """
    digest = digest_of_recipe(recipe)
    kept = tools.book.known(stack_id, digest) if keeps else None
    if kept is not None and kept.is_validated:
        return kept
    bound = tools.book.bind(stack_id, name, project, recipe, digest, keeps)
    _check_bound(tools, bound, _static_check(tools, recipe), timeout)
    bound.is_validated = True
    return bound


def statically_checked(tools: Tools, project: str, recipe: Recipe) -> TemplateTree:
    """Return the templates of a recipe whose parameters need not all have values yet.

    What `validated` would refuse whatever these values are is refused here, too. Nothing is kept.
    Raises InvalidDocument.
    """
    recipe = with_secrets(recipe, tools.book)
    return _check(tools, project, recipe, _static_check(tools, recipe, shows_all=True))


def missing_templates(tools: Tools, project: str, recipe: Recipe) -> list[str]:
    """Return the addresses of templates that are not among the files and could be fetched."""
    texts = (recipe.template, recipe.environment, *recipe.files.values())
    if not any(CfnStack.name in text for text in texts):
        return []
    static_check = _static_check(tools, recipe)
    with suppress(InvalidDocument):  # whoever binds the recipe reports what is wrong
        _check(tools, project, recipe, static_check)
    return sorted(static_check.missing)


def _static_check(tools: Tools, recipe: Recipe, shows_all: bool = False) -> StaticCheck:
    return StaticCheck(
        tools.catalogue, recipe.files, tools.book.compiled, tools.deepest_nesting, shows_all
    )


def _check(tools: Tools, project: str, recipe: Recipe, static_check: StaticCheck) -> TemplateTree:
    """Check a recipe with the values that there are. Raises InvalidDocument."""
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
        return _check_bound(tools, bound, static_check, None)
    problems = _nesting_problems(tools, recipe, template, environment)
    tree = static_check.check(TemplateTree("", template, environment))
    problems = list(dict.fromkeys([*problems, *static_check.problems]))
    if problems:
        raise InvalidDocument(problems)
    _check_size(tools, tree)
    return tree


def _check_bound(
    tools: Tools, bound: Bound, static_check: StaticCheck, timeout: int | None
) -> TemplateTree:
    """Check everything that can be checked. Raises InvalidDocument with all that is wrong."""
    problems: dict[Problem, None] = {}
    template = bound.template.template
    try:
        bound.template.check_values()
    except InvalidDocument as fault:
        problems.update(dict.fromkeys(fault.problems))
    nesting = _nesting_problems(tools, bound.recipe, template, bound.environment)
    problems.update(dict.fromkeys(nesting))
    reported = {(problem.message, problem.position) for problem in problems}
    for name in bound.template.resources:
        try:
            found = list(resource_problems(tools, bound, name, timeout))
        except InvalidDocument as fault:
            found = list(fault.problems)
        # A value that cannot be resolved has been reported with its own place already.
        fresh = [each for each in found if (each.message, each.position) not in reported]
        problems.update(dict.fromkeys(fresh))
    tree = TemplateTree("", template, bound.environment)
    if not nesting:
        with suppress(ResolveError):  # reported above
            definitions = bound.template.resources.values()
            tree = static_check.check_nested(tree, definitions, bound.template.scope())
        problems.update(dict.fromkeys(static_check.problems))
    if problems:
        raise InvalidDocument(list(problems))
    _check_size(tools, tree)
    return tree


def _check_size(tools: Tools, tree: TemplateTree) -> None:
    """Refuse what is too large, as far as that is known before anything starts."""
    if 0 < tools.most_resources < tree.size:
        raise TooManyResources(tree.size, tools.most_resources)


def _nesting_problems(
    tools: Tools, recipe: Recipe, template: Template, environment: Environment
) -> list[Problem]:
    report = Report()
    nested = NestedTemplates(recipe.files, report, tools.deepest_nesting, tools.book.compiled)
    nested.check(template, environment)
    return report.errors
