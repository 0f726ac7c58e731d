"""What the configuration says of workflows."""

import dataclasses
from collections.abc import Mapping
from typing import Any

from hotplate.actions import ActionSettings
from hotplate.flows.settings import FlowSettings
from hotplate.server.configuration import checked_table, only_known

_FILE = "the configuration"
_TABLE = "workflows"


def workflow_settings(written: Mapping[str, Any]) -> tuple[FlowSettings, ActionSettings]:
    """Return the settings in the table [workflows]. Raises CannotStart."""
    of_flows = {each.name for each in dataclasses.fields(FlowSettings)}
    of_actions = {each.name for each in dataclasses.fields(ActionSettings)}
    only_known(_FILE, f"{_TABLE}.", written, (*sorted(of_flows), *sorted(of_actions)))
    mine = {name: value for name, value in written.items() if name in of_flows}
    others = {name: value for name, value in written.items() if name in of_actions}
    return (
        checked_table(_FILE, _TABLE, mine, FlowSettings()),
        checked_table(_FILE, _TABLE, others, ActionSettings()),
    )
