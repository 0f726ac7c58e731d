"""What a resource type needs of a cloud: a service in the catalogue, and an extension of it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hotplate.cloud.services import official, types_of

_SERVICES: Final[Mapping[str, tuple[str, str]]] = {
    "Nova": ("nova", "compute"),
    "Neutron": ("neutron", "network"),
    "Cinder": ("cinder", "volumev3"),
    "Glance": ("glance", "image"),
    "Keystone": ("keystone", "identity"),
    "Swift": ("swift", "object-store"),
    "Octavia": ("octavia", "load-balancer"),
    "Barbican": ("barbican", "key-manager"),
    "Designate": ("designate", "dns"),
    "Manila": ("manila", "sharev2"),
    "Magnum": ("magnum", "container-infra"),
    "Aodh": ("aodh", "alarming"),
    "Zaqar": ("zaqar", "messaging"),
    "Trove": ("trove", "database"),
    "Ironic": ("ironic", "baremetal"),
    "Zun": ("zun", "container"),
    "Blazar": ("blazar", "reservation"),
}
"""The client and the type of the service, as Heat names them, by the second word of a type."""


_EXTENSIONS: Final[Mapping[str, str]] = {
    "OS::Cinder::EncryptedVolumeType": "encryption",
    "OS::Cinder::QoSAssociation": "qos-specs",
    "OS::Cinder::QoSSpecs": "qos-specs",
    "OS::Cinder::Quota": "os-quota-sets",
    "OS::Cinder::VolumeType": "os-types-manage",
    "OS::Neutron::AddressScope": "address-scope",
    "OS::Neutron::ExtraRoute": "extraroute",
    "OS::Neutron::ExtraRouteSet": "extraroute-atomic",
    "OS::Neutron::FloatingIPPortForward": "floating-ip-port-forwarding",
    "OS::Neutron::ProviderNet": "provider",
    "OS::Neutron::QoSBandwidthLimitRule": "qos",
    "OS::Neutron::QoSDscpMarkingRule": "qos",
    "OS::Neutron::QoSMinimumBandwidthRule": "qos-bw-minimum-ingress",
    "OS::Neutron::QoSMinimumPacketRateRule": "qos-pps-minimum",
    "OS::Neutron::QoSPolicy": "qos",
    "OS::Neutron::Quota": "quotas",
    "OS::Neutron::RBACPolicy": "rbac-policies",
    "OS::Neutron::Router": "router",
    "OS::Neutron::RouterInterface": "router",
    "OS::Neutron::SecurityGroup": "security-group",
    "OS::Neutron::SecurityGroupRule": "security-group",
    "OS::Neutron::Segment": "segment",
    "OS::Neutron::SubnetPool": "subnet_allocation",
    "OS::Neutron::Trunk": "trunk",
}
"""The alias of the extension that a type needs, where it needs one."""


def needed_extension(resource_type: str) -> tuple[str, str, str] | None:
    """Return the client, the service and the extension that a type needs; None for no extension."""
    alias = _EXTENSIONS.get(resource_type)
    if alias is None:
        return None
    return (*_SERVICES[resource_type.split("::")[1]], alias)


def missing_service(
    resource_type: str, catalog: Sequence[Mapping[str, Any]], region: str = ""
) -> str:
    """Return "client service" of what a type needs if the catalogue has no such endpoint.

    Empty if it has, or if the type needs no service. ``region``: only endpoints there count.
    """
    parts = resource_type.split("::")
    if len(parts) != 3 or parts[0] != "OS" or parts[1] not in _SERVICES:
        return ""
    client, service = _SERVICES[parts[1]]
    names = types_of(official(service))
    has = any(
        each.get("type") in names and _is_in(each.get("endpoints") or (), region)
        for each in catalog
    )
    return "" if has else f"{client} {service}"


def _is_in(endpoints: Sequence[Mapping[str, Any]], region: str) -> bool:
    return any(
        region in ("", each.get("region_id"), each.get("region"))
        and each.get("interface", "public") == "public"
        for each in endpoints
    )
