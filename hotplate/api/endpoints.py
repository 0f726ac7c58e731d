"""All endpoints, in the order in which addresses are looked up."""

from hotplate.api.endpoint import Endpoint

ENDPOINTS: tuple[Endpoint, ...] = ()

OPEN_ENDPOINTS: tuple[Endpoint, ...] = ()
"""Directly below the version: signed addresses."""
