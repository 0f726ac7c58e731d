"""OS::Heat::SoftwareDeploymentGroup and its relatives: one deployment for each of many servers."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from hotplate.document import Data
from hotplate.resources.capabilities import StagedStack
from hotplate.resources.heat.groups.batches import (
    Goal,
    check_pauses,
    next_batch,
    pace_of,
    policy_schema,
)
from hotplate.resources.heat.groups.resource_group import BATCH_CREATE, ROLLING_UPDATE
from hotplate.resources.heat.provider_template import attribute_at, member_attributes
from hotplate.resources.heat.software.software_deployment import (
    CONFIG,
    DEPLOY_ACTIONS,
    INPUT_KEY,
    INPUT_VALUES,
    INPUT_VALUES_VALIDATE,
    NAME,
    SIGNAL_TRANSPORT,
)
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import Child
from hotplate.resources.stages import Contents, Stage
from hotplate.resources.support import Support, SupportStatus

_SERVERS = "servers"
_SINGLE = {
    "deploy_stdouts": "deploy_stdout",
    "deploy_stderrs": "deploy_stderr",
    "deploy_status_codes": "deploy_status_code",
}


class SoftwareDeploymentGroup(StagedStack):
    """A config on many servers; the deployments are a stack of their own."""

    name = "OS::Heat::SoftwareDeploymentGroup"
    former_names = frozenset(("OS::Heat::SoftwareDeployments",))
    support = Support(version="5.0.0")
    member: ClassVar[str] = "OS::Heat::SoftwareDeployment"
    """The type of the members."""

    properties: ClassVar[Mapping[str, Property]] = {
        _SERVERS: Property(
            PropertyKind.MAP,
            required=True,
            updatable=True,
            description="ids of servers by the names of their deployments",
        ),
        "config": CONFIG,
        "input_values": INPUT_VALUES,
        "actions": DEPLOY_ACTIONS,
        "name": NAME,
        "signal_transport": SIGNAL_TRANSPORT,
    }
    update_policies = {
        ROLLING_UPDATE: policy_schema(has_least=False),
        BATCH_CREATE: policy_schema(has_least=False),
    }
    attributes = {
        "deploy_stdouts": "what they wrote to their standard outputs, by name",
        "deploy_stderrs": "what they wrote to their standard errors, by name",
        "deploy_status_codes": "the status codes that they ended with, by name",
    }
    attribute_kinds = dict.fromkeys(attributes, PropertyKind.MAP)

    def child_template(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        return _template(self._goal(properties).members())

    def child_sample(self, properties: Mapping[str, Any]) -> dict[str, Any]:
        first = dict(list(properties[_SERVERS].items())[:1])
        return self.child_template({**properties, _SERVERS: first})

    def has_stages(
        self, properties: Mapping[str, Any], policies: Mapping[str, Any], data: Mapping[str, Any]
    ) -> bool:
        return any(policies.values())

    def child_stage(
        self,
        properties: Mapping[str, Any],
        policies: Mapping[str, Any],
        data: Mapping[str, Any],
        contents: Contents,
        timeout: float | None = None,
    ) -> Stage:
        goal = self._goal(properties)
        policy = contents.policy or (BATCH_CREATE if contents.is_new else ROLLING_UPDATE)
        if not policies.get(policy):
            return Stage(_template(goal.members()))
        pace = pace_of(policies[policy])
        # A server that is left out leaves at once: there is nothing to keep it for.
        wanted = set(goal.names(goal.size))
        present = {name: value for name, value in contents.definitions.items() if name in wanted}
        if not contents.policy:
            check_pauses(goal, present, pace, timeout)
        members, is_last = next_batch(goal, present, contents.unsettled, pace)
        return Stage(_template(members), "" if is_last else policy, pace.pause)

    def child_reference(self, child: Child) -> str:
        return child.id

    def child_attributes(
        self, properties: Mapping[str, Any], child: Child, wanted: Iterable[tuple[Data, ...]]
    ) -> dict[str, Data]:
        paths = [path for path in wanted if path]
        found = member_attributes(child, paths)
        for name, single in _SINGLE.items():
            found[name] = _over_all(child, [single])
        for path in paths:
            first = str(path[0])
            if first in _SINGLE or first.startswith("resource.") or first == "show":
                continue
            found[json.dumps(list(path))] = _selected(_over_all(child, [first]), path[1:])
        return found

    def _goal(self, properties: Mapping[str, Any]) -> Goal:
        servers = properties[_SERVERS]
        names = list(servers)
        given = {
            key: value for key, value in properties.items() if value is not None and key != _SERVERS
        }
        # As it will be read from the template: what is there is compared with it.
        given = json.loads(json.dumps(given))

        def of(name: str) -> dict[str, Any]:
            return {"type": self.member, "properties": {**given, "server": servers[name]}}

        return Goal(len(names), lambda size: names[:size], of)


class StructuredDeploymentGroup(SoftwareDeploymentGroup):
    """A structured config on many servers."""

    name = "OS::Heat::StructuredDeploymentGroup"
    former_names = frozenset(("OS::Heat::StructuredDeployments",))
    member: ClassVar[str] = "OS::Heat::StructuredDeployment"
    properties: ClassVar[Mapping[str, Property]] = {
        **SoftwareDeploymentGroup.properties,
        "input_key": INPUT_KEY,
        "input_values_validate": INPUT_VALUES_VALIDATE,
    }


class SoftwareDeployments(SoftwareDeploymentGroup):
    """An old name of the group."""

    name = "OS::Heat::SoftwareDeployments"
    support = Support(
        SupportStatus.HIDDEN,
        "7.0.0",
        "Please use OS::Heat::SoftwareDeploymentGroup instead.",
        Support(SupportStatus.DEPRECATED, "2014.2"),
    )


class StructuredDeployments(StructuredDeploymentGroup):
    """An old name of the group."""

    name = "OS::Heat::StructuredDeployments"
    support = Support(
        SupportStatus.HIDDEN,
        "7.0.0",
        "Please use OS::Heat::StructuredDeploymentGroup instead.",
        Support(SupportStatus.DEPRECATED, "2014.2"),
    )


def _template(members: Mapping[str, Any]) -> dict[str, Any]:
    return {"heat_template_version": "2021-04-16", "resources": dict(members)}


def _over_all(child: Child, steps: list[Data]) -> dict[str, Data]:
    return {name: attribute_at(member.attributes, steps) for name, member in child.members.items()}


def _selected(value: Any, steps: Iterable[Data]) -> Data:
    """Return what steps lead to in a map over all members, null if that is nowhere."""
    for step in steps:
        try:
            value = value[step]
        except (LookupError, TypeError):
            return None
    found: Data = value
    return found
