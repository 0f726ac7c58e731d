"""OS::Heat::HARestarter: a placeholder for old templates."""

from hotplate.resources.heat.none import NoneType
from hotplate.resources.support import Support, SupportStatus


class HARestarter(NoneType):
    """Takes anything and does nothing, as in Heat since the type was given up."""

    name = "OS::Heat::HARestarter"
    support = Support(
        SupportStatus.HIDDEN,
        "10.0.0",
        "It does nothing. Mark a resource unhealthy and update its stack instead.",
        Support(SupportStatus.DEPRECATED, "2015.1"),
    )
