"""Custom constraints that a cloud can check: what each allows to be named."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hotplate.cloud.errors import NotFound
from hotplate.cloud.names import (
    ADDRESS_SCOPE,
    DOMAIN,
    FLAVOR,
    FLOATING_IP,
    GROUP,
    IDENTITY_SERVICE,
    IMAGE,
    KEYPAIR,
    NETWORK,
    PORT,
    PROJECT,
    QOS_POLICY,
    QOS_SPECS,
    REGION,
    ROLE,
    ROUTER,
    SECURITY_GROUP,
    SEGMENT,
    SERVER,
    SUBNET,
    SUBNET_POOL,
    TRUNK,
    USER,
    VOLUME,
    VOLUME_BACKUP,
    VOLUME_SNAPSHOT,
    VOLUME_TYPE,
    Ambiguous,
    Named,
    Names,
)


def _by_id(kind: Named) -> Named:
    return replace(kind, by_name=False)


def _network(what: str, path: str, one: str = "") -> Named:
    return Named(what, "network", path, path.rpartition("/")[2], one=one)


def _balancer(what: str, name: str, key: str = "", one: str = "") -> Named:
    return Named(what, "load-balancer", f"/lbaas/{name}", key or name, one=one)


def _shared_files(what: str, path: str, key: str) -> Named:
    return Named(what, "shared-file-system", path, key, filters=False)


def _bare_metal(what: str, name: str) -> Named:
    return Named(what, "baremetal", f"/{name}", name, one="-", ids_are_uuids=False, id_field="uuid")


def _secret(what: str, name: str) -> Named:
    return Named(
        what, "key-manager", f"/{name}", name,
        one="-", by_name=False, id_field=f"{name[:-1]}_ref", has_address=True,
    )  # fmt: skip


CONSTRAINTS: Final[Mapping[str, Named]] = {
    "barbican.container": _secret("container", "containers"),
    "barbican.secret": _secret("secret", "secrets"),
    "blazar.reservation": _by_id(Named("lease", "reservation", "/leases", "leases")),
    "cinder.backup": _by_id(VOLUME_BACKUP),
    "cinder.qos_specs": QOS_SPECS,
    "cinder.snapshot": _by_id(VOLUME_SNAPSHOT),
    "cinder.volume": _by_id(VOLUME),
    "cinder.vtype": VOLUME_TYPE,
    "designate.zone": Named("zone", "dns", "/zones", "zones", one="-"),
    "glance.image": IMAGE,
    "ironic.node": _bare_metal("node", "nodes"),
    "ironic.portgroup": _bare_metal("port group", "portgroups"),
    "keystone.domain": DOMAIN,
    "keystone.group": GROUP,
    "keystone.project": PROJECT,
    "keystone.region": REGION,
    "keystone.role": ROLE,
    "keystone.service": IDENTITY_SERVICE,
    "keystone.user": USER,
    "magnum.cluster_template": Named(
        "cluster template", "container-infrastructure-management", "/clustertemplates",
        "clustertemplates", one="-", filters=False, id_field="uuid",
    ),
    "manila.share_network": _shared_files("share network", "/share-networks", "share_networks"),
    "manila.share_snapshot": _shared_files("share snapshot", "/snapshots", "snapshots"),
    "manila.share_type": _shared_files("share type", "/types", "share_types"),
    "neutron.address_scope": ADDRESS_SCOPE,
    "neutron.floating_ip": FLOATING_IP,
    "neutron.flow_classifier": _network("flow classifier", "/sfc/flow_classifiers"),
    "neutron.lbaas.listener": _network("listener", "/lbaas/listeners"),
    "neutron.lbaas.loadbalancer": _network("load balancer", "/lbaas/loadbalancers"),
    "neutron.lbaas.pool": _network("pool", "/lbaas/pools"),
    "neutron.network": NETWORK,
    "neutron.port": PORT,
    "neutron.port_pair": _network("port pair", "/sfc/port_pairs"),
    "neutron.port_pair_group": _network("port pair group", "/sfc/port_pair_groups"),
    "neutron.qos_policy": QOS_POLICY,
    "neutron.router": ROUTER,
    "neutron.security_group": SECURITY_GROUP,
    "neutron.segment": SEGMENT,
    "neutron.subnet": SUBNET,
    "neutron.subnetpool": SUBNET_POOL,
    "neutron.taas.tap_flow": _network("tap flow", "/taas/tap_flows"),
    "neutron.taas.tap_service": _network("tap service", "/taas/tap_services"),
    "neutron.trunk": TRUNK,
    "nova.flavor": FLAVOR,
    "nova.host": Named(
        "host", "compute", "/os-hypervisors", "hypervisors",
        filters=False, name_field="hypervisor_hostname",
    ),
    "nova.keypair": KEYPAIR,
    "nova.network": NETWORK,
    "nova.server": _by_id(SERVER),
    "octavia.availabilityzone": Named(
        "availability zone", "load-balancer", "/lbaas/availabilityzones", "availability_zones",
        ids_are_uuids=False, by_name=False, id_field="name",
    ),
    "octavia.availabilityzoneprofile": _balancer(
        "availability zone profile", "availabilityzoneprofiles", "availability_zone_profiles"
    ),
    "octavia.flavor": _balancer("flavor", "flavors"),
    "octavia.flavorprofile": _balancer("flavor profile", "flavorprofiles"),
    "octavia.l7policy": _balancer("L7 policy", "l7policies", one="l7policy"),
    "octavia.listener": _balancer("listener", "listeners"),
    "octavia.loadbalancer": _balancer("load balancer", "loadbalancers"),
    "octavia.pool": _balancer("pool", "pools"),
    "trove.flavor": Named("flavor", "database", "/flavors", "flavors", filters=False),
}  # fmt: skip
"""By the names that Heat has for them. Floating IPs and trunks it does not have."""


@dataclass(frozen=True, slots=True)
class Found:
    """What came of looking for an object: its id, or why there is none; neither if nobody knows."""

    id: str = ""
    fault: str = ""


async def look_up(names: Names, constraint: str, name_or_id: str) -> Found:
    """Return what a custom constraint finds of a name or an id. Raises CloudError."""
    kind = CONSTRAINTS.get(constraint)
    if kind is None or not name_or_id:
        return Found()
    try:
        return Found(await names.id_of(kind, name_or_id))
    except (NotFound, Ambiguous) as error:
        return Found(fault=error.words)
