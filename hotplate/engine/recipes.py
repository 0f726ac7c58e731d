"""Recipes: all that makes a stack, stored once, compiled once, bound once for each stack."""

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection

from hotplate.document import InvalidDocument, Problem, from_data, parse
from hotplate.environment import EXPLICIT, INLINE, Environment, Resolution
from hotplate.environment import merge as merge_environments
from hotplate.environment import parse as parse_environment
from hotplate.model import Stack
from hotplate.store.recipes import (
    digest_of,
    keep_contents,
    keep_inclusions,
    keep_recipe,
    read_contents,
    read_recipe,
    recipe_text,
)
from hotplate.template import (
    AttributePath,
    BoundTemplate,
    ParameterType,
    Template,
    TemplateCache,
    parameter_values,
)

_EMPTY_TEMPLATE = json.dumps({"heat_template_version": "2021-04-16"})


@dataclass(frozen=True, slots=True)
class Recipe:
    """A template with its environments, files and parameters, as the user sent them.

    ``environment_files`` are names of files, in order; ``environment`` is text of what was given
    inline and applies after them; ``parameters`` win over all.
    """

    template: str
    files: Mapping[str, str] = field(default_factory=dict)
    environment_files: tuple[str, ...] = ()
    environment: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)


EMPTY = Recipe(_EMPTY_TEMPLATE)
"""What a stack without anything is made of."""


@dataclass(slots=True)
class Bound:
    """A recipe for one stack: the template with values, and the environment in effect."""

    digest: str
    recipe: Recipe
    template: BoundTemplate
    environment: Environment
    needed: Mapping[str, frozenset[AttributePath]]
    """For each resource the attributes that others ask for."""

    definitions: dict[str, Any] = field(default_factory=dict, repr=False)
    """Definitions that depend on no other resource, kept by whoever resolved them."""

    is_validated: bool = False
    """Whether it has been found that a stack can be made of it."""

    def resolution(self, name: str) -> Resolution:
        """Return what the registry makes of a resource's type: a type or a template."""
        return self.environment.registry.lookup(self.template.resources[name].type, name)


def keep(connection: Connection, recipe: Recipe) -> str:
    """Store a recipe and everything in it; return its digest."""
    files = _files_text(recipe)
    contents = [recipe.template, recipe.environment, files, *recipe.files.values()]
    if (holder := digest_of(files)) in keep_contents(connection, contents):
        keep_inclusions(connection, holder, map(digest_of, recipe.files.values()))
    return keep_recipe(connection, _body(recipe))


def digest_of_recipe(recipe: Recipe) -> str:
    """Return the digest under which a recipe is or would be stored."""
    return digest_of(recipe_text(_body(recipe)))


def _body(recipe: Recipe) -> dict[str, Any]:
    return {
        "template": digest_of(recipe.template),
        "files": digest_of(_files_text(recipe)),
        "environment_files": list(recipe.environment_files),
        "environment": digest_of(recipe.environment),
        "parameters": dict(recipe.parameters),
    }


def _files_text(recipe: Recipe) -> str:
    digests = {name: digest_of(body) for name, body in recipe.files.items()}
    return json.dumps(digests, sort_keys=True)


def fetch(connection: Connection, digest: str) -> Recipe:
    """Return a stored recipe."""
    body = read_recipe(connection, digest)
    wanted = {body["template"], body["environment"], body["files"]}
    texts = read_contents(connection, wanted)
    names = json.loads(texts[body["files"]])
    texts |= read_contents(connection, set(names.values()))
    return Recipe(
        texts[body["template"]],
        {name: texts[key] for name, key in names.items()},
        tuple(body["environment_files"]),
        texts[body["environment"]],
        body["parameters"],
    )


class RecipeBook:
    """Bound recipes, the most recently used ones kept. Safe to use from several threads."""

    def __init__(self, most: int = 256) -> None:
        self._templates = TemplateCache()
        self._most = most
        self._bound: OrderedDict[tuple[str, str], Bound] = OrderedDict()

    def known(self, stack_id: str, digest: str) -> Bound | None:
        """Return what is already bound for a stack, None if it must be fetched."""
        return self._bound.get((stack_id, digest))

    def bound(self, connection: Connection, stack: Stack, digest: str) -> Bound:
        """Return a stored recipe, bound to the stack."""
        known = self.known(stack.id, digest)
        return known or self.bind(
            stack.id, stack.name, stack.project, fetch(connection, digest), digest
        )

    def bind(self, stack_id: str, name: str, project: str, recipe: Recipe, digest: str) -> Bound:
        """Bind a recipe to a stack. Raises InvalidDocument with all that is wrong."""
        template = self._templates.compile(recipe.template, "template")
        environment = self.environment(recipe, template)
        values = parameter_values(
            template,
            environment.parameters,
            environment.parameter_defaults,
            pseudo={
                "OS::stack_id": stack_id,
                "OS::stack_name": name,
                "OS::project_id": project,
                "AWS::StackId": f"arn:openstack:heat::{project}:stacks/{name}/{stack_id}",
                "AWS::StackName": name,
                "AWS::Region": "ap-southeast-1",
            },
        )
        bound_template = BoundTemplate(template, values, recipe.files)
        needed = bound_template.needed_attributes()
        bound = Bound(digest, recipe, bound_template, environment, needed)
        self._bound[stack_id, digest] = bound
        while len(self._bound) > self._most:
            try:
                self._bound.popitem(last=False)
            except KeyError:
                break
        return bound

    def environment(self, recipe: Recipe, template: Template) -> Environment:
        """Return the environment that a recipe's files, inline part and parameters make."""
        files = []
        for name in recipe.environment_files:
            if name not in recipe.files:
                raise InvalidDocument([_missing_environment(name)])
            files.append(parse_environment(parse(recipe.files[name], name)))
        inline = []
        if recipe.environment:
            inline.append(parse_environment(parse(recipe.environment, INLINE)))
        explicit = from_data(dict(recipe.parameters), EXPLICIT) if recipe.parameters else None
        types: dict[str, ParameterType] = {
            name: parameter.type for name, parameter in template.parameters.items()
        }
        return merge_environments(files, inline, explicit, types)


def _missing_environment(name: str) -> Problem:
    return Problem(
        f'the environment file "{name}" was not given', file=name, hint="send it in the files"
    )
