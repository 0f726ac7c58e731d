"""OS::Mistral::ExternalResource: an object whose actions are workflows.

Each action is one execution. Its id is drawn and stored first; then it is started, as often as it
takes, for the same id twice is one execution; then it is polled until it has ended. Whatever
process goes on with it, there is no second one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final
from uuid import UUID

from hotplate.document import same
from hotplate.resources.capabilities import (
    Adoptable,
    AlwaysUpdated,
    Findable,
    StopsWork,
    Suspendable,
)
from hotplate.resources.cookie import Cookie
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import (
    Creation,
    Done,
    Resource,
    ResourceFailed,
    Result,
    Wait,
)
from hotplate.resources.support import Support
from hotplate.workflow.drivers.driver import (
    SERVICE,
    Execution,
    ExecutionState,
    Refused,
    Start,
    Unreachable,
    WorkflowService,
)

ACTIONS: Final = ("CREATE", "UPDATE", "SUSPEND", "RESUME", "DELETE")
DATA: Final = "heat_extresource_data"
"""Under this key of the environment a workflow finds what earlier ones have put out."""

_LONGEST_ID: Final = 255
_FIRST_POLL: Final = 0.1
_LONGEST_POLL: Final = 5.0
_PATIENCE: Final = 3600.0
"""Seconds without an answer of the workflow service after which an action fails."""

_PATIENCE_TO_STOP: Final = 60.0

_WORKFLOW: Final = Property(
    PropertyKind.MAP,
    schema={
        "workflow": Property(required=True, description="name or id of the workflow"),
        "params": Property(
            PropertyKind.MAP,
            default={},
            description="parameters of the execution; which there are depends on the workflow",
        ),
    },
)


@dataclass(frozen=True, slots=True)
class _Begun(Cookie):
    """The execution of an action."""

    id: str
    action: str
    since: float
    """When the workflow service last answered."""

    looks: int
    is_started: bool | None = None
    stopping: float | None = None
    """Since when it is being cancelled."""


@dataclass(frozen=True, slots=True)
class _Stopping(Cookie):
    """An execution that an earlier action has left running is being cancelled."""

    id: str
    stopping: float | None = None


@dataclass(frozen=True, slots=True)
class _Failed(Cookie):
    """The execution of an action has failed, and what it has put out is stored."""

    failure: str
    action: str


class ExternalResource(Findable, Adoptable, Suspendable, StopsWork, AlwaysUpdated):
    """An object of any kind, made, changed and deleted by workflows."""

    name = "OS::Mistral::ExternalResource"
    support = Support(version="9.0.0")
    # Nothing is started before its id has been stored.
    creation = Creation.REPEATABLE
    properties: ClassVar[Mapping[str, Property]] = {
        "actions": Property(
            PropertyKind.MAP,
            required=True,
            updatable=True,
            schema=dict.fromkeys(ACTIONS, _WORKFLOW),
            description="the workflow of each action; one that has none succeeds at once",
        ),
        "input": Property(
            PropertyKind.MAP,
            default={},
            updatable=True,
            description="values for the inputs of the workflows",
        ),
        "description": Property(
            default="Heat managed", updatable=True, description="of the executions"
        ),
        "replace_on_change_inputs": Property(
            PropertyKind.LIST,
            default=[],
            updatable=True,
            items=Property(),
            description="inputs of which a change makes a new object",
        ),
        "always_update": Property(
            PropertyKind.BOOLEAN,
            default=False,
            updatable=True,
            description="whether every update of the stack runs the UPDATE workflow",
        ),
    }
    attributes = {"output": "what the workflows have put out so far"}
    attribute_kinds = {"output": PropertyKind.MAP}

    def always_updates(self, properties: Mapping[str, Any]) -> bool:
        return bool(properties["always_update"])

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        before, after = old["input"], new["input"]
        changed = [
            name
            for name in new["replace_on_change_inputs"]
            if (name in before) != (name in after) or not same(before.get(name), after.get(name))
        ]
        return f"the input {', '.join(changed)} has changed" if changed else ""

    async def create(self, resource: Resource) -> Result:
        return await self._acted(resource, "CREATE")

    async def update(self, resource: Resource) -> Result:
        properties, old = resource.properties, resource.old_properties
        is_same = bool(old) and same(old["input"], properties["input"])
        if resource.cookie is None and is_same and not properties["always_update"]:
            return Done()  # only the workflows themselves have changed, and they run when due
        return await self._acted(resource, "UPDATE")

    async def suspend(self, resource: Resource) -> Result:
        return await self._acted(resource, "SUSPEND")

    async def resume(self, resource: Resource) -> Result:
        return await self._acted(resource, "RESUME")

    async def delete(self, resource: Resource) -> Result:
        if _action(resource) != "DELETE":
            left = resource.data.pop("execution", None)
            if left:
                end = await self._stopped(resource, _left(resource, left))
                if isinstance(end, Wait):
                    return end
                resource.data["outputs"] = {**_outputs(resource), **_output(end)}
        return await self._acted(resource, "DELETE")

    async def find(self, resource: Resource) -> str | None:
        """Return the id of a creation that was started and has not come to its end."""
        started = resource.data.get("execution")
        if not started:
            return None
        found = await _ask(resource, _service(resource).show(resource.project, started))
        return started if found is not None else None

    async def adopt(self, resource: Resource) -> Result:
        outputs = dict(resource.data.get("outputs") or {})
        return Done(attributes={"output": outputs}, data={"outputs": outputs})

    async def _acted(self, resource: Resource, action: str) -> Result:
        """Go on with the execution of an action: draw its id, start it, poll it."""
        failed = _Failed.from_data(resource.cookie)
        if failed is not None:
            raise ResourceFailed(failed.failure, "Error")
        begun = _Begun.from_data(resource.cookie)
        if begun is None or begun.action != action:
            waits = await self._without_left(resource)
            if waits is not None:
                return waits
            if resource.properties["actions"] is None or not _workflow(resource, action):
                return _ended(resource, action, dict(_outputs(resource)), "")
            drawn = str(UUID(int=resource.world.random.getrandbits(128), version=4))
            data = {**resource.data, "execution": drawn}
            begun = _Begun(drawn, action, resource.world.now(), looks=0)
            return Wait(begun.as_data(), 0, data=data)
        if not resource.is_wanted or begun.stopping:
            end = await self._stopped(resource, begun)
            if isinstance(end, Wait):
                return end
            if end is None:
                raise ResourceFailed(f"the {action} workflow was not started any more", "Error")
        try:
            execution = await self._execution(resource, begun)
        except Unreachable as error:
            return _later(resource, begun, str(error))
        except Refused as error:
            raise ResourceFailed(str(error), "Error") from None
        if execution is None:
            raise ResourceFailed(
                f"the execution {begun.id} of the {action} workflow is gone; somebody has "
                "deleted it, and how it ended is unknown",
                "Error",
            )
        return self._progress(resource, replace(begun, is_started=True), execution)

    async def _without_left(self, resource: Resource) -> Wait | None:
        """Stop what an earlier action that was given up has left running; None once it is over."""
        left = resource.data.get("execution")
        end = None
        if left:
            end = await self._stopped(resource, _left(resource, left))
        return end if isinstance(end, Wait) else None

    async def _execution(self, resource: Resource, begun: _Begun) -> Execution | None:
        service, project = _service(resource), resource.project
        if begun.is_started:
            return await service.show(project, begun.id)
        request = Start(
            id=begun.id,
            workflow=_workflow(resource, begun.action)["workflow"],
            input=resource.properties["input"] or {},
            params=await self._params(resource, begun.action),
            description=resource.properties["description"],
            secrets=resource.secrets,
        )
        return await service.start(project, request)

    async def _params(self, resource: Resource, action: str) -> dict[str, Any]:
        """Return the parameters, with what earlier workflows have put out in the environment."""
        params = dict(_workflow(resource, action).get("params") or {})
        if action == "CREATE":
            return params
        given = params.get("env") or {}
        if isinstance(given, str):
            found = await _service(resource).environment(resource.project, given)
            if found is None:
                raise Refused(f"there is no environment {given}, which the params name")
            given = found
        if not isinstance(given, Mapping):
            raise Refused("env in the params must be a map, or the name of a stored environment")
        return {**params, "env": {**given, DATA: dict(_outputs(resource))}}

    def _progress(self, resource: Resource, begun: _Begun, execution: Execution) -> Result:
        action = begun.action
        if not execution.state.is_final:
            reason = None
            if execution.state is ExecutionState.PAUSED:
                reason = (
                    f"the execution {execution.id} of the {action} workflow is PAUSED; "
                    "it goes on when somebody resumes it"
                )
            looks = begun.looks + 1
            seconds = min(_FIRST_POLL * 1.3 ** min(looks, 30), _LONGEST_POLL)
            begun = replace(begun, looks=looks, since=resource.world.now())
            return Wait(begun.as_data(), seconds, reason=reason or "state changed")
        outputs = {**_outputs(resource), **_output(execution)}
        if execution.state is ExecutionState.SUCCESS:
            return _ended(resource, action, outputs, execution.id)
        has_failed = execution.state is ExecutionState.ERROR
        ended = "failed" if has_failed else f"ended in {execution.state}"
        failure = f"the {action} workflow {execution.workflow_name} {ended}"
        if execution.state_info:
            failure = f"{failure}: {execution.state_info}"
        # What it has put out is stored first: the clean-up needs it.
        data = {name: value for name, value in resource.data.items() if name != "execution"}
        data["outputs"] = outputs
        physical_id = _physical_id(outputs) or resource.physical_id or execution.id
        return Wait(_Failed(failure, action).as_data(), 0, physical_id, data)

    async def _stopped(
        self, resource: Resource, cookie: _Begun | _Stopping
    ) -> Wait | Execution | None:
        """Bring an execution to its end; return it then, None if there is none, before a wait."""
        service, project, now = _service(resource), resource.project, resource.world.now()
        since = cookie.stopping or now
        try:
            execution = await service.show(project, cookie.id)
            if execution is None or execution.state.is_final:
                return execution
            await service.cancel(project, cookie.id, "nobody waits for it any more")
        except Refused as error:
            raise ResourceFailed(f"the execution cannot be stopped: {error}", "Error") from None
        except Unreachable as error:
            if now - since > _PATIENCE_TO_STOP:
                raise ResourceFailed(
                    f"the execution {cookie.id} may still be running: {error}", "Error"
                ) from None
        stopping = replace(cookie, stopping=since)
        return Wait(stopping.as_data(), 0.5, reason="the execution is being cancelled")


def _action(resource: Resource) -> str:
    """Return the action that the resource waits for; empty if there is none."""
    cookie = _Begun.from_data(resource.cookie) or _Failed.from_data(resource.cookie)
    return "" if cookie is None else cookie.action


def _left(resource: Resource, execution: str) -> _Stopping:
    """Return how far it is to stop an execution that an earlier action has left running."""
    return _Stopping.from_data(resource.cookie) or _Stopping(execution)


def _service(resource: Resource) -> WorkflowService:
    found: WorkflowService = resource.world.service(SERVICE)
    return found


def _workflow(resource: Resource, action: str) -> dict[str, Any]:
    """Return the workflow of an action and its parameters; an empty map if there is none."""
    return (resource.properties["actions"] or {}).get(action) or {}


def _outputs(resource: Resource) -> Mapping[str, Any]:
    return resource.data.get("outputs") or {}


def _output(execution: Execution | None) -> dict[str, Any]:
    """Return what an execution has put out, without the reason of its failure."""
    if execution is None:
        return {}
    output = dict(execution.output)
    if execution.state is not ExecutionState.SUCCESS:
        output.pop("result", None)
    return output


def _physical_id(outputs: Mapping[str, Any]) -> str | None:
    found = outputs.get("resource_id")
    return None if found is None or found == "" else str(found)[:_LONGEST_ID]


def _ended(resource: Resource, action: str, outputs: dict[str, Any], execution: str) -> Done:
    data = {name: value for name, value in resource.data.items() if name != "execution"}
    physical_id = (
        _physical_id(outputs) or resource.physical_id or execution or resource.creation_token
    )
    return Done(physical_id, None, {"output": outputs}, {**data, "outputs": outputs})


def _later(resource: Resource, begun: _Begun, reason: str) -> Wait:
    """Return that it is to be tried again while the workflow service cannot be reached."""
    now = resource.world.now()
    if now - begun.since > _PATIENCE:
        raise ResourceFailed(f"{reason}; it has been tried for an hour", "Error")
    seconds = min(max(0.5, (now - begun.since) / 4), 10.0)
    return Wait(begun.as_data(), seconds, reason=f"{reason}; it is tried again")


async def _ask(resource: Resource, question: Any) -> Any:
    try:
        return await question
    except (Refused, Unreachable) as error:
        raise ResourceFailed(str(error), "Error") from None
