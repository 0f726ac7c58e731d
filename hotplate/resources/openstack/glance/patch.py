"""The steps of a JSON patch that bring an image to its properties."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hotplate.resources.openstack.cloud_resource import CloudResource

_REMOVABLE: Final = ("architecture", "kernel_id", "os_distro", "os_version", "ramdisk_id")
_KEPT: Final = ("owner", "protected", "tags", "visibility")
"""Fields that every image has."""


def extra(properties: Mapping[str, Any]) -> dict[str, str]:
    """Return the extra properties, which are texts to the service."""
    return {key: _text(value) for key, value in (properties.get("extra_properties") or {}).items()}


def patch(it: CloudResource, found: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the steps. What the image has already, or has no more, takes none. Pure."""
    wanted: dict[str, Any] = {
        name: it.properties.get(name) for name in (*_REMOVABLE, *_KEPT) if it.changed(name)
    }
    if "tags" in wanted:
        wanted["tags"] = wanted["tags"] or []
    if wanted.get("owner", "") is None:
        del wanted["owner"]  # somebody owns it
    if it.changed("extra_properties"):
        wanted |= dict.fromkeys(extra(it.old_properties)) | extra(it.properties)
    return list(_steps(wanted, found))


def _steps(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for name, value in wanted.items():
        path = "/" + name.replace("~", "~0").replace("/", "~1")
        if value is None:
            if name in found:
                yield {"op": "remove", "path": path}
        elif found.get(name) != value:
            verb = "replace" if name in found else "add"
            yield {"op": verb, "path": path, "value": value}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
