"""Objects whose creation is tried again when it ends in an error."""

from dataclasses import dataclass, replace
from typing import Final

from hotplate.cloud import Conflict, NotFound
from hotplate.resources.cookie import Cookie
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Begun, CloudType, Object
from hotplate.resources.resource_type import ResourceFailed, Result, Wait

_FAILURES: Final = "failed_creations"
"""Where the resource's data has how many creations have failed."""

_MOST_CREATIONS: Final = 4
_MOST_SECONDS: Final = 120.0
"""How long the service may take to delete what has failed."""


@dataclass(frozen=True, slots=True)
class Removal(Cookie):
    """The deletion of an object that has failed: since when, why, and whether it was asked for."""

    removing_since: float
    reason: str
    is_asked: bool = False


class MadeAnew(CloudType):
    """An object that a busy service may fail to make: it is deleted, and another one is made.

    A host or a back end may be short of something for a moment. The service does not say whether
    it is for that moment only, so that a few tries are made, with growing pauses.
    """

    async def _create(self, it: CloudResource) -> Result:
        removal = Removal.from_data(it.resource.cookie)
        if it.resource.physical_id is not None and removal is not None:
            return await self._removed(it, removal)
        return await super()._create(it)

    async def failed(self, it: CloudResource, action: str, found: Object) -> Result:
        if action != "create" or not it.resource.is_wanted:
            return await super().failed(it, action, found)
        failures = 1 + int(it.resource.data.get(_FAILURES) or 0)
        text = await self.failure(it, found)
        if failures == _MOST_CREATIONS:
            raise ResourceFailed(f"{text} (created {failures} times)", "ResourceInError")
        reason = f"{text}; it is deleted and created anew, try {failures + 1} of {_MOST_CREATIONS}"
        return Wait(
            Removal(it.resource.world.now(), reason).as_data(),
            0,
            physical_id=self.physical_id_of(found),
            data={**it.resource.data, _FAILURES: failures},
            reason=reason,
        )

    async def _removed(self, it: CloudResource, removal: Removal) -> Result:
        """Delete what has failed; once it is gone, let the creation begin anew."""
        since = removal.removing_since
        if not removal.is_asked:
            try:
                await self.remove(it)
            except NotFound:
                return self._anew(it, removal)
            except Conflict:
                pass  # something goes on with it; it is asked for again
            else:
                removal = replace(removal, is_asked=True)
        if await self.has_vanished(it, Begun(since)):
            return self._anew(it, removal)
        if it.resource.world.now() > since + _MOST_SECONDS:
            words = f"is not deleted within {_MOST_SECONDS:.0f} seconds"
            raise ResourceFailed(f"{removal.reason}, but it {words}", "ResourceInError")
        pause = it.cloud.poller.pause(self.collection, "delete", since)
        return Wait(removal.as_data(), pause)

    def _anew(self, it: CloudResource, removal: Removal) -> Result:
        failures = int(it.resource.data[_FAILURES])
        return Wait(None, 2.0**failures, reason=removal.reason, is_gone=True)
