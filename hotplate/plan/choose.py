"""Which of several versions of a resource a traversal goes on with."""

from collections.abc import Iterable

from hotplate.model import Action, Status, Version


def choose(
    versions: Iterable[Version],
    coming_from: str | None,
    going_to: str,
    external_id: str | None = None,
) -> Version | None:
    """Return the most up-to-date version in the best state, None if there is none.

    A version of the recipe we go to wins: after a rollback the original is taken up again rather
    than its replacement. A failed one loses against one in order, and one that is being deleted
    against every other. ``external_id`` is the object that the resource shall be, if that is known:
    whichever version has it comes first, for otherwise the others could delete it.
    """

    def rank(version: Version) -> tuple[int, float, int]:
        score = 0
        if version.status is Status.FAILED:
            score -= 30
        if version.action is Action.DELETE:
            score -= 50
        if version.replaced_by is not None:
            score -= 1
        if version.recipe == going_to:
            score += 10
        elif version.recipe == coming_from:
            score += 5
        if external_id is not None and version.physical_id == external_id:
            score += 40
        return score, version.updated_at or version.created_at, version.id

    return max(versions, key=rank, default=None)
