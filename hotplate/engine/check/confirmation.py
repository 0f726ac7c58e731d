"""An update node confirms its version for the traversal: what it shall be, and for whom."""

from typing import Any

from hotplate.document import same
from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.version_transitions import observe, recover
from hotplate.model import Action, Definition, Relation, Status, Version


def confirm(node: CheckedNode, wanted: Definition, needed: list[int]) -> None:
    """Keep the version as it is; what it requires may have changed all the same."""
    version = node.version
    want(node, wanted, needed)
    version.requires = needed
    if version.status is Status.FAILED:
        recover(version)
    if node.live.fault:
        observe(version, version.action, version.status, node.live.fault)


def want(node: CheckedNode, wanted: Definition, needed: list[int]) -> None:
    """Note what the version shall be, before it is brought there.

    ``needed`` are the versions that it requires then; until then it may require the old ones too.
    """
    version, claim = node.version, node.claim
    version.before = {**_applied(version, wanted), **node.live.drifted}
    version.owner = claim.node.sequence
    version.recipe = claim.stack.recipe
    version.type = wanted.type
    version.requires = sorted({*version.requires, *needed})
    version.needed = needed
    version.definition = wanted
    version.fingerprint = wanted.fingerprint()
    version.replaced_by = None
    if version.relation is Relation.KEPT:
        version.relation = Relation.MANAGED


def _applied(version: Version, wanted: Definition) -> dict[str, Any]:
    """Return the properties that the object counts as having.

    An update that failed may have applied some of its own and left others as they were. Of the two
    values that the object may have, that one counts which is not wanted: so its type sees a change
    and makes it, once more or at last. An update that is tried again would find nothing to do else.
    """
    failed = version.definition.properties
    if (version.action, version.status) != (Action.UPDATE, Status.FAILED) or not version.before:
        return dict(failed)
    older, new = version.before, wanted.properties
    names = dict.fromkeys((*older, *failed))
    chosen = {name: failed if same(older.get(name), new.get(name)) else older for name in names}
    return {name: values[name] for name, values in chosen.items() if name in values}
