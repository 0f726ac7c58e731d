"""Which version stands for the name of a resource, and which older ones are left."""

from collections.abc import Iterable

from hotplate.model import Action, Status, Version


def shown(versions: Iterable[Version]) -> dict[str, Version]:
    """Return the version of each name that stands for it: the newest that is not going away."""
    shown: dict[str, Version] = {}
    for version in versions:
        present = shown.get(version.name)
        if present is None or _standing(version) >= _standing(present):
            shown[version.name] = version
    return shown


def old_versions(versions: Iterable[Version], name: str | None = None) -> list[Version]:
    """Return those for which another stands and that have an object or are being removed.

    The newest first; only those of one name if it is given.
    """
    known = [version for version in versions if name is None or version.name == name]
    stands = {version.id for version in shown(known).values()}
    return [
        version
        for version in sorted(known, key=_standing, reverse=True)
        if version.id not in stands and _is_left(version)
    ]


def _is_left(version: Version) -> bool:
    """Tell whether an old version has an object, may have one, or is being removed."""
    if version.action is Action.DELETE:
        return version.status is not Status.COMPLETE
    return version.physical_id is not None or version.status is Status.IN_PROGRESS


def named(versions: Iterable[Version], name: str) -> Version | None:
    """Return the version that stands for a resource, by its name or by its physical id."""
    resources = shown(versions)
    if name in resources:
        return resources[name]
    return next((each for each in resources.values() if each.physical_id == name), None)


def _standing(version: Version) -> tuple[bool, int, int]:
    return version.action is not Action.DELETE, version.owner, version.id
