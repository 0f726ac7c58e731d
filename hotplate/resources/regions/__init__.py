"""Other servers that speak Heat's API: those that the operator names, and those of clouds."""

from hotplate.resources.regions.direct import Access, DirectServer
from hotplate.resources.regions.errors import Refused, UnknownRegion, Unreachable
from hotplate.resources.regions.heat_api import HeatApi, HeatServer, StackState
from hotplate.resources.regions.region import (
    PATIENCE,
    SERVICE,
    Region,
    Regions,
    RemoteClouds,
)

__all__ = [
    "PATIENCE",
    "SERVICE",
    "Access",
    "DirectServer",
    "HeatApi",
    "HeatServer",
    "Refused",
    "Region",
    "Regions",
    "RemoteClouds",
    "StackState",
    "UnknownRegion",
    "Unreachable",
]
