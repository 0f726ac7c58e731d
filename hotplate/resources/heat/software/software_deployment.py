"""OS::Heat::SoftwareDeployment: a config on a server, and what the server reports of it.

Each action that a deployment runs for is a run of its own, in three steps. First the id of the
run's config is drawn, with the key of the signed address, and both are stored. Then the server is
let see it, in one transaction that a second try leaves alone. Then the resource sleeps until the
row of the deployment says how it went: the server's report, by signal or over the API, changes
that row and wakes it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, ClassVar, Protocol
from uuid import UUID

from hotplate.document import Data, Path, same
from hotplate.model import SoftwareConfig, SoftwareDeployment
from hotplate.resources.capabilities import (
    ITSELF,
    Adoptable,
    ChecksReplacement,
    DeploysSoftware,
    Listens,
    Showable,
    Suspendable,
)
from hotplate.resources.cookie import Cookie
from hotplate.resources.heat.wait_condition_handle import drawn_key
from hotplate.resources.property import BadProperty, Property, PropertyKind
from hotplate.resources.resource_type import (
    BadSignal,
    Creation,
    Done,
    ObjectMissing,
    Resource,
    ResourceFailed,
    Result,
    Wait,
)
from hotplate.resources.signals import addresses_of
from hotplate.resources.support import Support
from hotplate.software import (
    FAILED,
    IN_PROGRESS,
    REPORTED,
    ConfigDraft,
    InputMissing,
    Run,
    Signal,
    Unfit,
    check_depth,
    deploy_inputs,
    derive,
    filled,
)
from hotplate.template.constraint import AllowedValues

SERVICE = "software"
ACTIONS = ("CREATE", "UPDATE", "DELETE", "SUSPEND", "RESUME")
TRANSPORTS = ("CFN_SIGNAL", "TEMP_URL_SIGNAL", "HEAT_SIGNAL", "NO_SIGNAL", "ZAQAR_SIGNAL")
_ELSEWHERE = ("TEMP_URL_SIGNAL", "ZAQAR_SIGNAL")
_COMPONENT = "component"
_LONGEST = 255


class _Transport(Property):
    """Refuses what needs a cloud, as early as the value is known."""

    __slots__ = ()

    def convert(self, value: Data, path: Path = ()) -> Data:
        converted = super().convert(value, path)
        if converted in _ELSEWHERE:
            text = f"{converted} needs a service that is not here"
            raise BadProperty(text, path, "use CFN_SIGNAL or HEAT_SIGNAL, which need none")
        return converted


CONFIG = Property(updatable=True, description="the config to deploy")
INPUT_VALUES = Property(
    PropertyKind.MAP, updatable=True, secret=True, description="values for its inputs"
)
DEPLOY_ACTIONS = Property(
    PropertyKind.LIST,
    default=["CREATE", "UPDATE"],
    updatable=True,
    constraints=(AllowedValues(ACTIONS),),
    description="the actions of the stack that it runs for",
)
NAME = Property(updatable=True, description="the name of the derived config")
SIGNAL_TRANSPORT = _Transport(
    default="CFN_SIGNAL",
    constraints=(AllowedValues(TRANSPORTS),),
    description="how the server reports back",
)
INPUT_KEY = Property(default="get_input", description="the key of a map that asks for an input")
INPUT_VALUES_VALIDATE = Property(
    default="LAX",
    constraints=(AllowedValues(("LAX", "STRICT")),),
    description="whether an input that is asked for and not there is an error",
)


class Deployments(Protocol):
    """Where configs and deployments are kept."""

    async def find_config(self, project: str, config_id: str) -> SoftwareConfig | None:
        """Return a config, None if there is none."""

    async def find_deployment(self, project: str, deployment_id: str) -> SoftwareDeployment | None:
        """Return a deployment, None if there is none."""

    async def deploy(self, project: str, run: Run) -> None:
        """Let a server see what it is to do. Doing it again for the same run changes nothing."""

    async def undeploy(self, project: str, deployment_id: str, configs: Sequence[str]) -> None:
        """Remove a deployment, and those of its configs that nothing else refers to."""


@dataclass(frozen=True, slots=True)
class _Begun(Cookie):
    """A run for an action. ``is_new``: the server does not see it yet."""

    run: str
    is_new: bool


class Deployment(DeploysSoftware, Listens, Showable, Adoptable, Suspendable, ChecksReplacement):
    """What both sorts of deployments have in common."""

    support = Support(version="2014.1")
    # Nothing is made before the id of what is made has been stored.
    creation = Creation.REPEATABLE
    irrecoverable = "the configs that were made for it and the key by which its server reports"
    empty: ClassVar[Any] = ""
    """What is deployed if there is no config."""

    attributes = {
        "deploy_stdout": "what it wrote to its standard output",
        "deploy_stderr": "what it wrote to its standard error",
        "deploy_status_code": "the status code that it ended with",
    }
    attribute_kinds = {
        "deploy_stdout": PropertyKind.STRING,
        "deploy_stderr": PropertyKind.STRING,
        "deploy_status_code": PropertyKind.STRING,
    }

    def has_attribute(self, name: str) -> bool:
        return True  # the outputs of a config that may be known only later

    def listens_to(self, properties: Mapping[str, Any]) -> str:
        return ITSELF

    def received(
        self, details: Mapping[str, Any], earlier: Sequence[Mapping[str, Any]]
    ) -> dict[str, Any]:
        try:
            check_depth("signal", details)
        except Unfit as error:
            raise BadSignal(str(error)) from None
        return dict(details)

    async def create(self, resource: Resource) -> Result:
        return await self._acted(resource, "CREATE")

    async def update(self, resource: Resource) -> Result:
        return await self._acted(resource, "UPDATE")

    async def suspend(self, resource: Resource) -> Result:
        return await self._acted(resource, "SUSPEND")

    async def resume(self, resource: Resource) -> Result:
        return await self._acted(resource, "RESUME")

    async def adopt(self, resource: Resource) -> Result:
        deployment_id = _id_of(resource)
        found = await _deployments(resource).find_deployment(resource.project, deployment_id)
        attributes = None if found is None else await _attributes(resource, found)
        return Done(deployment_id, deployment_id, attributes)

    async def show(self, resource: Resource) -> Done:
        deployment_id = _id_of(resource)
        found = await _deployments(resource).find_deployment(resource.project, deployment_id)
        if found is None:
            raise ObjectMissing(f"there is no software deployment {deployment_id}")
        return Done(deployment_id, deployment_id, await _attributes(resource, found))

    async def delete(self, resource: Resource) -> Result:
        try:
            result = await self._acted(resource, "DELETE")
        except _Deleted:
            result = Done()
        if isinstance(result, Wait):
            return result
        configs = _left_behind(resource)
        await _deployments(resource).undeploy(resource.project, _id_of(resource), configs)
        return Done()

    async def must_replace(self, resource: Resource) -> str:
        derived = resource.data.get("derived")
        deployments = _deployments(resource)
        if not isinstance(derived, str):
            return ""
        old = await deployments.find_config(resource.project, derived)
        if old is None:
            return ""
        values = resource.properties["input_values"] or {}
        before = {each.name: each.value for each in old.inputs}
        for each in (await self._source(resource)).inputs:
            value = values.get(each.name, each.default)
            is_known = each.replace_on_change and each.name in before
            if is_known and not same(before[each.name], value):
                return f"the input {each.name} has changed"
        return ""

    def content(self, draft: ConfigDraft, properties: Mapping[str, Any]) -> Any:
        """Return what the derived config says, given its inputs. Raises ResourceFailed."""
        return draft.config

    async def _acted(self, resource: Resource, action: str) -> Result:
        """Go on with the run for an action: draw its id, deploy it, wait for the report."""
        deployment_id = _id_of(resource)
        begun = _Begun.from_data(resource.cookie)
        if begun is None:
            if not await self._runs_for(resource, action):
                return Done(deployment_id, deployment_id)
            return _drawn(resource)
        if begun.is_new:
            await _deployments(resource).deploy(
                resource.project, await self._run(resource, begun.run, action)
            )
        found = await _deployments(resource).find_deployment(resource.project, deployment_id)
        if found is None:
            raise _Deleted(f"Software Deployment with id {deployment_id} not found", "NotFound")
        if found.status == IN_PROGRESS:
            return Wait(replace(begun, is_new=False).as_data(), None)
        attributes = await _attributes(resource, found)
        if found.status == FAILED:
            text = f"Deployment to server failed: {found.reason}"
            raise ResourceFailed(text, "Error", attributes)
        data = {**resource.data, "before": []}
        return Done(deployment_id, deployment_id, attributes, data)

    async def _runs_for(self, resource: Resource, action: str) -> bool:
        """Tell whether anything is to be done on the server for an action."""
        config_id = resource.properties["config"]
        found = None
        if config_id:
            found = await _deployments(resource).find_config(resource.project, config_id)
        if found is not None and found.group == _COMPONENT:
            return action in _component_actions(found.config)
        return action in resource.properties["actions"]

    async def _run(self, resource: Resource, run: str, action: str) -> Run:
        source = await self._source(resource)
        properties = resource.properties
        values = properties["input_values"] or {}
        stack = f"{resource.stack_name}/{resource.stack_id}"
        extra = deploy_inputs(properties["server"], action, stack, resource.name, _signal(resource))
        name = properties["name"] or source.name or resource.physical_name
        for what, text in (("name", name), ("server", properties["server"])):
            if len(text) > _LONGEST:
                raise ResourceFailed(f"the {what} has more than {_LONGEST} characters")
        draft = derive(source, name, values, extra)
        content = self.content(draft, properties) or self.empty
        return Run(
            deployment_id=_id_of(resource),
            config_id=run,
            server_id=properties["server"],
            stack_id=resource.stack_id,
            action=action,
            draft=ConfigDraft(
                draft.name,
                draft.group or "Heat::Ungrouped",
                content,
                draft.inputs,
                draft.outputs,
                draft.options,
            ),
            input_values=dict(values),
            previous=tuple(resource.data["before"]),
            is_awaited=properties["signal_transport"] != "NO_SIGNAL",
        )

    async def _source(self, resource: Resource) -> SoftwareConfig:
        config_id = resource.properties["config"]
        if not config_id:
            return SoftwareConfig("", resource.project, None, None, self.empty, (), (), {}, 0)
        found = await _deployments(resource).find_config(resource.project, config_id)
        if found is None:
            raise _Deleted(f"Software Config with id {config_id} not found", "NotFound")
        return found


class SoftwareDeploymentType(Deployment):
    """A config on a server. It is complete once the server has reported that it is."""

    name = "OS::Heat::SoftwareDeployment"
    properties: ClassVar[Mapping[str, Property]] = {
        "config": CONFIG,
        "server": Property(required=True, description="the id of the server"),
        "input_values": INPUT_VALUES,
        "actions": DEPLOY_ACTIONS,
        "name": NAME,
        "signal_transport": SIGNAL_TRANSPORT,
    }


class StructuredDeploymentType(Deployment):
    """A config that is a structure, with the values of inputs put in where it asks for them."""

    name = "OS::Heat::StructuredDeployment"
    properties: ClassVar[Mapping[str, Property]] = {
        **SoftwareDeploymentType.properties,
        "input_key": INPUT_KEY,
        "input_values_validate": INPUT_VALUES_VALIDATE,
    }
    empty: ClassVar[Any] = {}

    def content(self, draft: ConfigDraft, properties: Mapping[str, Any]) -> Any:
        inputs = {each.name: each.value for each in draft.inputs}
        is_strict = properties["input_values_validate"] == "STRICT"
        try:
            return filled(draft.config, properties["input_key"], inputs, is_strict)
        except InputMissing as error:
            raise ResourceFailed(str(error), "UserParameterMissing") from None


class _Deleted(ResourceFailed):
    """The deployment or its config has been deleted by a user."""


def _component_actions(config: Any) -> set[str]:
    """Return the actions that a component has configs for; users write it, and may be wrong."""
    configs = config.get("configs") if isinstance(config, dict) else None
    found: set[str] = set()
    for each in configs if isinstance(configs, list) else ():
        actions = each.get("actions") if isinstance(each, dict) else None
        found.update(map(str, actions if isinstance(actions, list) else ()))
    return found


def _drawn(resource: Resource) -> Wait:
    """Return that it goes on at once, with all that is new in this run stored before."""
    run = str(UUID(int=resource.world.random.getrandbits(128), version=4))
    at = datetime.fromtimestamp(resource.world.now(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    data = {
        **resource.data,
        # Of this run alone: an address tells nothing of later ones, whoever has it.
        "key": drawn_key(resource),
        "signed_at": at,
        "derived": run,
        "before": _left_behind(resource),
    }
    return Wait(_Begun(run, is_new=True).as_data(), 0, _id_of(resource), data)


def _left_behind(resource: Resource) -> list[str]:
    """Return the configs of all runs so far that may still be there."""
    before = resource.data.get("before")
    runs = [*(before if isinstance(before, list) else ()), resource.data.get("derived")]
    # Anybody may write what is adopted.
    return [run for run in runs if isinstance(run, str) and run]


def _signal(resource: Resource) -> Signal:
    """Return how the server reports back: by a signed address, whatever the transport is called.

    Agents use an address before they would log in anywhere, so no user is made for them.
    """
    transport = resource.properties["signal_transport"]
    if transport == "NO_SIGNAL":
        return Signal(transport, {})
    key, at = str(resource.data["key"]), str(resource.data["signed_at"])
    address = addresses_of(resource).signed(resource, key, "signal", at)
    inputs: dict[str, Any] = {"signal_id": address, "signal_verb": "POST"}
    if transport == "HEAT_SIGNAL":
        inputs["project_id"] = resource.project
    return Signal(transport, inputs)


async def _attributes(resource: Resource, found: SoftwareDeployment) -> dict[str, Data]:
    """Return the outputs of a deployment, null where nothing has been reported."""
    config = await _deployments(resource).find_config(resource.project, found.config_id)
    declared = [each.name for each in config.outputs] if config is not None else []
    return {**dict.fromkeys((*REPORTED, *declared)), **(found.output_values or {})}


def _id_of(resource: Resource) -> str:
    return resource.physical_id or resource.creation_token


def _deployments(resource: Resource) -> Deployments:
    deployments: Deployments = resource.world.service(SERVICE)
    return deployments
