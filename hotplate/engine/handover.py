"""Stacks that leave and stacks that come: what is written down of them."""

from typing import Any

from sqlalchemy import Connection

from hotplate.engine.recipes import fetch
from hotplate.engine.world import RealWorld
from hotplate.model import Action, Stack, Version
from hotplate.store.nodes import remove_all_nodes
from hotplate.store.stacks import change_stack, stacks_of_root
from hotplate.store.versions import remove_versions_of, versions_of


def export(connection: Connection, stack: Stack) -> dict[str, Any]:
    """Return everything that is needed to take a stack up elsewhere, nested ones included."""
    recipe = fetch(connection, stack.recipe)
    children = {s.id: s for s in stacks_of_root(connection, stack.root_id)}
    resources = {}
    for version in versions_of(connection, stack.id):
        if version.action is Action.DELETE:
            continue
        entry = _resource(version)
        if version.definition.get("child") and version.physical_id in children:
            entry |= export(connection, children[version.physical_id])
        resources[version.name] = entry
    return {
        "name": stack.name,
        "id": stack.id,
        "action": stack.action.value,
        "status": stack.status.value,
        "project_id": stack.project,
        "tags": list(stack.tags),
        "template": recipe.template,
        "files": dict(recipe.files),
        "environment_files": list(recipe.environment_files),
        "environment": recipe.environment,
        "parameters": dict(recipe.parameters),
        "resources": resources,
    }


def _resource(version: Version) -> dict[str, Any]:
    return {
        "name": version.name,
        "type": version.type,
        "resource_id": version.physical_id,
        "action": version.action.value,
        "status": version.status.value,
        "metadata": version.definition.get("metadata", {}),
        "resource_data": version.data,
    }


def forget(connection: Connection, world: RealWorld, stack: Stack) -> None:
    """Remove a stack and all inside it without touching any physical object."""
    for child in stacks_of_root(connection, stack.root_id):
        if child.parent_id == stack.id:
            forget(connection, world, child)
    remove_versions_of(connection, stack.id)
    remove_all_nodes(connection, stack.id)
    change_stack(
        connection,
        stack.id,
        deleted_at=world.now(),
        name_lock=None,
        deadline=None,
        traversal=None,
        sequence=stack.sequence + 1,
    )
