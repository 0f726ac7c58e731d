"""OS::Neutron::MeteringLabel and OS::Neutron::MeteringRule."""

from collections.abc import Mapping
from ipaddress import ip_network
from typing import Any

from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.cloud_type import Object
from hotplate.resources.openstack.deleted_first import DeletedFirst
from hotplate.resources.openstack.neutron.neutron_type import NeutronType, collection
from hotplate.resources.openstack.schema import flag, text
from hotplate.resources.support import Support


class MeteringLabel(NeutronType):
    """A name under which traffic is measured. For administrators."""

    name = "OS::Neutron::MeteringLabel"
    collection = collection("metering_labels", "metering_label", "/metering/metering-labels")
    support = Support(version="2014.1")
    properties = {
        "description": text("what it is for"),
        "name": text("its name"),
        "shared": flag("whether the traffic of all projects is measured", default=False),
    }
    attributes = {
        "description": "what it is for",
        "name": "its name",
        "shared": "whether the traffic of all projects is measured",
    }

    def _is_postponed(self, it: CloudResource) -> bool:
        return False  # a label cannot be changed


class MeteringRule(NeutronType, DeletedFirst):
    """Which traffic a label measures. Rules of a label do not overlap."""

    name = "OS::Neutron::MeteringRule"
    collection = collection(
        "metering_label_rules", "metering_label_rule", "/metering/metering-label-rules"
    )
    support = Support(version="2014.1")
    identifying_field = ""
    properties = {
        "direction": text(
            "whether traffic in or out is measured",
            allowed=("ingress", "egress"),
            default="ingress",
        ),
        "excluded": flag("whether it is left out of what is measured", default=False),
        "metering_label_id": text("the id of the label", required=True),
        "remote_ip_prefix": text("the addresses on the other side", required=True),
    }
    attributes = {
        "direction": "whether traffic in or out is measured",
        "excluded": "whether it is left out of what is measured",
        "metering_label_id": "the id of the label",
        "remote_ip_prefix": "the addresses on the other side",
    }

    async def search(self, it: CloudResource) -> Object | None:
        query = {name: it.properties[name] for name in ("metering_label_id", "direction")}
        listed = await it.service.list_all(self.path(it), "metering_label_rules", query)
        same = self.first_fields(it).items()
        return next((each for each in listed if same <= each.items()), None)

    def gives_up(self, old: Mapping[str, Any], new: Mapping[str, Any] | None) -> str:
        if new is None or any(
            old[name] != new[name] for name in ("metering_label_id", "direction")
        ):
            return ""
        is_shared = _overlap(old["remote_ip_prefix"], new["remote_ip_prefix"])
        return f"the addresses {old['remote_ip_prefix']}" if is_shared else ""


def _overlap(one: str, other: str) -> bool:
    try:
        first, second = ip_network(one, False), ip_network(other, False)
    except ValueError:
        return one == other
    return first.version == second.version and first.overlaps(second)
