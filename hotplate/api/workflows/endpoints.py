"""All endpoints of the workflow API, in the order in which addresses are looked up."""

from hotplate.api.http.endpoint import Endpoint
from hotplate.api.workflows import (
    action_executions,
    cron_triggers,
    definitions,
    environments,
    executions,
    tasks,
)

WORKFLOW_ENDPOINTS: tuple[Endpoint, ...] = (
    *definitions.ENDPOINTS,
    *tasks.ENDPOINTS,
    *executions.ENDPOINTS,
    *action_executions.ENDPOINTS,
    *environments.ENDPOINTS,
    *cron_triggers.ENDPOINTS,
)
