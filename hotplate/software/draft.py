"""Configs and deployments that are still to be made: all but their ids, times and owners."""

from dataclasses import dataclass, field
from typing import Any

from hotplate.model import Input, Output


@dataclass(frozen=True, slots=True)
class ConfigDraft:
    """A config that is still to be made."""

    name: str | None = None
    group: str | None = None
    config: Any = None
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DeploymentDraft:
    """A deployment that is still to be made."""

    config_id: str
    server_id: str
    input_values: dict[str, Any] = field(default_factory=dict)
    action: str | None = None
    status: str | None = None
    reason: str = ""
    stack_user_project_id: str | None = None
