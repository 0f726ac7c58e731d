"""OS::Cinder::Quota."""

from hotplate.cloud import Collection
from hotplate.resources.openstack.quota import QuotaSet
from hotplate.resources.openstack.schema import integer, text


class Quota(QuotaSet):
    """How much a project may have in the block storage service; for administrators."""

    name = "OS::Cinder::Quota"
    collection = Collection("block-storage", "/os-quota-sets", "quota_set")
    properties = {
        "backup_gigabytes": integer(
            "GiB of all backups; -1 for any number", between=(-1, None), updatable=True
        ),
        "backups": integer("backups; -1 for any number", between=(-1, None), updatable=True),
        "gigabytes": integer(
            "GiB of all volumes and snapshots; -1 for any number",
            between=(-1, None),
            updatable=True,
        ),
        "project": text("the project, by name or id", rule="keystone.project", required=True),
        "snapshots": integer("snapshots; -1 for any number", between=(-1, None), updatable=True),
        "volumes": integer("volumes; -1 for any number", between=(-1, None), updatable=True),
    }
