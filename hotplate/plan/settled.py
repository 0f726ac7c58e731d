"""Whether an update has anything to do for a version. Previews and updates both ask this."""

import json
from collections.abc import Iterable

from hotplate.model import Definition, Version
from hotplate.plan.decide import always_updates
from hotplate.plan.drift import can_be_compared
from hotplate.resources.capabilities import AlwaysReplaced
from hotplate.resources.catalogue import Catalogue
from hotplate.resources.heat.provider_template import resource_type_for
from hotplate.template import AttributePath


def is_settled(
    version: Version,
    wanted: Definition,
    catalogue: Catalogue,
    asked: Iterable[AttributePath],
    converges: bool = False,
) -> bool:
    """Tell whether a version is what is wanted and need not be visited, given all it needs is.

    ``asked`` are the attributes that its stack asks of it. ``converges``: an object that can be
    compared with what is wanted must be, and so must those in a nested stack.
    Raises UnknownType and BadProperty.
    """
    if wanted.fingerprint() != version.fingerprint:
        return False
    resource_type = resource_type_for(catalogue, wanted.type_name)
    if isinstance(resource_type, AlwaysReplaced):
        return False
    if converges and (wanted.child_digest or can_be_compared(resource_type)):
        return False
    if wanted.child_digest:
        return not version.always_visited and not lacks(version, asked)
    return not always_updates(wanted, resource_type)


def is_decided_by_fingerprint(wanted: Definition, catalogue: Catalogue) -> bool:
    """Tell whether a version that is what is wanted is settled, and nothing else counts.

    As long as objects are not compared. Raises UnknownType and BadProperty.
    """
    if wanted.child_digest or wanted.sent or wanted.external_id:
        return False
    resource_type = resource_type_for(catalogue, wanted.type_name)
    return not isinstance(resource_type, AlwaysReplaced) and not always_updates(
        wanted, resource_type
    )


def lacks(version: Version, asked: Iterable[AttributePath]) -> bool:
    """Tell whether something is asked of a stack inside that its version has not taken over.

    That happens when the template around it asks for more than before and it is left as it is.
    """
    known = version.attributes
    return any(
        path[0] not in known and json.dumps(list(path)) not in known for path in asked if path
    )
