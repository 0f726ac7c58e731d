"""OS::Mistral::Workflow: a workflow that a template writes down; a signal runs it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Final

import yaml

from hotplate.document import InvalidDocument, parse
from hotplate.resources.capabilities import ActsOnSignals, Findable
from hotplate.resources.heat.wait_condition_handle import key_of, timestamp
from hotplate.resources.mistral.reserved_name import ReservedName
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import (
    BadSignal,
    Creation,
    Done,
    Resource,
    ResourceFailed,
    Result,
    Wait,
)
from hotplate.resources.signals import addresses_of
from hotplate.resources.support import Support
from hotplate.template.constraint import AllowedValues
from hotplate.workflow.drivers.driver import (
    SERVICE,
    Execution,
    Refused,
    Start,
    Unreachable,
    WorkflowService,
)

_MOST_EXECUTIONS: Final = 100
"""Executions that are remembered of a workflow."""

_ANY, _LIST, _MAP = PropertyKind.ANY, PropertyKind.LIST, PropertyKind.MAP
_INTEGER, _BOOLEAN = PropertyKind.INTEGER, PropertyKind.BOOLEAN

_POLICIES: Final[Mapping[str, Property]] = {
    "on_success": Property(_LIST, description="tasks to run after success"),
    "on_error": Property(_LIST, description="tasks to run after a failure"),
    "on_complete": Property(_LIST, description="tasks to run after any end"),
    "requires": Property(_LIST, description="tasks to run before; in reverse workflows only"),
    "retry": Property(_MAP, description="how often, and how long to wait in between"),
    "wait_before": Property(_INTEGER, description="seconds to wait before it begins"),
    "wait_after": Property(_INTEGER, description="seconds to wait after its end"),
    "pause_before": Property(_BOOLEAN, description="whether to pause the workflow before it"),
    "timeout": Property(_INTEGER, description="seconds after which it has failed"),
    "concurrency": Property(_INTEGER, description="items that are worked on at once"),
    "safe_rerun": Property(_BOOLEAN, description="whether it may be run again after a crash"),
    "fail_on": Property(_ANY, description="an expression; if it is true, the task has failed"),
}
_TASK: Final = Property(
    _MAP,
    schema={
        "name": Property(required=True, description="of the task"),
        "description": Property(description="of the task"),
        "input": Property(_MAP, description="for the action or workflow"),
        "action": Property(description="the action to call"),
        "workflow": Property(description="the workflow to run"),
        "publish": Property(_MAP, description="variables to set after success"),
        "publish_on_error": Property(_MAP, description="variables to set after a failure"),
        **_POLICIES,
        "with_items": Property(_ANY, description="lists to run it for each item of"),
        "keep_result": Property(_BOOLEAN, description="whether to keep what it returned"),
        "target": Property(description="the executor to run it"),
        "join": Property(description="how many of the tasks before it to wait for"),
    },
)


class Workflow(Findable, ActsOnSignals):
    """A workflow in the Mistral v2 language."""

    name = "OS::Mistral::Workflow"
    support = Support(version="2015.1")
    creation = Creation.REPEATABLE
    properties: ClassVar[Mapping[str, Property]] = {
        "name": Property(description="of the workflow"),
        "type": Property(
            updatable=True,
            constraints=(AllowedValues(("direct", "reverse")),),
            description="the order of tasks: by what follows, or by what is required",
        ),
        "use_request_body_as_input": Property(
            _BOOLEAN, updatable=True, description="whether all of a signal is the input"
        ),
        "tags": Property(_LIST, updatable=True, description="of the workflow"),
        "description": Property(updatable=True, description="of the workflow"),
        "input": Property(
            _MAP, updatable=True, description="names of inputs with defaults; null has none"
        ),
        "output": Property(_MAP, updatable=True, description="what it puts out"),
        "output_on_error": Property(_MAP, updatable=True, description="what it puts out failing"),
        "vars": Property(_MAP, updatable=True, description="variables that it begins with"),
        "params": Property(_MAP, updatable=True, description="parameters of its executions"),
        "task_defaults": Property(
            _MAP, updatable=True, schema=_POLICIES, description="what holds for all tasks"
        ),
        "tasks": Property(_LIST, updatable=True, items=_TASK, description="what it does"),
        "definition": Property(
            updatable=True, description="the whole workflow as text, in place of the others"
        ),
    }
    attributes = {
        "data": "the name of the workflow and its inputs",
        "alarm_url": "where a signal runs the workflow; the address carries its own proof",
        "executions": "the executions that signals have started",
    }
    secret_attributes = frozenset(("alarm_url",))
    growing = {"executions": _MOST_EXECUTIONS}
    attribute_kinds = {"data": _MAP, "alarm_url": PropertyKind.STRING, "executions": _LIST}

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        written = properties["definition"]
        if written is not None:
            others = ("name", "type", "tasks", "task_defaults", "output", "output_on_error", "vars")
            extra = [name for name in others if properties[name] is not None]
            if extra:
                return f"the definition says everything; leave out {', '.join(extra)}"
            try:
                _name_in(written)
            except ValueError as error:
                return str(error)
            return ""
        if not properties["tasks"] or properties["type"] is None:
            return "a workflow needs type and tasks, or a definition"
        return _faults_of_tasks(properties)

    def replacement_reason(self, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
        before, after = old["definition"], new["definition"]
        if (before is None) != (after is None):
            return "the workflow gets another name"
        if before is not None and after is not None and _name_in(before) != _name_in(after):
            return "the definition has another name"
        return ""

    async def create(self, resource: Resource) -> Result:
        name = _name(resource)
        service = _service(resource)
        try:
            found = await service.find_workflow(resource.project, name)
            if ReservedName.from_data(resource.cookie) is None:
                if found is not None:
                    raise ResourceFailed(f"there is a workflow {name} already", "Conflict")
                data = {**resource.data, "key": key_of(resource)}
                return Wait(ReservedName(name).as_data(), 0, data=data)
            if found is None:
                await service.create_workflow(resource.project, _definition(resource))
        except Unreachable as error:
            return Wait(resource.cookie, 2, reason=f"{error}; it is tried again")
        except Refused as error:
            raise ResourceFailed(str(error), "Error") from None
        return Done(name, name, self._attributes(resource, name, []))

    async def update(self, resource: Resource) -> Result:
        service, written = _service(resource), _definition(resource)
        try:
            # Reading a definition takes a busy Mistral longer than a call may take here.
            found = None
            if resource.cookie is not None:
                found = await service.find_workflow(resource.project, str(resource.physical_id))
            if found is None or found.definition.strip() != written.strip():
                await service.update_workflow(resource.project, written)
        except Unreachable as error:
            return Wait({}, 2, reason=f"{error}; it is tried again")
        except Refused as error:
            raise ResourceFailed(str(error), "Error") from None
        known = resource.data.get("executions", [])
        return Done(attributes=self._attributes(resource, str(resource.physical_id), known))

    async def delete(self, resource: Resource) -> Result:
        service, project = _service(resource), resource.project
        try:
            for each in resource.data.get("executions", []):
                await service.cancel(project, each["id"], "its workflow is deleted")
                await service.delete_execution(project, each["id"])
            await service.delete_workflow(project, str(resource.physical_id))
        except Unreachable as error:
            return Wait({}, 2, reason=f"{error}; it is tried again")
        except Refused as error:
            raise ResourceFailed(str(error), "Error") from None
        return Done()

    async def find(self, resource: Resource) -> str | None:
        if "key" not in resource.data:
            return None  # it was not even begun
        try:
            found = await _service(resource).find_workflow(resource.project, _name(resource))
        except (Refused, Unreachable) as error:
            raise ResourceFailed(str(error), "Error") from None
        return None if found is None else found.name

    async def signalled(
        self, resource: Resource, details: Mapping[str, Any], signal_token: str
    ) -> Mapping[str, Sequence[Any]]:
        """Run the workflow: with the input and params of the signal, or with all of it."""
        properties = resource.properties
        given: Any
        params: Any
        if properties["use_request_body_as_input"]:
            given, params = details, None
        else:
            given, params = details.get("input") or {}, details.get("params")
        params = params or {}
        if not isinstance(given, Mapping) or not isinstance(params, Mapping):
            raise BadSignal("input and params must be maps")
        known = properties["input"] or {}
        if properties["definition"] is None:
            for name in given:
                if name not in known:
                    raise BadSignal(f"Unknown input {name}")
        values = {name: value for name, value in known.items() if value is not None}
        request = Start(
            signal_token,
            str(resource.physical_id),
            {**values, **given},
            {**(properties["params"] or {}), **params},
            f"signal to {resource.stack_name}/{resource.name}",
            resource.secrets,
        )
        try:
            started = await _service(resource).start(resource.project, request)
        except (Refused, Unreachable) as error:
            raise BadSignal(str(error)) from None
        return {"executions": [_shown(started)]}

    def _attributes(self, resource: Resource, name: str, known: list[Any]) -> dict[str, Any]:
        address = addresses_of(resource).signed(
            resource, key_of(resource), "signal", timestamp(resource)
        )
        data = {"name": name, "input": resource.properties["input"] or {}}
        return {"data": data, "alarm_url": address, "executions": known}


def _service(resource: Resource) -> WorkflowService:
    found: WorkflowService = resource.world.service(SERVICE)
    return found


def _name(resource: Resource) -> str:
    written = resource.properties["definition"]
    if written is not None:
        return _name_in(written)
    return resource.properties["name"] or resource.physical_name


def _name_in(text: str) -> str:
    """Return the name of the one workflow in a definition. Raises ValueError."""
    try:
        data = parse(text, "definition").data
    except InvalidDocument as error:
        raise ValueError(f"the definition cannot be read: {error}") from None
    names = [name for name in data if name != "version"] if isinstance(data, dict) else []
    if len(names) != 1:
        raise ValueError("the definition must be that of one workflow")
    return str(names[0])


def _faults_of_tasks(properties: Mapping[str, Any]) -> str:
    params = properties["params"] or {}
    if properties["type"] == "reverse" and not params.get("task_name"):
        return "a reverse workflow needs the name of a task: params: {task_name: ...}"
    for task in properties["tasks"]:
        if properties["type"] == "direct" and task["requires"]:
            return f"the task {task['name']} has requires, which direct workflows do not know"
        if task["action"] and task["workflow"]:
            return f"the task {task['name']} has both an action and a workflow; give it one"
    return ""


def _definition(resource: Resource) -> str:
    """Return the workflow as text."""
    properties = resource.properties
    if properties["definition"] is not None:
        return str(properties["definition"])
    body = {
        "type": properties["type"],
        "description": properties["description"],
        "tags": properties["tags"],
        "input": [
            name if default is None else {name: default}
            for name, default in (properties["input"] or {}).items()
        ],
        "vars": properties["vars"],
        "output": properties["output"],
        "output-on-error": properties["output_on_error"],
        "task-defaults": _dashed(properties["task_defaults"] or {}),
        "tasks": {task["name"]: _task(task) for task in properties["tasks"]},
    }
    written = {key: value for key, value in body.items() if value not in (None, {}, [])}
    document = {"version": "2.0", _name(resource): written}
    return str(yaml.safe_dump(document, sort_keys=False, allow_unicode=True))


def _task(task: Mapping[str, Any]) -> dict[str, Any]:
    written = _dashed({name: value for name, value in task.items() if name != "name"})
    join = written.get("join")
    if isinstance(join, str) and join.isdecimal():
        written["join"] = int(join)  # a text is refused by Mistral
    return written


def _dashed(values: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name.replace("_", "-"): value for name, value in values.items() if value not in (None, {})
    }


def _shown(execution: Execution) -> dict[str, Any]:
    return {
        "id": execution.id,
        "workflow_name": execution.workflow_name,
        "created_at": execution.created_at,
        "updated_at": execution.updated_at,
        "state": execution.state.value,
        "input": dict(execution.input),
    }
