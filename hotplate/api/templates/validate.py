"""Checking a template without making anything of it."""

from typing import Any, Final

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.faults import bad_request
from hotplate.api.http.fields import Body, Query, QueryKind
from hotplate.api.http.shapes import record
from hotplate.api.stacks.environments import masked_environment
from hotplate.api.stacks.recipe_body import RECIPE_FIELDS
from hotplate.api.stacks.requested_recipe import requested_recipe
from hotplate.api.stacks.shapes import ENVIRONMENT_SECTIONS
from hotplate.api.stacks.shown_registry import shown_registry
from hotplate.api.stacks.used_types import check_available
from hotplate.api.templates.shapes import VALIDATED
from hotplate.api.templates.type_documents import CFN_TYPES, cfn_constraints
from hotplate.engine.context import Tools
from hotplate.engine.recipes import Recipe
from hotplate.secret import STARS
from hotplate.template import Parameter
from hotplate.validation.recipes import CloudChecks, checked_by_cloud, statically_checked
from hotplate.validation.static import TemplateTree

_IGNORABLE: Final = ("99001",)
"""Codes of faults that a request may ask to ignore: a service that is not there."""

ANSWER: Final = {"allOf": [VALIDATED, record({"Environment": record(ENVIRONMENT_SECTIONS)})]}


async def _validate(call: Call) -> Response:
    for code in call.query.get("ignore_errors", ()):
        if code not in _IGNORABLE:
            raise bad_request(f"Invalid codes in ignore_errors : {code[:100]}")
    recipe = await requested_recipe(call)
    if not call.query.get("ignore_errors"):
        await check_available(call, recipe)
    # Much to compile must not keep other requests waiting, nor much that was compiled come back.
    tools, project = call.engine.tools, call.project
    nested = bool(call.query.get("show_nested"))
    document = await checked_by_cloud(tools, project, _document, project, recipe, nested)
    return json_answer(document)


def _document(
    tools: Tools, project: str, recipe: Recipe, nested: bool, cloud: CloudChecks | None = None
) -> dict[str, Any]:
    """Return the answer for a recipe. Raises InvalidDocument."""
    tree = statically_checked(tools, project, recipe, cloud)
    environment = masked_environment(tree.environment.data(), _hidden_names(tree))
    environment.pop("encrypted_param_names", None)
    environment["resource_registry"] = shown_registry(environment, tree.template)
    return {**_described(tree, nested), "Environment": environment}


def _hidden_names(tree: TemplateTree) -> set[str]:
    """Return the parameters that are hidden, here or in a nested template."""
    found = {name for name, each in tree.template.parameters.items() if each.hidden}
    return found.union(*map(_hidden_names, tree.nested.values()))


def _described(tree: TemplateTree, nested: bool) -> dict[str, Any]:
    """Return what clients build their forms from."""
    given, defaults = tree.environment.parameters, tree.environment.parameter_defaults
    document: dict[str, Any] = {
        "Description": tree.template.description,
        "Parameters": {
            name: _parameter(parameter, given.get(name), defaults.get(name))
            for name, parameter in tree.template.parameters.items()
        },
    }
    if tree.template.groups:
        document["ParameterGroups"] = [group.as_data() for group in tree.template.groups]
    if nested and tree.nested:
        document["NestedParameters"] = {
            name: {"Type": inner.type_name, **_described(inner, nested)}
            for name, inner in tree.nested.items()
        }
    return document


def _parameter(parameter: Parameter, given: Any, default: Any) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "Type": CFN_TYPES[parameter.type.value],
        "Description": parameter.description,
        "NoEcho": "true" if parameter.hidden else "false",
        "Label": parameter.label,
    }
    # What the template itself says is no secret: whoever has the template can read it.
    if default is not None:
        shown["Default"] = STARS if parameter.hidden else default
    elif parameter.default is not None:
        shown["Default"] = parameter.default
    if given:
        shown["Value"] = STARS if parameter.hidden else given
    if parameter.tags:
        shown["Tags"] = list(parameter.tags)
    return shown | cfn_constraints(parameter.constraints)


ENDPOINTS = (
    Endpoint(
        "POST",
        "/validate",
        _validate,
        "Check a template",
        "templates",
        query=(
            Query(
                "show_nested",
                QueryKind.FLAG,
                "Whether parameters of nested templates are listed, too.",
            ),
            Query(
                "ignore_errors",
                QueryKind.LISTED,
                "Codes of faults to ignore: 99001 for a service that is not there.",
            ),
        ),
        body=Body(RECIPE_FIELDS),
        answers={200: ANSWER},
        description="Parameters without values are no fault here. Everything else that creating "
        "a stack would refuse is refused.",
        rule="stacks:validate_template",
    ),
)
