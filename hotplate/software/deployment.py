"""What happens to a deployment after it has been made."""

from dataclasses import dataclass, fields, replace
from typing import Any

from hotplate.model import SoftwareDeployment


@dataclass(frozen=True, slots=True)
class Changes:
    """What is to change; None leaves things as they are."""

    config_id: str | None = None
    input_values: dict[str, Any] | None = None
    output_values: dict[str, Any] | None = None
    action: str | None = None
    status: str | None = None
    reason: str | None = None


def change(deployment: SoftwareDeployment, changes: Changes, now: float) -> SoftwareDeployment:
    """Return the deployment as it is afterwards. Maps are replaced as a whole, not merged.

    It counts as updated even if nothing differs, so whoever reports sees that the report arrived.
    """
    asked = {each.name: getattr(changes, each.name) for each in fields(changes)}
    given = {name: value for name, value in asked.items() if value is not None}
    return replace(deployment, **given, updated_at=now)
