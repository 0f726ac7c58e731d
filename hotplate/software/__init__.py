"""Software configs and deployments: what may be in them, and how one is made of another. Pure."""

from hotplate.software.deployment import Changes, change
from hotplate.software.depth import check_depth
from hotplate.software.derived import Signal, deploy_inputs, derive
from hotplate.software.draft import ConfigDraft, DeploymentDraft
from hotplate.software.report import COMPLETE, FAILED, IN_PROGRESS, REPORTED, outcome, reported
from hotplate.software.run import Run
from hotplate.software.signature import Unfit, read_inputs, read_outputs
from hotplate.software.structured import InputMissing, filled

__all__ = [
    "COMPLETE",
    "FAILED",
    "IN_PROGRESS",
    "REPORTED",
    "Changes",
    "ConfigDraft",
    "DeploymentDraft",
    "InputMissing",
    "Run",
    "Signal",
    "Unfit",
    "change",
    "check_depth",
    "deploy_inputs",
    "derive",
    "filled",
    "outcome",
    "read_inputs",
    "read_outputs",
    "reported",
]
