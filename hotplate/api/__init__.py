"""Heat's v1 REST API, and what it has beyond Heat's."""

from typing import TYPE_CHECKING

from hotplate.lazy_names import loaded_on_use

if TYPE_CHECKING:
    from hotplate.api.application import Application, Identify, Page
    from hotplate.api.endpoints import ENDPOINTS, OPEN_ENDPOINTS
    from hotplate.api.http.endpoint import Authorization, Engine, json_answer
    from hotplate.api.http.faults import Fault, bad_request
    from hotplate.api.http.settings import Settings
    from hotplate.api.openapi import openapi_document
    from hotplate.api.workflows.endpoints import WORKFLOW_ENDPOINTS

__all__ = [
    "ENDPOINTS",
    "OPEN_ENDPOINTS",
    "WORKFLOW_ENDPOINTS",
    "Application",
    "Authorization",
    "Engine",
    "Fault",
    "Identify",
    "Page",
    "Settings",
    "bad_request",
    "json_answer",
    "openapi_document",
]

__getattr__ = loaded_on_use(
    __name__,
    {
        "application": ("Application", "Identify", "Page"),
        "endpoints": ("ENDPOINTS", "OPEN_ENDPOINTS"),
        "http.endpoint": ("Authorization", "Engine", "json_answer"),
        "http.faults": ("Fault", "bad_request"),
        "http.settings": ("Settings",),
        "openapi": ("openapi_document",),
        "workflows.endpoints": ("WORKFLOW_ENDPOINTS",),
    },
)
