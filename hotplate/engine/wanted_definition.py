"""What the next version of a resource shall be and, if that is a stack, what it is made of.

And binding a recipe with what is found once for all of its resources.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hotplate.bounded import TooHeavy
from hotplate.document import Data
from hotplate.document.repeated import is_repeated, written
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import Bound, StackFacts, bind_with_graph
from hotplate.engine.recipes.hidden_parameters import secrets_of
from hotplate.engine.recipes.stored import digest_of_contents, digest_of_recipe
from hotplate.environment import Environment
from hotplate.model import Definition, Version
from hotplate.plan.definition import resolve_definition
from hotplate.plan.settled import is_decided_by_fingerprint, is_settled
from hotplate.resources.capabilities import (
    CompletesProperties,
    NestedStack,
    SendsFiles,
    Snapshots,
    acting_type,
)
from hotplate.resources.catalogue import Catalogue, UnknownType
from hotplate.resources.declared_secrets import with_declared_secrets
from hotplate.resources.heat.provider_template import is_template_file, resource_type_for
from hotplate.resources.property import BadProperty
from hotplate.resources.resource_type import ResourceFailed
from hotplate.secret import plain
from hotplate.template import ResolveError, ResourceData
from hotplate.template.alike import AlikeResources, in_own_words, with_words
from hotplate.template.definition import ResourceDefinition

if TYPE_CHECKING:
    from hotplate.engine.context import Tools

_UNDECIDED = (ResolveError, ResourceFailed, UnknownType, BadProperty, TooHeavy)
"""Why it may be left open what a resource shall be."""

_MOST_SHARED = 64
"""Definitions that a large stack keeps, each for all resources that are written alike."""

_FACADES = ("resource_facade", "Fn::ResourceFacade")


def wanted_definition(
    catalogue: Catalogue, bound: Bound, name: str, known: Mapping[str, ResourceData]
) -> tuple[Definition, Recipe | None]:
    """Return what a resource shall be and, if that is a stack, what it is made of."""
    if name in bound.definitions:
        return bound.definitions[name]
    shared = _shared_definition(catalogue, bound, name)
    if shared is not None:
        return shared, None
    found = _wanted_definition(catalogue, bound, name, known)
    if bound.template.resources[name].static_references != frozenset():
        return found
    if bound.is_small:
        bound.definitions[name] = found
    elif name not in bound.fingerprints and is_decided_by_fingerprint(found[0], catalogue):
        bound.fingerprints.note(name, found[0].fingerprint())
    return found


def _shared_definition(catalogue: Catalogue, bound: Bound, name: str) -> Definition | None:
    """Return the definition that a resource shares with all that are written in the same words.

    None if it may have one of its own. It is resolved once, and only a few are kept.
    """
    resources = bound.template.resources
    if not isinstance(resources, AlikeResources):
        return None
    like = resources.words.get(name, name)
    if like == name or not is_alike(bound, name, like):
        return None
    if like not in bound.shared and len(bound.shared) < _MOST_SHARED:
        bound.shared[like] = _shareable(catalogue, bound, resources.own[like])
    shared: Definition | None = bound.shared.get(like)
    return shared


def _shareable(catalogue: Catalogue, bound: Bound, first: ResourceDefinition) -> Definition | None:
    """Return what a resource shall be, unless that depends on others or is a stack."""
    if first.static_references != frozenset():
        return None
    try:
        wanted, recipe = _wanted_definition(catalogue, bound, first.name, {})
        resource_type = resource_type_for(catalogue, wanted.type_name)
    except _UNDECIDED:
        return None  # each says in its own name why
    is_own = recipe is not None or isinstance(resource_type, CompletesProperties)
    return None if is_own else wanted


def note_fingerprints(catalogue: Catalogue, bound: Bound) -> None:
    """Find out which fingerprints the versions of a large stack have that are as is wanted.

    Of resources that depend on others that is not known before these are there.
    """
    if bound.is_small:
        return
    found = bound.fingerprints
    for words in in_own_words(bound.template.resources):
        if words.name not in found and words.static_references == frozenset():
            with suppress(*_UNDECIDED):
                wanted_definition(catalogue, bound, words.name, {})
    bound.share_fingerprints()
    if found.is_shared:
        return
    for name, words in with_words(bound.template.resources):
        if name in found or words.static_references != frozenset():
            continue
        if words.name in found and is_alike(bound, name, words.name):
            found.note(name, found[words.name])
            continue
        with suppress(*_UNDECIDED):
            wanted_definition(catalogue, bound, name, {})


def note_definitions(catalogue: Catalogue, bound: Bound) -> None:
    """Find out what resources shall be that depend on no other, as far as that is kept.

    Of a large group that takes long: it is done before a transaction that writes asks for it.
    """
    for definition in in_own_words(bound.template.resources) if bound.is_small else ():
        if definition.static_references == frozenset():
            with suppress(*_UNDECIDED):
                wanted_definition(catalogue, bound, definition.name, {})


def is_alike(bound: Bound, name: str, like: str) -> bool:
    """Tell whether a resource differs in nothing from one that is written in the same words."""
    registry = bound.environment.registry
    return not (
        bound.recipe.kept
        or name in bound.needed
        or like in bound.needed
        or (registry.names_resources and any(map(registry.names_resource, (name, like))))
    )


def is_as_wanted(
    catalogue: Catalogue,
    bound: Bound,
    name: str,
    version: Version,
    known: Mapping[str, ResourceData],
    converges: bool = False,
) -> bool:
    """Tell whether a version is what its template wants; False where that cannot be decided.

    ``known`` is what all that it requires offers. ``converges``: so must its object be.
    """
    if not converges and name in bound.fingerprints:
        return version.fingerprint == bound.fingerprints[name]
    try:
        wanted, _ = wanted_definition(catalogue, bound, name, known)
        return is_settled(version, wanted, catalogue, bound.needed.get(name, ()), converges)
    except _UNDECIDED:
        return False  # whoever checks the resource finds out


def _wanted_definition(
    catalogue: Catalogue, bound: Bound, name: str, known: Mapping[str, ResourceData]
) -> tuple[Definition, Recipe | None]:
    resolution = bound.resolution(name)
    type_name = resolution.template or resolution.type
    wanted = resolve_definition(bound.template, name, type_name, known)
    if wanted.external_id:
        return wanted, None
    resource_type = resource_type_for(catalogue, type_name)
    acting = acting_type(resource_type, wanted.properties)
    if acting is not resource_type:
        resource_type, wanted = acting, replace(wanted, type_name=acting.name)
    if isinstance(resource_type, CompletesProperties):
        requires = bound.template.graph.requires(name)
        others = [known[other] for other in requires if other in known]
        properties = resource_type.completed(wanted.properties, others)
        wanted = replace(wanted, properties=properties)
    declared = with_declared_secrets(resource_type, wanted.properties)
    if declared is not wanted.properties:
        wanted = replace(wanted, properties=declared)
    if not isinstance(resource_type, NestedStack):
        if isinstance(resource_type, SendsFiles):
            sent = _digest_of_surroundings(bound, name, wanted.type)
            wanted = replace(wanted, sent=sent)
        kept = bound.recipe.kept.get(name, {}).get("data")
        if kept and isinstance(resource_type, Snapshots):
            properties = resource_type.restored(wanted.properties, kept)
            wanted = replace(wanted, properties=properties)
        return wanted, None
    recipe = child_recipe(catalogue, bound, name, wanted, resource_type)
    return replace(wanted, child_digest=digest_of_contents(recipe)), recipe


def child_recipe(
    catalogue: Catalogue, bound: Bound, name: str, wanted: Definition, resource_type: NestedStack
) -> Recipe:
    """Return what the nested stack of a resource is made of."""
    parameters: dict[str, Any] = {}
    is_ours = False
    asked = resource_type.asked_of_members(bound.needed.get(name, ()))
    environment = bound.environment.child(name, wanted.type)
    if is_template_file(wanted.type_name):
        if wanted.type_name not in bound.recipe.files:
            raise ResourceFailed(f'the template "{wanted.type_name}" was not given')
        template = bound.recipe.files[wanted.type_name]
        given = plain(wanted.properties)
        parameters = {key: value for key, value in given.items() if value is not None}
    else:
        properties = resource_type.convert(wanted.properties)
        source = resource_type.child_source(properties, bound.recipe.files)
        if source is not None:
            template, parameters = source.template, dict(source.parameters)
        else:
            made = resource_type.child_template(properties)
            template = written(made)
            is_ours = is_repeated(template)
            if asked:
                sample = resource_type.child_sample(properties)["resources"] or made["resources"]
                asked = _unknown_unasked(catalogue, environment, sample, asked)
    return Recipe(
        template=template,
        files=bound.recipe.files,
        environment=json.dumps(_inherited(environment)),
        parameters=parameters,
        kept=bound.recipe.kept.get(name, {}).get("resources", {}),
        asked=asked,
        facade=_facade(template, wanted),
        secrets=_handed_on(bound, wanted),
        is_repeated=is_ours,
    )


def _handed_on(bound: Bound, wanted: Definition) -> tuple[str, ...]:
    """Return the secrets in what a nested stack is given, and those of which these are made.

    The type may write what it is given into a template, and a text may be a whole template.
    """
    given = wanted.secrets()
    if not given:
        return ()
    known = secrets_of(bound)
    origins = (known.within(text).texts for text in given.texts)
    return tuple(sorted(given.texts.union(*origins)))


def _facade(template: str, wanted: Definition) -> dict[str, Any]:
    """Return what a template may ask of the resource that it stands for, if it does ask."""
    if not any(word in template for word in _FACADES):
        return {}
    return {
        "metadata": plain(wanted.metadata),
        "deletion_policy": wanted.deletion_policy,
        "update_policy": wanted.update_policy,
    }


def _inherited(environment: Environment) -> dict[str, Any]:
    """Return what the environment of a nested stack says besides its parameters."""
    settings = environment.data()
    settings.pop("parameters", None)
    return {key: value for key, value in settings.items() if value}


def surroundings(bound: Bound, name: str, type_name: str) -> tuple[Mapping[str, str], Any]:
    """Return the files and the environment that a nested stack of a resource would have."""
    return bound.recipe.files, _inherited(bound.environment.child(name, type_name))


def _digest_of_surroundings(bound: Bound, name: str, type_name: str) -> str:
    files, environment = surroundings(bound, name, type_name)
    return digest_of_recipe(Recipe("", files, environment=json.dumps(environment)))


def _unknown_unasked(
    catalogue: Catalogue,
    environment: Environment,
    resources: Mapping[str, Any],
    asked: dict[str, list[list[Data]]],
) -> dict[str, list[list[Data]]]:
    """Return what members publish only if it is asked for, judged by one member of each type.

    Plain resources publish all of their attributes, template files all of their outputs.
    """
    names = set()
    for type_name, member in {each["type"]: name for name, each in resources.items()}.items():
        resolution = environment.registry.lookup(str(type_name), member)
        names.add(resolution.template or resolution.type)
    files = {each for each in names if is_template_file(each)}
    types = [catalogue.get(each) for each in names - files if each in catalogue]
    if any(isinstance(each, NestedStack) for each in types):
        return asked
    inner = {
        name: [path for path in paths if str(path[0]).startswith("resource.")]
        for name, paths in asked.items()
    }
    return {name: paths for name, paths in inner.items() if paths} if files else {}


def bind_recipe(tools: "Tools", stack: StackFacts, recipe: Recipe, digest: str) -> Bound:
    """Bind a recipe to a stack, its graph and its fingerprints included. Raises InvalidDocument."""
    bound = bind_with_graph(tools, stack, recipe, digest)
    note_fingerprints(tools.catalogue, bound)
    return bound
