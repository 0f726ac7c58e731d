"""Software configs and their deployments as plain facts."""

from dataclasses import dataclass
from enum import Enum
from typing import Any


class ValueType(Enum):
    """What an input or an output holds, as the API names it."""

    STRING = "String"
    NUMBER = "Number"
    LIST = "CommaDelimitedList"
    JSON = "Json"
    BOOLEAN = "Boolean"


@dataclass(frozen=True, slots=True)
class Input:
    """What a config is given on the server. ``has_value``: its value is known, perhaps as None."""

    name: str
    type: ValueType = ValueType.STRING
    description: str | None = None
    default: Any = None
    replace_on_change: bool = False
    value: Any = None
    has_value: bool = False

    def document(self) -> dict[str, Any]:
        """Return it as the API and the agents on servers know it: what is not set is left out."""
        document: dict[str, Any] = {"name": self.name, "type": self.type.value}
        if self.description is not None:
            document["description"] = self.description
        if self.default is not None:
            document["default"] = self.default
        if self.replace_on_change:
            document["replace_on_change"] = True
        if self.has_value:
            document["value"] = self.value
        return document


@dataclass(frozen=True, slots=True)
class Output:
    """What a config reports. ``is_error``: whatever is reported there means that it failed."""

    name: str
    type: ValueType = ValueType.STRING
    description: str | None = None
    is_error: bool = False

    def document(self) -> dict[str, Any]:
        """Return it as the API and the agents on servers know it."""
        document: dict[str, Any] = {"name": self.name, "type": self.type.value}
        if self.description is not None:
            document["description"] = self.description
        document["error_output"] = self.is_error
        return document


@dataclass(frozen=True, slots=True)
class SoftwareConfig:
    """Software to be set up on servers. It never changes once it has been made.

    ``group`` is the tool on the server that understands ``config``, a text or a map.
    """

    id: str
    project: str
    name: str | None
    group: str | None
    config: Any
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    options: dict[str, Any]
    created_at: float


@dataclass(frozen=True, slots=True)
class SoftwareDeployment:
    """A config on one server. Action and status are texts of the deploying client."""

    id: str
    project: str
    config_id: str
    server_id: str
    input_values: dict[str, Any]
    output_values: dict[str, Any] | None
    action: str | None
    status: str | None
    reason: str
    stack_user_project_id: str | None
    created_at: float
    updated_at: float | None
    stack_id: str | None = None
    """The stack whose resource it is; None if it was made over the API."""
