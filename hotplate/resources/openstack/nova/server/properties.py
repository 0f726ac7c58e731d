"""The properties and attributes of OS::Nova::Server."""

from collections.abc import Mapping
from typing import Final

from hotplate.resources.openstack.schema import flag, integer, list_of, map_of, maps, old, text
from hotplate.resources.property import Property

_IMAGE: Final = text("the image that it boots from, by name or id", rule="glance.image")
_NETWORK: Final = text("the network, by name or id", rule="neutron.network")

_BLOCK_DEVICE: Final[Mapping[str, Property]] = {
    "delete_on_termination": flag("whether the volume is deleted with the server"),
    "device_name": text("the name of the device, such as vdb", required=True),
    "snapshot_id": text(
        "a snapshot of a volume, of which a volume is made", rule="cinder.snapshot"
    ),
    "volume_id": text("the volume", rule="cinder.volume"),
    "volume_size": integer("GiB of a volume that is made of a snapshot"),
}
_BLOCK_DEVICE_V2: Final[Mapping[str, Property]] = {
    "boot_index": integer("its place in the order of booting; negative: it does not boot"),
    "delete_on_termination": flag("whether the volume is deleted with the server"),
    "device_name": text("the name of the device, such as vdb"),
    "device_type": text("what the guest takes it for", allowed=("cdrom", "disk")),
    "disk_bus": text(
        "the bus of the device", allowed=("ide", "lame_bus", "sata", "scsi", "usb", "virtio")
    ),
    "ephemeral_format": text(
        "the file system of a disk that goes with the server",
        allowed=("ext2", "ext3", "ext4", "xfs", "ntfs"),
    ),
    "ephemeral_size": integer("GiB of a disk that goes with the server", between=(1, None)),
    "image": text(
        "an image of which a volume is made, by name or id",
        rule="glance.image",
        older=("image_id",),
    ),
    "image_id": old(text("older name of image", rule="glance.image")),
    "snapshot_id": text(
        "a snapshot of a volume, of which a volume is made", rule="cinder.snapshot"
    ),
    "swap_size": integer("MiB of a disk for swapping"),
    "volume_id": text("the volume", rule="cinder.volume"),
    "volume_size": integer("GiB of a volume that is made"),
    "volume_type": text("the type of a volume that is made, by name or id", rule="cinder.vtype"),
}
_ADDRESS_PAIR: Final[Mapping[str, Property]] = {
    "ip_address": text("an address or a range of them", required=True, rule="ip_or_cidr"),
    "mac_address": text("a MAC address; that of the port if none is given", rule="mac_addr"),
}
_PORT_EXTRA: Final[Mapping[str, Property]] = {
    "admin_state_up": flag("whether it carries traffic", default=True, updatable=True),
    "allowed_address_pairs": maps("addresses that may pass besides its own", _ADDRESS_PAIR),
    "binding:vnic_type": text(
        "how it is connected to the guest",
        allowed=(
            *("normal", "direct", "macvtap", "direct-physical", "baremetal"),
            *("virtio-forwarder", "smart-nic"),
        ),
        default="normal",
        updatable=True,
    ),
    "mac_address": text("its MAC address", rule="mac_addr"),
    "no_fixed_ips": flag("whether it has no address", default=False, updatable=True),
    "port_security_enabled": flag("whether it is protected", updatable=True),
    "propagate_uplink_status": flag("whether the guest sees the state of the uplink"),
    "qos_policy": text("its QoS policy, by name or id", rule="neutron.qos_policy"),
    "value_specs": map_of("more fields of the request for the port", default={}),
}
_INTERFACE: Final[Mapping[str, Property]] = {
    "allocate_network": text(
        "auto: the only network there is, or one that is made; none: no network at all",
        allowed=("none", "auto"),
        updatable=True,
    ),
    "fixed_ip": text("its address", rule="ip_addr"),
    "floating_ip": text("the id of a floating IP that it gets"),
    "network": text("the network, by name or id", rule="neutron.network", older=("uuid",)),
    "port": text("a port that exists, by name or id", rule="neutron.port"),
    "port_extra_properties": map_of("more of the port that is made", schema=_PORT_EXTRA),
    "subnet": text("the subnet of its address, by name or id"),
    "tag": text("a word by which the guest recognises the interface"),
    "uuid": old(_NETWORK),
}
_SWIFT_DATA: Final[Mapping[str, Property]] = {
    "container": text("a container", length=(1, None)),
    "object": text("an object", length=(1, None)),
}

PROPERTIES: Final[Mapping[str, Property]] = {
    "admin_pass": text("the password of its administrator", updatable=True, secret=True),
    "admin_user": text("it has no effect", hidden=True),
    "availability_zone": text("the zone in which it is made"),
    "block_device_mapping": maps("its volumes, in the older form", _BLOCK_DEVICE),
    "block_device_mapping_v2": maps("its disks", _BLOCK_DEVICE_V2),
    "config_drive": flag("whether it gets its metadata on a drive"),
    "deployment_swift_data": map_of(
        "where in Swift the metadata is kept; it has no effect here",
        default={},
        updatable=True,
        schema=_SWIFT_DATA,
    ),
    "diskConfig": text("whether the guest fits its disk to the flavor", allowed=("AUTO", "MANUAL")),
    "flavor": text("its flavor, by name or id", rule="nova.flavor", required=True, updatable=True),
    "flavor_update_policy": text(
        "whether another flavor resizes or replaces it",
        allowed=("RESIZE", "REPLACE"),
        default="RESIZE",
        updatable=True,
    ),
    "image": text(
        "the image that it boots from, by name or id", rule="glance.image", updatable=True
    ),
    "image_update_policy": text(
        "whether another image rebuilds or replaces it",
        allowed=("REBUILD", "REPLACE", "REBUILD_PRESERVE_EPHEMERAL"),
        default="REBUILD",
        updatable=True,
    ),
    "key_name": text("the key pair of its users", rule="nova.keypair"),
    "metadata": map_of("what Nova keeps of it, by keys", default={}, updatable=True),
    "name": text("its name", updatable=True),
    "networks": maps("its interfaces, in order", _INTERFACE, updatable=True),
    "personality": map_of("files in the guest; Nova takes none any more", default={}),
    "reservation_id": text("an id of the request; Nova takes none"),
    "scheduler_hints": map_of("what the scheduler shall heed"),
    "security_groups": list_of("security groups of its interfaces, by names or ids", default=[]),
    "software_config_transport": text(
        "how it comes by its metadata",
        allowed=("POLL_SERVER_CFN", "POLL_SERVER_HEAT", "POLL_TEMP_URL", "ZAQAR_MESSAGE"),
        default="POLL_SERVER_CFN",
        updatable=True,
    ),
    "tags": list_of("words to find it by", items=text("one of them"), updatable=True),
    "user_data": text(
        "what the guest is given at its first boot", default="", updatable=True, secret=True
    ),
    "user_data_format": text(
        "what is made of the user data",
        allowed=("HEAT_CFNTOOLS", "RAW", "SOFTWARE_CONFIG"),
        default="HEAT_CFNTOOLS",
    ),
    "user_data_update_policy": text(
        "what a change of the user data does",
        allowed=("REPLACE", "IGNORE", "REBUILD"),
        default="REPLACE",
        updatable=True,
    ),
}

ATTRIBUTES: Final[Mapping[str, str]] = {
    "accessIPv4": "the IPv4 address under which it is reached, if one was set",
    "accessIPv6": "the IPv6 address under which it is reached, if one was set",
    "addresses": "its addresses with port, subnets and network, by name and id of the network",
    "console_urls": "where its consoles are, by their kind; each is made when it is asked for",
    "first_address": "one of its addresses; deprecated, networks has them all",
    "instance_name": "its name on the hypervisor; for administrators",
    "name": "its name",
    "networks": "its addresses alone, by name and id of the network",
    "os_collect_config": "the configuration of the agent os-collect-config",
    "tags": "words to find it by",
}
