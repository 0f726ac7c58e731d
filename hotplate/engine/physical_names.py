"""What objects are called before there is an id."""

from hotplate.model import Stack, Version


def child_name(parent: Stack, version: Version) -> str:
    """Return the name of the stack that a version of the parent is."""
    suffix = version.uuid.replace("-", "")[:12]
    # A name has at most 255 characters, however deep the stacks; the suffix makes it unique.
    return f"{f'{parent.name}-{version.name}'[:242]}-{suffix}"


def reported_id(stack: Stack, version: Version) -> str | None:
    """Return the physical id that events of a version report.

    Before there is one it is the physical name, from the moment in which an object may exist.
    """
    return version.physical_id or (child_name(stack, version) if version.attempt else None)
