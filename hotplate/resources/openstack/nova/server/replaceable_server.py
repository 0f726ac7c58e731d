"""A server before its replacement is made, and after that is not wanted any more."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.cloud import NotFound
from hotplate.resources.capabilities import PreparesReplacement
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.nova.server import giving_up
from hotplate.resources.openstack.nova.server.changes import Doing
from hotplate.resources.openstack.nova.server.server_object import BUILT, DELETING, ServerObject
from hotplate.resources.openstack.states import Progress
from hotplate.resources.resource_type import Done, Gone, Resource, Result, Wait

_LEAVING: Final = "leave"
_GIVING: Final = "give up"
_TAKING: Final = "take back"


class ReplaceableServer(ServerObject, PreparesReplacement):
    """A server that gives up ports, addresses and volumes for its replacement."""

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        if new is None:
            return ""
        if giving_up.must_go(old, new):
            return "the volume that it boots from, and is deleted for it"
        return "; ".join(giving_up.in_common(old, new))

    async def prepare_replacement(
        self, resource: Resource, new_properties: Mapping[str, Any] | None
    ) -> Done | Wait | Gone:
        doing = Doing.from_data(resource.cookie)
        if doing is None or doing.step not in (_LEAVING, DELETING):
            new = new_properties or {}
            try:
                return await self._explained(
                    resource, lambda it: self._give_up(it, new), self.located_by
                )
            except NotFound:
                resource.cookie = None
        elif doing.step == _LEAVING:
            resource.cookie = None
        result = await self.delete(resource)
        return result if isinstance(result, Wait) else Gone(result.data)

    async def _give_up(self, it: CloudResource, written: Mapping[str, Any]) -> Result:
        new = await self._resolved(it.cloud, written, None, is_lenient=True)
        doing = Doing.from_data(it.resource.cookie)
        if doing is None or doing.step != _GIVING:
            found = await self.read(it)
            if found["status"] == "BUILD":
                # Nothing can be detached from it yet.
                return self.wait(it, self.now(it, "build"))
            is_broken = BUILT.progress(found) is Progress.FAILED
            if is_broken or giving_up.must_go(it.properties, new):
                return Wait(self.now(it, _LEAVING).as_data(), 0)
            doing = self.now(it, _GIVING)
        following = await giving_up.give_up(it, new, doing)
        return Done() if following is None else self.wait(it, following)

    async def restore(self, resource: Resource) -> Result:
        return await self._explained(resource, self._restore)

    async def _restore(self, it: CloudResource) -> Result:
        doing = Doing.from_data(it.resource.cookie)
        if it.resource.physical_id is not None and (doing is None or doing.step == _TAKING):
            return await self.until_done(it, _TAKING, lambda doing: giving_up.take_back(it, doing))
        if it.resource.physical_id is None and (found := await self.search(it)) is not None:
            # A worker that died has made it again.
            it.resource.physical_id = self.physical_id_of(found)
        return await self._create(it)
