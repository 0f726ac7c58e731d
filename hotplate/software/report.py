"""What a server reports of a deployment, and what that means for it."""

from collections.abc import Mapping, Sequence
from typing import Any

from hotplate.model import Output, SoftwareDeployment
from hotplate.software.deployment import Changes

IN_PROGRESS = "IN_PROGRESS"
COMPLETE = "COMPLETE"
FAILED = "FAILED"

STATUS_CODE = "deploy_status_code"
REPORTED = ("deploy_stdout", "deploy_stderr", STATUS_CODE)
"""What is kept of every report, whatever the outputs of the config."""


def outcome(deployment_id: str, outputs: Sequence[Output], details: Mapping[str, Any]) -> str:
    """Return what an event says about a report, in Heat's words."""
    if any(output.is_error and output.name in details for output in outputs):
        return f"deployment {deployment_id} failed"
    code = details.get(STATUS_CODE)
    if code and str(code) != "0":
        return f"deployment {deployment_id} failed ({code})"
    return f"deployment {deployment_id} succeeded"


def reported(
    deployment: SoftwareDeployment, outputs: Sequence[Output], details: Mapping[str, Any]
) -> Changes | None:
    """Return what a report changes; None if none is awaited.

    A status code other than 0, and anything in an output for errors, mean that it failed. Values
    of outputs that the report leaves out stay as they were.
    """
    if deployment.status != IN_PROGRESS:
        return None
    values = dict(deployment.output_values or {})
    faults: dict[str, Any] = {}
    code = details.get(STATUS_CODE)
    if code and str(code) != "0":
        faults[STATUS_CODE] = f"Deployment exited with non-zero status code: {code}"
    for output in outputs:
        if output.name in details:
            values[output.name] = details[output.name]
            if output.is_error:
                faults[output.name] = details[output.name]
    values |= {name: details.get(name) for name in REPORTED}
    if faults:
        reason = ", ".join(f"{name} : {fault}" for name, fault in faults.items())
        return Changes(output_values=values, status=FAILED, reason=reason)
    return Changes(output_values=values, status=COMPLETE, reason="Outputs received")
