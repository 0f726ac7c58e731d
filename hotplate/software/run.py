"""One run of a deployment: what a server is to do for one action of a stack."""

from dataclasses import dataclass
from typing import Any

from hotplate.software.draft import ConfigDraft
from hotplate.software.report import COMPLETE, IN_PROGRESS


@dataclass(frozen=True, slots=True)
class Run:
    """A derived config, and the deployment that it is for.

    ``config_id`` is new for each run and the same for each try of it. ``previous`` are the
    configs of earlier runs, which are needed no longer.
    """

    deployment_id: str
    config_id: str
    server_id: str
    stack_id: str
    action: str
    draft: ConfigDraft
    input_values: dict[str, Any]
    previous: tuple[str, ...]
    is_awaited: bool
    """Whether the server is to report back."""

    @property
    def status(self) -> str:
        """The status that the deployment has once the server can see it."""
        return IN_PROGRESS if self.is_awaited else COMPLETE

    @property
    def reason(self) -> str:
        """Why it has that status, in Heat's words."""
        return "Deploy data available" if self.is_awaited else "Not waiting for outputs signal"
