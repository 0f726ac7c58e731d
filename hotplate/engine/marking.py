"""Resources that somebody calls unhealthy, or well again."""

from typing import Final

from hotplate.model import Action, Status, Version

_FAILED: Final = "failed"
"""Key in the definition of a version that had failed before it was called unhealthy: the action
and the reason. The next update writes the definition anew."""


def mark_version(version: Version, unhealthy: bool, reason: str) -> None:
    """Call a version unhealthy, so that the next update replaces it, or take that back.

    Whoever takes it back knows of the mark and nothing else: what had failed before is as it was
    then, and not in order.
    """
    earlier = version.definition.get(_FAILED)
    if version.action is not Action.CHECK or version.status is not Status.FAILED:
        is_failed = version.status is Status.FAILED
        earlier = [version.action.value, version.reason] if is_failed else None
    definition = {key: value for key, value in version.definition.items() if key != _FAILED}
    version.action, version.reason = Action.CHECK, reason
    version.status = Status.FAILED if unhealthy or earlier else Status.COMPLETE
    if unhealthy and earlier:
        definition[_FAILED] = earlier
    elif earlier:
        version.action, version.reason = Action(earlier[0]), earlier[1]
    version.definition = definition
