"""The changes of a server that take time: each is asked for, then waited for."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from hotplate.cloud import CloudError, Conflict
from hotplate.cloud.names import FLAVOR
from hotplate.cloud.polling import SERVERS
from hotplate.resources.cookie import Cookie
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.resource_type import ObjectMissing, ResourceFailed

Object = Mapping[str, Any]
_TASK: Final = "OS-EXT-STS:task_state"


@dataclass(frozen=True, slots=True)
class Doing(Cookie):
    """A change that goes on: since when, how often it was looked at, and who knows of it.

    ``asked`` has the ids of the requests to Nova once they are made, or of the image that it makes,
    ``what`` the paths of what is to be detached.
    """

    at: float
    step: str
    checks: int = 0
    asked: str = ""
    is_confirmed: bool = False
    what: str = ""

    def again(self) -> "Doing":
        """Return that it has been looked at once more."""
        return replace(self, checks=self.checks + 1)


async def seen(it: CloudResource, doing: Doing) -> Object:
    """Return the server as it is now. Raises ObjectMissing."""
    found = await it.cloud.poller.poll(SERVERS, it.id, doing.at)
    if found is None or found["status"] in ("DELETED", "SOFT_DELETED"):
        raise ObjectMissing(f"the server {it.id} does not exist any more")
    return found


def task_of(found: Object) -> str:
    """Return what Nova is doing with a server, nothing if it is at rest."""
    return str(found.get(_TASK) or "")


def failure_text(found: Object) -> str:
    """Return why a server is in error, in Nova's own words."""
    fault = found.get("fault")
    if not isinstance(fault, Mapping):
        return f"the server {found['id']} is in status {found['status']}"
    return f"Message: {fault.get('message')}, Code: {fault.get('code')}"


async def act(it: CloudResource, action: str, arguments: Any = None) -> str:
    """Ask Nova for an action on the server; return the id of the request."""
    path = f"/servers/{it.quoted_id}/action"
    return (await it.service.call("POST", path, {action: arguments})).request_id


async def why(it: CloudResource, request: str, action: str) -> str:
    """Return why Nova gave up an action, in its own words; nothing if it did not."""
    path = f"/servers/{it.quoted_id}/os-instance-actions"
    try:
        found: Object = (await it.service.get(f"{path}/{request}"))["instanceAction"]
    except CloudError:
        return ""
    failed = [each for each in found.get("events") or () if each.get("result") == "Error"]
    if not failed and found.get("message") != "Error":
        return ""
    details = [str(each["details"]) for each in failed if each.get("details")]
    words = details[-1] if details else str(found.get("message") or "no reason is told")
    preposition = "" if action.endswith(" from") else " of"
    return f"{action}{preposition} the server {it.id} failed: {words} (request {request})"


async def resized(it: CloudResource, doing: Doing) -> Doing | None:
    """Go on with a resize; return None once the server has the flavor that is wanted."""
    found = await seen(it, doing)
    status, task = found["status"], task_of(found)
    if status == "ERROR" and doing.asked:
        raise ResourceFailed(failure_text(found), "ResourceInError")
    if status == "VERIFY_RESIZE" and not task:
        if not doing.is_confirmed:
            await _confirm(it)
        return replace(doing.again(), is_confirmed=True)
    if status in ("RESIZE", "VERIFY_RESIZE") or task:
        return doing.again()
    if await _has_flavor(it, found):
        return None
    if not doing.asked:
        request = await act(it, "resize", {"flavorRef": it.properties["flavor"]})
        return Doing(it.resource.world.now(), doing.step, asked=request)
    # Nova leaves a server as it was if it finds no place for it.
    words = await why(it, doing.asked, "resize")
    if not words and doing.checks < _MOST_CHECKS:
        return doing.again()
    raise ResourceFailed(words or f"resize of the server {it.id} did not change its flavor")


_MOST_CHECKS: Final = 5
"""How often it is looked for the reason of a resize that was given up."""


async def _confirm(it: CloudResource) -> None:
    try:
        await act(it, "confirmResize")
    except Conflict:
        return  # it is confirmed already, by an earlier try or by Nova itself


async def _has_flavor(it: CloudResource, found: Object) -> bool:
    flavor: Object = found["flavor"]
    if "original_name" not in flavor:
        return bool(flavor.get("id") == it.properties["flavor"])
    wanted = await it.cloud.names.find(FLAVOR, it.properties["flavor"])
    return bool(flavor["original_name"] == wanted["name"])


async def rebuilt(
    it: CloudResource, doing: Doing, body: Object, *, is_needed: bool
) -> Doing | None:
    """Go on with a rebuild; return None once it has ended.

    Unless it ``is_needed`` anyway, a server that has the image already is left as it is.
    """
    found = await seen(it, doing)
    if found["status"] == "REBUILD" or task_of(found).startswith("rebuild"):
        return doing.again() if doing.asked else replace(doing.again(), asked="unknown")
    if not doing.asked:
        image = found.get("image")
        if not is_needed and isinstance(image, Mapping) and image["id"] == body["imageRef"]:
            return None
        request = await act(it, "rebuild", dict(body))
        return Doing(it.resource.world.now(), doing.step, asked=request)
    if found["status"] == "ERROR":
        raise ResourceFailed(failure_text(found), "ResourceInError")
    words = await why(it, doing.asked, "rebuild")
    if words:
        raise ResourceFailed(words)
    return None


async def reached(it: CloudResource, doing: Doing, action: str, status: str) -> Doing | None:
    """Go on with suspending or resuming; return None once the server is in that status."""
    found = await seen(it, doing)
    if found["status"] == status:
        return None
    if found["status"] == "ERROR":
        raise ResourceFailed(failure_text(found), "ResourceInError")
    if task_of(found):
        return doing.again()
    if not doing.asked:
        request = await act(it, action)
        return Doing(it.resource.world.now(), doing.step, asked=request)
    words = await why(it, doing.asked, action)
    if words:
        raise ResourceFailed(words)
    return doing.again()
