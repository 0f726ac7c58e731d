"""What all that is done with a server has in common."""

from collections.abc import Awaitable, Callable
from typing import Final

from hotplate.cloud import CloudError, NotFound
from hotplate.cloud.polling import SERVERS
from hotplate.resources.capabilities import ChecksReplacement
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Begun, Object
from hotplate.resources.openstack.made_anew import MadeAnew
from hotplate.resources.openstack.nova.server.changes import (
    Doing,
    act,
    failure_text,
    task_of,
)
from hotplate.resources.openstack.states import States
from hotplate.resources.resource_type import Resource, ResourceFailed, Result, Wait

BUILT: Final = States(
    # One that was built and then stopped is built.
    ended=frozenset(("ACTIVE", "SHUTOFF", "PAUSED", "SUSPENDED")),
    going_on=frozenset(
        (
            *("BUILD", "HARD_REBOOT", "MIGRATING", "PASSWORD", "REBOOT", "REBUILD", "RESCUE"),
            *("RESIZE", "REVERT_RESIZE", "VERIFY_RESIZE"),
        )
    ),
)
_BEYOND_REPAIR: Final = frozenset(("ERROR", "DELETED", "SOFT_DELETED", "BUILD"))
"""Statuses in which a server is replaced; one that is updated has been built long ago."""

DELETING: Final = "delete"
"""The step of a server that Nova was asked to delete."""

_NO_HOST: Final = "No valid host"
_MOST_ERRORS: Final = 10
"""How often a deleted server may be seen in error: Nova takes a moment to begin."""


class ServerObject(MadeAnew, ChecksReplacement):
    """A server of Nova: how one is recognised, found, waited for and seen to be gone."""

    replace_when_failed = False
    """A server outlives a change that Nova did not make: `must_replace` looks at it."""

    collection = SERVERS
    states = BUILT
    longest_name = 53
    """It becomes a host name, which has at most 63 characters with its domain."""

    async def must_replace(self, resource: Resource) -> str:
        if resource.physical_id is None:
            return "it was never created"
        it = await self._with_cloud(resource, self.located_by)
        try:
            found = await self.read(it)
        except NotFound:
            return f"the server {resource.physical_id} does not exist any more"
        except CloudError as error:
            raise ResourceFailed(str(error), type(error).__name__) from None
        status = BUILT.status(found)
        if status in _BEYOND_REPAIR:
            return f"the server {resource.physical_id} is in status {status}"
        return ""

    async def read(self, it: CloudResource) -> Object:
        found = await super().read(it)
        if found["status"] == "DELETED":
            # Nova shows it for another moment.
            raise NotFound(f"the server {it.id} is deleted", it.service.kind)
        return found

    async def search(self, it: CloudResource) -> Object | None:
        query = {"tags": self.tag(it)}
        listed = await it.service.list_all("/servers/detail", "servers", query)
        return next((each for each in listed if each["status"] != "DELETED"), None)

    async def failure(self, it: CloudResource, found: Object) -> str:
        text = failure_text(found)
        if _NO_HOST not in text:
            return text
        asked = {
            "flavor": it.resource.properties.get("flavor"),
            "image": it.resource.properties.get("image"),
            "availability zone": it.resource.properties.get("availability_zone"),
        }
        return f"{text} ({', '.join(f'{key} {value}' for key, value in asked.items() if value)})"

    def tag(self, it: CloudResource) -> str:
        """Return the tag of the server that says whose it is."""
        return f"hotplate-{it.resource.creation_token}"

    def now(self, it: CloudResource, step: str) -> Doing:
        """Return that a step begins."""
        return Doing(it.resource.world.now(), step)

    def wait(self, it: CloudResource, doing: Doing) -> Wait:
        """Return that a step goes on."""
        if doing.what and not doing.asked:
            return Wait(doing.as_data(), 0)  # planned, and not asked for yet
        pause = it.cloud.poller.pause(SERVERS, doing.step, doing.at)
        return Wait(doing.as_data(), pause)

    async def until_done(
        self, it: CloudResource, step: str, go_on: Callable[[Doing], Awaitable[Doing | None]]
    ) -> Result:
        """Go on with an action of one step, which says what is to be waited for, or nothing."""
        doing = Doing.from_data(it.resource.cookie) or self.now(it, step)
        following = await go_on(doing)
        if following is not None:
            return self.wait(it, following)
        it.cloud.poller.ended(SERVERS, step, doing.at)
        return await self._done(it, await self.read(it))

    async def has_vanished(self, it: CloudResource, began: Begun) -> bool:
        found = await it.cloud.poller.poll(SERVERS, it.id, began.at)
        if found is not None and found["status"] == "SOFT_DELETED":
            await act(it, "forceDelete")
        return found is None or found["status"] == "DELETED"

    async def is_gone(self, it: CloudResource, doing: Doing) -> bool:
        """Tell whether a server that Nova was asked to delete is gone. Raises ResourceFailed."""
        found = await it.cloud.poller.poll(SERVERS, it.id, doing.at)
        if found is None or found["status"] == "DELETED":
            it.cloud.poller.ended(SERVERS, doing.step, doing.at)
            return True
        if found["status"] == "SOFT_DELETED" and doing.checks == 0:
            await act(it, "forceDelete")
        elif found["status"] == "ERROR" and not task_of(found) and doing.checks > _MOST_ERRORS:
            raise ResourceFailed(failure_text(found), "ResourceInError")
        return False
