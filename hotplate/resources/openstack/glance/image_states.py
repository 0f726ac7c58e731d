"""What the status of an image says of its download."""

from collections.abc import Mapping
from typing import Any, Final

from hotplate.resources.openstack.states import Progress, States


class ImportStates(States):
    """An image whose download failed is queued again; only a property of it tells."""

    __slots__ = ()

    def progress(self, found: Mapping[str, Any]) -> Progress:
        if self.status(found) == "queued" and found.get("os_glance_failed_import"):
            return Progress.FAILED
        return super().progress(found)


IMPORTED: Final = ImportStates(
    ended=frozenset(("active", "deactivated")),
    going_on=frozenset(("queued", "saving", "importing", "uploading")),
)
