"""Stacks that leave and stacks that come: what is written down of them."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection

from hotplate.document import InvalidDocument, Problem
from hotplate.document.repeated import plain_text
from hotplate.engine.recipes import Recipe
from hotplate.engine.recipes.book import RecipeBook, fetch
from hotplate.engine.storable import storable_text
from hotplate.model import Action, Snapshot, Stack, Version
from hotplate.model.limits import DEEPEST_NESTING
from hotplate.store.stacks import stacks_of_root
from hotplate.store.versions import versions_of

_RECIPE = "hotplate_recipe"
"""What Heat's form cannot say: the texts as they were sent, and the list of environments."""


def export(connection: Connection, book: RecipeBook, stack: Stack) -> dict[str, Any]:
    """Return everything that is needed to take a stack up elsewhere, nested ones included.

    The keys are Heat's, so Heat can adopt what Hotplate wrote, too.
    """
    return _export(
        connection, book, stack, {s.id: s for s in stacks_of_root(connection, stack.root_id)}
    )


def _export(
    connection: Connection, book: RecipeBook, stack: Stack, children: Mapping[str, Stack]
) -> dict[str, Any]:
    recipe = fetch(connection, stack.project, stack.recipe)
    resources = {}
    for version in versions_of(connection, stack.id):
        if version.action is Action.DELETE:
            continue
        entry = _resource(version)
        if (
            version.is_nested_stack
            and version.physical_id is not None
            and version.physical_id in children
        ):
            entry |= _export(connection, book, children[version.physical_id], children)
        resources[version.name] = entry
    bound = book.bound(connection, stack, stack.recipe)
    environment = bound.environment.data()
    environment.pop("encrypted_param_names", None)
    return {
        "name": stack.name,
        "id": stack.id,
        "action": stack.action.value,
        "status": stack.status.value,
        "project_id": stack.project,
        "stack_user_project_id": None,
        "tags": list(stack.tags),
        "template": bound.template.template.data,
        "environment": environment,
        "files": dict(recipe.files),
        _RECIPE: {
            "template": plain_text(recipe.template),
            "environment_files": list(recipe.environment_files),
            "environment": recipe.environment,
            "parameters": dict(recipe.parameters),
            "environment_names": dict(recipe.environment_names),
            "dropped": dict(recipe.dropped),
        },
        "resources": resources,
    }


def snapshot_document(
    connection: Connection, book: RecipeBook, stack: Stack, snapshot: Snapshot
) -> dict[str, Any]:
    """Return what a snapshot kept, in the form in which a stack is written down."""
    bound = book.bound(connection, stack, snapshot.recipe)
    environment = bound.environment.data()
    environment.pop("encrypted_param_names", None)
    return {
        "name": stack.name,
        "id": stack.id,
        "action": "SNAPSHOT",
        "status": snapshot.status.value,
        "project_id": stack.project,
        "stack_user_project_id": None,
        "tags": list(stack.tags),
        "template": bound.template.template.data,
        "environment": environment,
        "files": dict(bound.recipe.files),
        "resources": _kept_resources(snapshot.data),
    }


def _kept_resources(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was kept of each resource, under the names that are used for it elsewhere."""
    return {
        name: {
            "name": name,
            "resource_id": one["physical_id"],
            "resource_data": one["data"],
            **({"resources": _kept_resources(one["resources"])} if "resources" in one else {}),
        }
        for name, one in kept.items()
    }


def adopted_recipe(
    document: Mapping[str, Any], parameters: Mapping[str, Any], files: Mapping[str, str]
) -> Recipe:
    """Return the recipe of a stack that was written down, by `export` or by Heat.

    Explicit parameters and files win over those in the document. Raises InvalidDocument.
    """
    kept = document.get(_RECIPE)
    all_files = {**_map(document, "files"), **files}
    if isinstance(kept, dict) and isinstance(kept.get("template"), str):
        return Recipe(
            kept["template"],
            all_files,
            tuple(map(str, kept.get("environment_files") or ())),
            str(kept.get("environment") or ""),
            {**_map(kept, "parameters"), **parameters},
            environment_names={
                file: str(name) for file, name in _map(kept, "environment_names").items()
            },
            dropped={
                file: tuple(map(str, names))
                for file, names in _map(kept, "dropped").items()
                if isinstance(names, list)
            },
        )
    template = document.get("template")
    if not isinstance(template, dict | str):
        problem = Problem("there is no template in it", hint="send what abandon wrote")
        raise InvalidDocument([replace(problem, file="adopt_stack_data")])
    sections = {key: value for key, value in _map(document, "environment").items() if value}
    return Recipe(
        template if isinstance(template, str) else json.dumps(template),
        all_files,
        environment=json.dumps(sections) if sections else "",
        parameters=dict(parameters),
    )


def adopted_resources(
    document: Mapping[str, Any],
    deepest_nesting: int = DEEPEST_NESTING,
    path: tuple[str, ...] = (),
) -> dict[str, dict[str, Any]]:
    """Return what a stack that was written down says of its resources, by their names.

    Raises InvalidDocument where that is not of the form in which `export` and Heat write it, or
    nested too deep.
    """
    resources = document.get("resources", {})
    here = (*path, "resources")
    if not isinstance(resources, dict):
        raise _misshapen(here, "is not a map of resources")
    if len(path) > 2 * deepest_nesting:  # each level has two keys: "resources" and a name
        raise _misshapen(here, f"is nested deeper than {deepest_nesting} stacks")
    return {name: _adopted(name, entry, deepest_nesting, here) for name, entry in resources.items()}


def _adopted(name: str, entry: Any, deepest_nesting: int, path: tuple[str, ...]) -> dict[str, Any]:
    here = (*path, name)
    if not isinstance(entry, dict):
        raise _misshapen(here, "is not a map")
    inside = None
    if "resources" in entry:
        inside = adopted_resources(entry, deepest_nesting, here)
    physical_id, data = entry.get("resource_id"), entry.get("resource_data") or {}
    if not isinstance(physical_id, str | None) or not isinstance(data, dict):
        raise _misshapen(here, "has a resource_id that is no text or resource_data that is no map")
    if physical_id is not None and storable_text(physical_id) != physical_id:
        raise _misshapen(here, "has a resource_id that cannot be kept")
    if inside is not None:
        return {"resources": inside, "resource_data": data}
    return {"resource_id": physical_id, "resource_data": data}


def _misshapen(path: tuple[str, ...], fault: str) -> InvalidDocument:
    text = f"{'.'.join(path)} {fault}"
    problem = Problem(text, hint="send what abandon wrote")
    return InvalidDocument([replace(problem, file="adopt_stack_data")])


def _map(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = document.get(key)
    return value if isinstance(value, dict) else {}


def _resource(version: Version) -> dict[str, Any]:
    return {
        "name": version.name,
        "type": version.type,
        "resource_id": version.physical_id,
        "action": version.action.value,
        "status": version.status.value,
        "metadata": version.definition.metadata,
        "resource_data": version.data,
    }
