"""OS::Nova::Quota."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.cloud import Collection
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.quota import QuotaSet
from hotplate.resources.openstack.schema import integer, text
from hotplate.resources.property import Property

_REFUSED: Final = frozenset(
    (
        *("fixed_ips", "floating_ips", "security_group_rules", "security_groups"),
        *("injected_file_content_bytes", "injected_file_path_bytes", "injected_files"),
    )
)
"""Quotas that Nova does not have any more since its API versions 2.36 and 2.57."""


def _most(what: str) -> Property:
    return integer(f"{what}; -1 for any number", between=(-1, None), updatable=True)


class Quota(QuotaSet):
    """How much a project may have in the compute service; for administrators."""

    name = "OS::Nova::Quota"
    collection = Collection("compute", "/os-quota-sets", "quota_set")
    properties = {
        "cores": _most("virtual processors of all servers"),
        "fixed_ips": _most("fixed addresses; Nova takes it no more"),
        "floating_ips": _most("floating IPs; Nova takes it no more"),
        "injected_file_content_bytes": _most("bytes of a file; Nova takes it no more"),
        "injected_file_path_bytes": _most("bytes of a file's name; Nova takes it no more"),
        "injected_files": _most("files of a server; Nova takes it no more"),
        "instances": _most("servers"),
        "key_pairs": _most("key pairs of a user"),
        "metadata_items": _most("metadata of a server"),
        "project": text("the project, by name or id", rule="keystone.project", required=True),
        "ram": _most("MiB of memory of all servers"),
        "security_group_rules": _most("rules of a security group; Nova takes it no more"),
        "security_groups": _most("security groups; Nova takes it no more"),
        "server_group_members": _most("servers of a server group"),
        "server_groups": _most("server groups"),
    }

    def validate(self, properties: Mapping[str, Any], timeout: float | None = None) -> str:
        refused = sorted(name for name in _REFUSED if properties.get(name) is not None)
        if refused:
            return f"Nova has no quotas for {', '.join(refused)}: OS::Neutron::Quota has the others"
        return super().validate(properties, timeout)

    async def _see_usage(self, it: CloudResource, quotas: Mapping[str, int]) -> None:
        """Leave it to Nova, which refuses quotas below what the project uses."""
