"""All endpoints, in the order in which addresses are looked up."""

from hotplate.api import build_info, services
from hotplate.api.events import events, stream
from hotplate.api.http.endpoint import Endpoint
from hotplate.api.resources import differences, resources, signals, tree
from hotplate.api.software import configs, deployments
from hotplate.api.stacks import (
    actions,
    environments,
    explanations,
    following,
    listing,
    previews,
    redirects,
    snapshots,
    stacks,
)
from hotplate.api.templates import loose_files, resource_types, validate, versions
from hotplate.api.workflows import following as following_executions
from hotplate.api.workflows import project_executions

ENDPOINTS: tuple[Endpoint, ...] = (
    *listing.ENDPOINTS,
    *following.ENDPOINTS,
    *previews.ENDPOINTS,
    *redirects.ENDPOINTS,
    *stacks.ENDPOINTS,
    *environments.ENDPOINTS,
    *actions.ENDPOINTS,
    *snapshots.ENDPOINTS,
    *tree.ENDPOINTS,
    *explanations.ENDPOINTS,
    *differences.ENDPOINTS,
    *stream.ENDPOINTS,
    *events.ENDPOINTS,
    *resources.ENDPOINTS,
    *signals.ENDPOINTS,
    *following_executions.ENDPOINTS,
    *project_executions.ENDPOINTS,
    *configs.ENDPOINTS,
    *deployments.ENDPOINTS,
    *services.ENDPOINTS,
    *validate.ENDPOINTS,
    *loose_files.ENDPOINTS,
    *resource_types.ENDPOINTS,
    *versions.ENDPOINTS,
    *build_info.ENDPOINTS,
)

OPEN_ENDPOINTS: tuple[Endpoint, ...] = signals.OPEN_ENDPOINTS
"""Directly below the version: signed addresses."""
