"""All endpoints, in the order in which addresses are looked up."""

from hotplate.api import (
    actions,
    build_info,
    environments,
    event_stream,
    events,
    executions,
    explanations,
    lookups,
    previews,
    resource_types,
    resources,
    services,
    signals,
    snapshots,
    software_configs,
    software_deployments,
    stack_listing,
    stacks,
    template_versions,
    tree,
    validate,
)
from hotplate.api.endpoint import Endpoint

ENDPOINTS: tuple[Endpoint, ...] = (
    *stack_listing.ENDPOINTS,
    *previews.ENDPOINTS,
    *lookups.ENDPOINTS,
    *stacks.ENDPOINTS,
    *environments.ENDPOINTS,
    *actions.ENDPOINTS,
    *snapshots.ENDPOINTS,
    *tree.ENDPOINTS,
    *explanations.ENDPOINTS,
    *event_stream.ENDPOINTS,
    *events.ENDPOINTS,
    *resources.ENDPOINTS,
    *signals.ENDPOINTS,
    *executions.ENDPOINTS,
    *software_configs.ENDPOINTS,
    *software_deployments.ENDPOINTS,
    *services.ENDPOINTS,
    *validate.ENDPOINTS,
    *resource_types.ENDPOINTS,
    *template_versions.ENDPOINTS,
    *build_info.ENDPOINTS,
)

OPEN_ENDPOINTS: tuple[Endpoint, ...] = signals.OPEN_ENDPOINTS
"""Directly below the version: signed addresses."""
