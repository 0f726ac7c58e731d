"""What must hold of the properties of a server taken together, and what Nova will refuse."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from hotplate.cloud import Cloud, CloudError
from hotplate.cloud.names import FLAVOR, IMAGE
from hotplate.resources.openstack.nova.server import block_devices
from hotplate.resources.openstack.nova.server.user_data import SOFTWARE_CONFIG

MOST_TAGS: Final = 49
"""Nova takes 50; one is ours."""


def fault(properties: Mapping[str, Any]) -> str:
    """Return what is wrong; else nothing. Pure."""
    found = (
        block_devices.fault(properties, properties["name"] or ""),
        _network_fault(properties["networks"] or (), properties["security_groups"]),
        _refused(properties),
        _software_fault(properties),
    )
    return next(filter(None, found), "")


def _network_fault(networks: Sequence[Mapping[str, Any]], groups: Sequence[Any]) -> str:
    allocated = [each for each in networks if each["allocate_network"]]
    if allocated and len(networks) > 1:
        return "allocate_network must be the only entry of networks"
    for each in networks:
        given = {key for key, value in each.items() if value is not None}
        if each["allocate_network"] and given - {"allocate_network"}:
            return "an entry of networks with allocate_network has nothing else"
        if not given & {"network", "port", "subnet", "allocate_network"}:
            return (
                "One of the properties network, port, allocate_network or subnet should be set "
                "for the specified network of server"
            )
        if each["port"] is not None and each["fixed_ip"] is not None:
            return (
                "Cannot define the following properties at the same time: "
                "networks/fixed_ip, networks/port"
            )
        if each["port"] is not None and each["port_extra_properties"] is not None:
            return "port_extra_properties are those of a port that is made: take port away"
        if each["floating_ip"] is not None and not given & {
            "port", "subnet", "port_extra_properties"
        }:  # fmt: skip
            return (
                "floating_ip needs a port that is known before the server is: give port, subnet or "
                "port_extra_properties as well"
            )
    if groups and any(each["port"] is not None for each in networks):
        return (
            "Cannot define the following properties at the same time: "
            "security_groups, networks/port"
        )
    return ""


def _refused(properties: Mapping[str, Any]) -> str:
    if properties["personality"]:
        return (
            "personality is refused by Nova since its API version 2.57: give the files in user_data"
        )
    if properties["reservation_id"]:
        return "Nova takes no reservation_id: leave it out"
    tags = properties["tags"] or ()
    if len(tags) > MOST_TAGS:
        return f"a server has at most {MOST_TAGS} tags"
    bad = [each for each in tags if not 0 < len(each) <= 60 or "/" in each or "," in each]
    if bad:
        return f'"{bad[0]}" is no tag: it has 1 to 60 characters, and neither "/" nor ","'
    return ""


def _software_fault(properties: Mapping[str, Any]) -> str:
    if properties["user_data_format"] != SOFTWARE_CONFIG:
        return ""
    if properties["software_config_transport"] == "ZAQAR_MESSAGE":
        return "ZAQAR_MESSAGE needs a user for the server: use POLL_SERVER_CFN"
    return ""


async def refusal(cloud: Cloud, properties: Mapping[str, Any]) -> str:
    """Return why Nova will refuse a server, as far as that can be known before; else nothing."""
    try:
        return await _unfit_image(cloud, properties) or await _metadata_fault(cloud, properties)
    except CloudError:
        return ""  # Nova itself says what is wrong


async def _unfit_image(cloud: Cloud, properties: Mapping[str, Any]) -> str:
    if not properties.get("image") or not properties.get("flavor"):
        return ""
    image = await cloud.names.find(IMAGE, str(properties["image"]))
    if image["status"] != "active":
        return f"the image {image['name']} is in status {image['status']}: it must be active"
    flavor = await cloud.names.find(FLAVOR, str(properties["flavor"]))
    if flavor["ram"] < image["min_ram"]:
        return (
            f"the image {image['name']} needs {image['min_ram']} MiB of memory, the flavor "
            f"{flavor['name']} has {flavor['ram']}"
        )
    # A flavor without a disk gives the one that the image needs.
    if 0 < flavor["disk"] < image["min_disk"]:
        return (
            f"the image {image['name']} needs a disk of {image['min_disk']} GiB, the flavor "
            f"{flavor['name']} has {flavor['disk']}"
        )
    return ""


async def _metadata_fault(cloud: Cloud, properties: Mapping[str, Any]) -> str:
    metadata = properties.get("metadata")
    if not metadata:
        return ""
    limits = (await cloud.service("compute").get("/limits"))["limits"]["absolute"]
    most = limits.get("maxServerMeta", -1)
    if 0 <= most < len(metadata):
        return f"Instance metadata must not contain greater than {most} entries."
    return ""
