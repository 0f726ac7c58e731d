"""OS::Heat::SoftwareConfig and its relatives: configs that deployments refer to."""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

from hotplate.document import Data
from hotplate.model import SoftwareConfig as KeptConfig
from hotplate.resources.capabilities import Adoptable, Showable
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import (
    Creation,
    Done,
    ObjectMissing,
    Resource,
    ResourceFailed,
    Result,
)
from hotplate.resources.support import Support
from hotplate.software import ConfigDraft, Unfit, read_inputs, read_outputs
from hotplate.template.constraint import AllowedValues, Length

SERVICE = "software"
_TYPES = AllowedValues(("String", "Number", "CommaDelimitedList", "Json", "Boolean"))


class Configs(Protocol):
    """Where configs are kept."""

    async def keep_config(self, project: str, config_id: str, draft: ConfigDraft) -> None:
        """Keep a config under an id; one that is there already stays."""

    async def forget_config(self, project: str, config_id: str) -> None:
        """Remove a config; that it is deleted already is no error."""

    async def find_config(self, project: str, config_id: str) -> KeptConfig | None:
        """Return a config, None if there is none."""


def _member(extra: Mapping[str, Property]) -> Property:
    return Property(
        PropertyKind.MAP,
        schema={
            "name": Property(required=True, description="its name"),
            "description": Property(description="what it is for"),
            "type": Property(default="String", constraints=(_TYPES,), description="its type"),
            **extra,
        },
    )


INPUTS = Property(
    PropertyKind.LIST,
    items=_member(
        {
            "default": Property(PropertyKind.ANY, description="the value if none is given"),
            "replace_on_change": Property(
                PropertyKind.BOOLEAN,
                default=False,
                description="whether a change of its value replaces the deployment",
            ),
        }
    ),
    description="what the config is given on the server",
)
OUTPUTS = Property(
    PropertyKind.LIST,
    items=_member(
        {
            "error_output": Property(
                PropertyKind.BOOLEAN,
                default=False,
                description="whether anything reported there means that it failed",
            )
        }
    ),
    description="what the config reports",
)
OPTIONS = Property(PropertyKind.MAP, description="options for the tool that applies it")
GROUP = Property(
    default="Heat::Ungrouped",
    constraints=(Length(0, 255),),
    description="the tool that applies it",
)


class SoftwareConfig(Showable, Adoptable):
    """A script or another text that configures software. Any change makes a new config."""

    name = "OS::Heat::SoftwareConfig"
    support = Support(version="2014.1")
    # The id is the creation token, and what is kept under it stays: a second creation makes
    # nothing new.
    creation = Creation.REPEATABLE
    properties: ClassVar[Mapping[str, Property]] = {
        "group": GROUP,
        "config": Property(description="the text"),
        "options": OPTIONS,
        "inputs": INPUTS,
        "outputs": OUTPUTS,
    }
    attributes = {"config": "the config itself"}
    attribute_kinds = {"config": PropertyKind.STRING}

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        try:
            self.draft("", properties)
        except Unfit as error:
            return str(error)
        return ""

    async def create(self, resource: Resource) -> Result:
        try:
            draft = self.draft(resource.physical_name, resource.properties)
        except Unfit as error:
            raise ResourceFailed(str(error)) from None
        await _configs(resource).keep_config(resource.project, resource.creation_token, draft)
        return Done(
            physical_id=resource.creation_token,
            reference=resource.creation_token,
            attributes={"config": _shown(draft.config)},
        )

    async def delete(self, resource: Resource) -> Result:
        if resource.physical_id is not None:
            await _configs(resource).forget_config(resource.project, resource.physical_id)
        return Done()

    async def show(self, resource: Resource) -> Done:
        found = await kept_config(resource)
        return Done(found.id, found.id, {"config": _shown(found.config)})

    async def live_properties(self, resource: Resource) -> Mapping[str, Any]:
        found = await kept_config(resource)
        return {
            "group": found.group,
            "config": found.config,
            "options": found.options,
            **_signature(found),
        }

    def draft(self, name: str, properties: Mapping[str, Any]) -> ConfigDraft:
        """Return what is kept. Raises Unfit."""
        return ConfigDraft(
            name=name,
            group=properties["group"],
            config=properties["config"],
            inputs=read_inputs(_given(properties["inputs"])),
            outputs=read_outputs(_given(properties["outputs"])),
            options=dict(properties["options"] or {}),
        )


class StructuredConfig(SoftwareConfig):
    """A config that is a map."""

    name = "OS::Heat::StructuredConfig"
    properties: ClassVar[Mapping[str, Property]] = {
        **SoftwareConfig.properties,
        "config": Property(PropertyKind.MAP, description="the map"),
    }


class SoftwareComponent(SoftwareConfig):
    """Several configs in one, each for certain actions of a deployment."""

    name = "OS::Heat::SoftwareComponent"
    support = Support(version="2014.2")
    properties: ClassVar[Mapping[str, Property]] = {
        "configs": Property(
            PropertyKind.LIST,
            required=True,
            constraints=(Length(1, None),),
            items=Property(
                PropertyKind.MAP,
                schema={
                    "actions": Property(
                        PropertyKind.LIST,
                        default=["CREATE", "UPDATE"],
                        constraints=(Length(1, None),),
                        items=Property(),
                        description="the actions that it is for",
                    ),
                    "config": Property(description="the text"),
                    "tool": Property(required=True, description="the tool that applies it"),
                },
            ),
            description="the configs",
        ),
        "inputs": INPUTS,
        "outputs": OUTPUTS,
        "options": OPTIONS,
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        seen: set[str] = set()
        for config in properties["configs"]:
            for action in config["actions"]:
                if action in seen:
                    return f"the action {action} belongs to more than one of the configs"
                seen.add(action)
        return super().validate(properties, timeout)

    async def live_properties(self, resource: Resource) -> Mapping[str, Any]:
        found = await kept_config(resource)
        configs = found.config.get("configs") if isinstance(found.config, dict) else None
        return {"configs": configs, "options": found.options, **_signature(found)}

    def draft(self, name: str, properties: Mapping[str, Any]) -> ConfigDraft:
        return ConfigDraft(
            name=name,
            group="component",
            config={"configs": list(properties["configs"])},
            inputs=read_inputs(_given(properties["inputs"])),
            outputs=read_outputs(_given(properties["outputs"])),
            options=dict(properties["options"] or {}),
        )


def _given(entries: list[dict[str, Any]] | None) -> list[dict[str, Any]]:
    """Return the entries without what was not given."""
    return [
        {key: value for key, value in entry.items() if value is not None} for entry in entries or ()
    ]


def _signature(found: KeptConfig) -> dict[str, Any]:
    """Return inputs and outputs of a config in the form of the properties."""
    inputs = [{k: v for k, v in each.document().items() if k != "value"} for each in found.inputs]
    outputs: list[Data] = [dict(each.document()) for each in found.outputs]
    return {"inputs": INPUTS.convert([*inputs]), "outputs": OUTPUTS.convert(outputs)}


async def kept_config(resource: Resource) -> KeptConfig:
    """Return the config with the resource's id. Raises ResourceFailed."""
    config_id = resource.physical_id or ""
    found = await _configs(resource).find_config(resource.project, config_id)
    if found is None:
        raise ObjectMissing(f"there is no software config {config_id}")
    return found


def _configs(resource: Resource) -> Configs:
    configs: Configs = resource.world.service(SERVICE)
    return configs


def _shown(config: Any) -> Data:
    shown: Data = config
    return shown
