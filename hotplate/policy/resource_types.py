"""Rules about resource types: `resource_types:OS::Nova::Server`, `resource_types:OS::Nova::*`."""

from collections.abc import Iterable
from typing import Final

PREFIX: Final = "resource_types:"

ADMINISTRATORS_ONLY: Final = (
    *(f"OS::Nova::{name}" for name in ("Flavor", "HostAggregate", "Quota")),
    *(
        f"OS::Cinder::{name}"
        for name in ("EncryptedVolumeType", "VolumeType", "Quota", "QoSSpecs", "QoSAssociation")
    ),
    *(
        f"OS::Neutron::{name}"
        for name in (
            "Quota",
            "ProviderNet",
            "QoSPolicy",
            "QoSBandwidthLimitRule",
            "QoSDscpMarkingRule",
            "QoSMinimumBandwidthRule",
            "QoSMinimumPacketRateRule",
            "Segment",
        )
    ),
    *(
        f"OS::Octavia::{name}"
        for name in (
            "Quota",
            "Flavor",
            "FlavorProfile",
            "AvailabilityZone",
            "AvailabilityZoneProfile",
        )
    ),
    "OS::Manila::ShareType",
    "OS::Blazar::Host",
    "OS::Keystone::*",
)
"""Types that change the cloud for everybody in it."""


def rule_of_type(name: str, rules: Iterable[str]) -> str | None:
    """Return the rule about a type: the one with its name, else the longest that ends in a `*`.

    None if there is no rule: everybody may use it.
    """
    wanted = PREFIX + name
    fitting = [
        rule
        for rule in rules
        if rule == wanted or (rule.endswith("*") and wanted.startswith(rule[:-1]))
    ]
    return max(fitting, key=lambda rule: (rule == wanted, len(rule)), default=None)
