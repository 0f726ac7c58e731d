"""Hotplate::Directory::File."""

import asyncio
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Any

from hotplate.document import Data
from hotplate.resources.capabilities import (
    Adoptable,
    Checkable,
    Findable,
    LiveAttributes,
    Snapshots,
)
from hotplate.resources.directory.directory import Directory, NotAnObject, Object
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import (
    Done,
    ObjectMissing,
    Resource,
    ResourceFailed,
    Result,
)
from hotplate.template.constraint import Length

SERVICE = "directory"
_LONGEST_CONTENT = 1024 * 1024


class File(Findable, Checkable, Adoptable, LiveAttributes, Snapshots):
    """A file in the operator's directory."""

    name = "Hotplate::Directory::File"
    properties = {
        "name": Property(
            constraints=(Length(1, 100),), description="what the file's name begins with"
        ),
        "kind": Property(default="file", description="what sort of object it is"),
        "content": Property(
            default="",
            updatable=True,
            constraints=(Length(0, _LONGEST_CONTENT),),
            description="what is in it",
        ),
        "tags": Property(
            PropertyKind.MAP, default={}, updatable=True, description="texts by name, to find it by"
        ),
    }
    attributes = {
        "path": "where the file is",
        "content": "what is in it",
        "size": "how many bytes that is",
        "modified": "when it was last changed, in UTC",
        "show": "all that is known of the object",
    }
    live_attributes = frozenset(("content", "size", "modified", "show"))

    async def create(self, resource: Resource) -> Result:
        if resource.physical_id is not None:
            return await self.update(resource)
        directory = _directory(resource)
        label = resource.properties["name"] or f"{resource.stack_name}-{resource.name}"
        wanted = _wanted(resource, directory.id_for(label, resource.creation_token))
        try:
            await asyncio.to_thread(directory.create, wanted)
        except FileExistsError:
            # The id holds the creation token: an earlier try came through after all.
            await asyncio.to_thread(directory.replace, wanted)
        return await _present(resource, wanted.id)

    async def adopt(self, resource: Resource) -> Result:
        file_id = _id_of(resource)
        try:
            await asyncio.to_thread(_directory(resource).adopt, file_id, resource.creation_token)
        except FileNotFoundError:
            raise _missing(resource) from None
        return await _present(resource, file_id)

    async def find(self, resource: Resource) -> str | None:
        found = await asyncio.to_thread(_directory(resource).find, resource.creation_token)
        return None if found is None else found.id

    async def update(self, resource: Resource) -> Result:
        file_id = _id_of(resource)
        try:
            await asyncio.to_thread(_directory(resource).replace, _wanted(resource, file_id))
        except FileNotFoundError:
            raise _missing(resource) from None
        return await _present(resource, file_id)

    async def delete(self, resource: Resource) -> Result:
        token = resource.creation_token
        await asyncio.to_thread(_directory(resource).delete, _id_of(resource), token)
        return Done()

    async def check(self, resource: Resource) -> Result:
        return await _present(resource, _id_of(resource))

    async def live_properties(self, resource: Resource) -> Mapping[str, Any]:
        found = await _read(resource, _id_of(resource))
        return {"kind": found.kind, "content": found.content, "tags": dict(found.tags)}

    async def read_attributes(
        self, resource: Resource, names: Collection[str]
    ) -> Mapping[str, Data]:
        return (await _present(resource, _id_of(resource))).attributes or {}

    async def snapshot(self, resource: Resource) -> Result:
        found = await _read(resource, _id_of(resource))
        return Done(data={"content": found.content, "tags": dict(found.tags)})

    def restored(self, properties: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
        return {**properties, **kept}


def _directory(resource: Resource) -> Directory:
    """Return where the objects of the resource's project are; asks the disk."""
    directory: Directory = resource.world.service(SERVICE)
    return directory.of(resource.project, resource.physical_id, resource.creation_token)


def _id_of(resource: Resource) -> str:
    if resource.physical_id is None:
        raise ResourceFailed("the file was never created")
    return resource.physical_id


def _wanted(resource: Resource, file_id: str) -> Object:
    properties = resource.properties
    tags = {str(key): str(value) for key, value in properties["tags"].items()}
    return Object(file_id, resource.creation_token, properties["kind"], properties["content"], tags)


def _missing(resource: Resource) -> ObjectMissing:
    path = _directory(resource).path_of(_id_of(resource))
    if resource.is_external:
        return ObjectMissing(f"there is no object {resource.physical_id}: {path} is missing")
    return ObjectMissing(f"{path} is missing or belongs to another resource", "ResourceFailed")


async def _read(resource: Resource, file_id: str) -> Object:
    try:
        found = await asyncio.to_thread(_directory(resource).read, file_id)
    except NotAnObject as error:
        raise ResourceFailed(str(error)) from None
    # An external object has another creation token.
    token = resource.creation_token
    if found is None or (found.creation_token != token and not resource.is_external):
        raise _missing(resource)
    return found


async def _present(resource: Resource, file_id: str) -> Done:
    """Return what the disk says of the object."""
    found = await _read(resource, file_id)
    modified = datetime.fromtimestamp(found.modified, UTC).isoformat(timespec="seconds")
    shown: dict[str, Data] = {
        "path": str(_directory(resource).path_of(file_id)),
        "content": found.content,
        "size": found.size,
        "modified": modified.replace("+00:00", "Z"),
    }
    show = {
        "id": found.id,
        "mark": found.creation_token,
        "kind": found.kind,
        "tags": dict(found.tags),
    }
    return Done(file_id, attributes={**shown, "show": {**show, **shown}})
