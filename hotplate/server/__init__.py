"""The API and the engine: in one process that listens, or the engine in a process of its own."""

from typing import TYPE_CHECKING

from hotplate.lazy_names import loaded_on_use

if TYPE_CHECKING:
    from hotplate.server.access.identity import anybody
    from hotplate.server.access.policy_report import PolicyReport
    from hotplate.server.address import Address
    from hotplate.server.broker import shown_broker
    from hotplate.server.configuration import (
        AUTH,
        LOG_FORMATS,
        LOG_LEVELS,
        Configuration,
        configure,
    )
    from hotplate.server.engine import (
        WorkerDied,
        explained_errors,
        running_engine,
        services_of,
        shown_url,
    )
    from hotplate.server.engine_process import run_worker
    from hotplate.server.logs import set_up_logs
    from hotplate.server.own_page import run_page
    from hotplate.server.record import file_of, recorded_server
    from hotplate.server.refusal import CannotStart
    from hotplate.server.service import application, run
    from hotplate.server.status import ClusterStatus, DeadLetters, status_of
    from hotplate.server.workflows import workflow_services, workflow_settings

__all__ = [
    "AUTH",
    "LOG_FORMATS",
    "LOG_LEVELS",
    "Address",
    "CannotStart",
    "ClusterStatus",
    "Configuration",
    "DeadLetters",
    "PolicyReport",
    "WorkerDied",
    "anybody",
    "application",
    "configure",
    "explained_errors",
    "file_of",
    "recorded_server",
    "run",
    "run_page",
    "run_worker",
    "running_engine",
    "services_of",
    "set_up_logs",
    "shown_broker",
    "shown_url",
    "status_of",
    "workflow_services",
    "workflow_settings",
]

__getattr__ = loaded_on_use(
    __name__,
    {
        "address": ("Address",),
        "configuration": ("AUTH", "LOG_FORMATS", "LOG_LEVELS", "Configuration", "configure"),
        "engine": ("WorkerDied", "explained_errors", "running_engine", "services_of", "shown_url"),
        "broker": ("shown_broker",),
        "engine_process": ("run_worker",),
        "access.identity": ("anybody",),
        "logs": ("set_up_logs",),
        "access.policy_report": ("PolicyReport",),
        "own_page": ("run_page",),
        "record": ("file_of", "recorded_server"),
        "refusal": ("CannotStart",),
        "service": ("application", "run"),
        "status": ("ClusterStatus", "DeadLetters", "status_of"),
        "workflows": ("workflow_services", "workflow_settings"),
    },
)
