"""An update node confirms its version for the traversal: what it shall be, and for whom."""

from hotplate.engine.check.checked_node import CheckedNode
from hotplate.engine.version_transitions import observe, recover
from hotplate.model import Definition, Relation, Status


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
    version.before = {**version.definition.properties, **node.live.drifted}
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
