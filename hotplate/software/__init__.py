"""Software configs and deployments: what may be in them, and how one is made of another. Pure."""

from hotplate.software.deployment import Changes, change
from hotplate.software.depth import check_depth
from hotplate.software.derived import Signal, deploy_inputs, derive
from hotplate.software.draft import ConfigDraft, DeploymentDraft
from hotplate.software.signature import Unfit, read_inputs, read_outputs

__all__ = [
    "Changes",
    "ConfigDraft",
    "DeploymentDraft",
    "Signal",
    "Unfit",
    "change",
    "check_depth",
    "deploy_inputs",
    "derive",
    "read_inputs",
    "read_outputs",
]
