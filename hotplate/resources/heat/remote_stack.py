"""OS::Heat::Stack in another region: a stack that another server makes, asked over its API.

What was asked and what is waited for is in the cookie, so that a wait survives this process. The
stack's name holds the resource's creation token and is unique there: if the
name is taken, it is by the stack of an earlier try.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from hotplate.document import Data
from hotplate.resources.capabilities import (
    Adoptable,
    Checkable,
    ChecksCreation,
    Findable,
    SendsFiles,
    Snapshots,
    Suspendable,
)
from hotplate.resources.cookie import Cookie
from hotplate.resources.heat.stack_properties import ATTRIBUTE_KINDS, ATTRIBUTES, PROPERTIES
from hotplate.resources.regions import (
    SERVICE,
    HeatApi,
    Refused,
    Regions,
    StackState,
    UnknownRegion,
    Unreachable,
)
from hotplate.resources.resource_type import (
    Done,
    ObjectMissing,
    Resource,
    ResourceFailed,
    Result,
    Wait,
)

_NAME = "stack_name"
"""Key in the data: what the stack is called there."""

_SNAPSHOT = "snapshot_id"
_CONFLICT = 409
_FIRST = "the first one of the remote cloud"
_FIRST_PAUSE, _LONGEST_PAUSE, _GROWTH = 0.25, 5.0, 1.5
_TAKES_EFFECT = 10.0
"""Seconds after which a server has begun what it has accepted, whatever its clock shows."""


@dataclass(frozen=True, slots=True)
class _Asked(Cookie):
    """The server was asked for an action, when the stack's action and time were ``before``."""

    asked: str
    since: float
    before: list[str] | None
    pause: float = _FIRST_PAUSE
    away: float | None = None
    """Since when the server does not answer."""


@dataclass(frozen=True, slots=True)
class _Refusal(Cookie):
    """The server did not accept the stack."""

    refused: str


@dataclass(frozen=True, slots=True)
class _Away(Cookie):
    """Nothing has been asked, because the server does not answer."""

    away: float
    pause: float


def names_a_region(context: Any) -> bool:
    """Tell whether a context says that the stack is made elsewhere."""
    given = context if isinstance(context, Mapping) else {}
    return bool(given.get("region_name") or given.get("credential_secret_id"))


class RemoteStack(
    Findable, Checkable, Adoptable, Suspendable, Snapshots, SendsFiles, ChecksCreation
):
    """A stack in another region."""

    name = "OS::Heat::Stack elsewhere"
    grace_seconds = 10
    replace_when_failed = False
    properties = PROPERTIES
    attributes = ATTRIBUTES
    attribute_kinds = ATTRIBUTE_KINDS

    async def refusal(self, resource: Resource) -> str:
        regions: Regions = resource.world.service(SERVICE)
        context = resource.properties["context"] or {}
        region = context.get("region_name") or ""
        place = f"Heat endpoint at {regions.place(context)}"
        try:
            api = await _api(resource)
            await api.connect()
            if resource.properties["template"] is not None:
                await api.validate(_recipe(resource))
        except Unreachable:
            pass  # the resource will wait for the server
        except Refused as error:
            words = f'"ERROR: {error.words}"'
            return f"Failed validating stack template using {place} due to {words}"
        except UnknownRegion as error:
            if not region:
                return f'Cannot establish connection to {place} due to "{error}"'
            missing = f"public endpoint for orchestration service in {region} region not found"
            return f'Cannot establish connection to {place} due to "{missing}": {error}'
        except ResourceFailed as error:
            return f'Cannot establish connection to {place} due to "{error}"'
        return ""

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        before, after = (
            (each["context"] or {}).get("region_name") or _FIRST for each in (old, new)
        )
        return "" if before == after else f"the region changes from {before} to {after}"

    def may_exist(self, resource: Resource) -> bool:
        return _NAME in resource.data

    async def find(self, resource: Resource) -> str | None:
        try:
            return await (await _api(resource)).find(_name(resource))
        except Unreachable as error:
            raise ResourceFailed(str(error), "RemoteStackFailed") from None

    async def create(self, resource: Resource) -> Result:
        return await _Dialogue(resource, "CREATE", await _api(resource)).go_on()

    async def update(self, resource: Resource) -> Result:
        action = "CREATE" if resource.physical_id is None else "UPDATE"
        return await _Dialogue(resource, action, await _api(resource)).go_on()

    async def delete(self, resource: Resource) -> Result:
        return await _Dialogue(resource, "DELETE", await _api(resource)).go_on()

    async def adopt(self, resource: Resource) -> Result:
        return await _Dialogue(resource, "ADOPT", await _api(resource)).go_on()

    async def check(self, resource: Resource) -> Result:
        return await _Dialogue(resource, "CHECK", await _api(resource)).go_on()

    async def suspend(self, resource: Resource) -> Result:
        return await _Dialogue(resource, "SUSPEND", await _api(resource)).go_on()

    async def resume(self, resource: Resource) -> Result:
        return await _Dialogue(resource, "RESUME", await _api(resource)).go_on()

    async def snapshot(self, resource: Resource) -> Result:
        return await _Dialogue(resource, "SNAPSHOT", await _api(resource)).go_on()


class _Dialogue:
    """One action of a stack elsewhere: asked for, then watched until it has ended."""

    def __init__(self, resource: Resource, action: str, api: HeatApi) -> None:
        self._resource = resource
        self._api = api
        self._asked = _Asked.from_data(resource.cookie)
        self._away = _Away.from_data(resource.cookie)
        self._action = action if self._asked is None else self._asked.asked
        self._data = {**resource.data, _NAME: _name(resource)}

    async def go_on(self) -> Result:
        """Ask, or read how far it is. While the server does not answer, try again for a time."""
        try:
            if self._asked is not None or self._action == "ADOPT":
                result = await self._watch()
            elif self._action == "CREATE" and self._resource.physical_id is None:
                result = await self._create()
            elif self._action == "CREATE":
                result = self._wait(0)  # found by its name: it has been asked for
            else:
                result = await self._ask()
        except Unreachable as error:
            return self._try_again(error)
        return result

    async def _create(self) -> Result:
        """Ask for the stack. That it may exist is written down before, that it cannot afterwards.

        So a deletion need not search the stack of a resource that got no further than that.
        """
        name = self._data[_NAME]
        refusal = _Refusal.from_data(self._resource.cookie)
        if refusal is not None:
            raise ResourceFailed(refusal.refused, "RemoteStackFailed")
        if _NAME not in self._resource.data:
            await self._api.connect()  # without a server there is nothing to search for later
            return Wait({}, 0, data=self._data)
        try:
            stack_id = await self._api.create({"stack_name": name, **self._body()})
        except Refused as error:
            found = await self._api.find(name) if error.status == _CONFLICT else None
            if found is None:
                return Wait(_Refusal(str(error)).as_data(), 0, data={})
            stack_id = found
        return self._wait(_FIRST_PAUSE, stack_id)

    async def _ask(self) -> Result:
        name, stack_id = self._data[_NAME], self._resource.physical_id or ""
        state = await self._api.state(name, stack_id)
        if state is None or state.is_gone:
            if self._action == "DELETE":
                return Done()
            raise _missing(name)
        if self._action == "UPDATE":
            await self._api.update(name, stack_id, self._body())
        elif self._action == "DELETE":
            if not await self._api.delete(name, stack_id):
                return Done()
        elif self._action == "SNAPSHOT":
            self._data[_SNAPSHOT] = await self._api.snapshot(name, stack_id)
        else:
            await self._api.act(name, stack_id, self._action.lower())
        return self._wait(_FIRST_PAUSE, before=[state.action, state.updated])

    async def _watch(self) -> Result:
        resource = self._resource
        if self._action == "ADOPT" and _NAME not in resource.data:
            self._data[_NAME] = await self._api.name_of(resource.physical_id or "")
        state = await self._api.state(self._data[_NAME], resource.physical_id or "")
        if state is None or state.is_gone:
            if self._action == "DELETE":
                return Done()
            raise _missing(self._data[_NAME])
        if self._is_still_to_come(state) or state.status == "IN_PROGRESS":
            return self._wait(self._next_pause())
        if state.status != "COMPLETE":
            raise ResourceFailed(
                f"Went to status {state.action}_{state.status} "
                f'due to "{state.reason or "Unknown"}"',
                "ResourceInError",
            )
        return self._done(state)

    def _is_still_to_come(self, state: StackState) -> bool:
        """Tell whether the stack stands as it did before it was asked for something."""
        asked = self._asked
        if asked is None or self._action == "ADOPT":
            return False
        if state.action == self._action and [state.action, state.updated] != asked.before:
            return False
        # Somebody else may have asked for something since, or the clock there shows whole seconds.
        return self._resource.world.now() < asked.since + _TAKES_EFFECT

    def _done(self, state: StackState) -> Done:
        attributes: dict[str, Data] = {
            "stack_name": state.name,
            "outputs": dict(state.outputs),
            "show": dict(state.document),
        }
        return Done(state.id, state.id, attributes, self._data)

    def _body(self) -> dict[str, Any]:
        # A rollback of the outer stack reaches it as an update.
        body = {**_recipe(self._resource), "disable_rollback": True}
        if self._resource.properties["timeout"]:
            body["timeout_mins"] = self._resource.properties["timeout"]
        return body

    def _wait(
        self, seconds: float, physical_id: str | None = None, before: list[str] | None = None
    ) -> Wait:
        since = self._resource.world.now()
        if self._asked is not None:
            since, before = self._asked.since, self._asked.before
        asked = _Asked(self._action, since, before, max(seconds, _FIRST_PAUSE))
        return Wait(asked.as_data(), seconds, physical_id, self._data)

    def _next_pause(self) -> float:
        earlier = self._asked or self._away
        pause = _FIRST_PAUSE if earlier is None else earlier.pause
        return min(_LONGEST_PAUSE, pause * _GROWTH)

    def _try_again(self, error: Unreachable) -> Wait:
        now = self._resource.world.now()
        earlier = self._asked or self._away
        since = now if earlier is None or earlier.away is None else earlier.away
        if now - since >= self._api.patience:
            raise ResourceFailed(str(error), "RemoteStackFailed")
        pause = self._next_pause()
        if self._asked is not None:
            return Wait(replace(self._asked, away=since, pause=pause).as_data(), pause)
        return Wait(_Away(since, pause).as_data(), pause)


def _recipe(resource: Resource) -> dict[str, Any]:
    """Return what the stack is made of, as it is sent."""
    return {
        "template": resource.properties["template"],
        "parameters": resource.properties["parameters"] or {},
        "files": dict(resource.files),
        "environment": dict(resource.environment),
    }


async def _api(resource: Resource) -> HeatApi:
    regions: Regions = resource.world.service(SERVICE)
    context = resource.properties["context"] or {}
    return await regions.api(resource.world, resource.project, context)


def _name(resource: Resource) -> str:
    """Return what the stack is called there: the physical name, in the letters that Heat takes."""
    known = resource.data.get(_NAME)
    if known:
        return str(known)
    name = re.sub(r"[^A-Za-z0-9_.-]", "_", resource.physical_name)
    return name if name[0].isalpha() else f"s{name}"[:255]


def _missing(name: str) -> ResourceFailed:
    return ObjectMissing(f"the stack {name} is gone from its region")
