"""Other servers that speak Heat's API, under the names that the operator gives them."""

from hotplate.resources.regions.heat_api import HeatApi, Refused, StackState, Unreachable
from hotplate.resources.regions.region import (
    PATIENCE,
    SERVICE,
    Access,
    Region,
    Regions,
    UnknownRegion,
)

__all__ = [
    "PATIENCE",
    "SERVICE",
    "Access",
    "HeatApi",
    "Refused",
    "Region",
    "Regions",
    "StackState",
    "UnknownRegion",
    "Unreachable",
]
