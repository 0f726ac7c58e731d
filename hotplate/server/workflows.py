"""What the configuration says of workflows."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotplate.private_file import NotPrivate, read_private
from hotplate.server.configuration import checked_table, only_known
from hotplate.server.refusal import nonsense
from hotplate.workflow.actions import ActionSettings, Reach
from hotplate.workflow.drivers.driver import SERVICE
from hotplate.workflow.drivers.remote import Identity, KeystoneIdentity, RemoteWorkflows
from hotplate.workflow.engine import FlowSettings

_FILE = "the configuration"
_TABLE = "workflows"
_MISTRAL = "mistral"
"""The table inside it that names a Mistral elsewhere."""


def workflow_settings(written: Mapping[str, Any]) -> tuple[FlowSettings, ActionSettings]:
    """Return the settings in the table [workflows]. Raises CannotStart."""
    of_flows = {each.name for each in dataclasses.fields(FlowSettings)}
    of_actions = {each.name for each in dataclasses.fields(ActionSettings)}
    known = (*sorted(of_flows), *sorted(of_actions), _MISTRAL)
    only_known(_FILE, f"{_TABLE}.", written, known)
    mine = {name: value for name, value in written.items() if name in of_flows}
    others = {name: value for name, value in written.items() if name in of_actions}
    actions = checked_table(_FILE, _TABLE, others, ActionSettings())
    try:
        Reach(actions.may_reach)
    except ValueError as error:
        raise nonsense(f"{_FILE}: {_TABLE}.may_reach: {error}") from None
    return checked_table(_FILE, _TABLE, mine, FlowSettings()), actions


def workflow_services(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return who runs the workflows of resources, if that is a Mistral elsewhere.

    The table [workflows.mistral] has its url; what else it has goes to keystoneauth. Raises
    CannotStart.
    """
    place = f"{_FILE}: {_TABLE}.{_MISTRAL}"
    table = written.get(_MISTRAL)
    if table is None:
        return {}
    if not isinstance(table, Mapping) or not isinstance(table.get("url"), str):
        raise nonsense(f"{place} needs the url of a Mistral, such as http://mistral:8989/v2")
    options = {name: value for name, value in table.items() if name not in ("url", "auth_type")}
    auth_type = str(table.get("auth_type", "password" if options else "none"))
    identity: Identity | None = None
    if auth_type != "none":
        secret = options.pop("password_file", None)
        try:
            if secret is not None:
                options["password"] = read_private(Path(str(secret))).decode().strip()
            identity = KeystoneIdentity(options, auth_type)
        except ImportError:
            raise nonsense(f"{place}: authentication needs hotplate[openstack]") from None
        except NotPrivate as error:
            raise nonsense(f"{place}: {secret} holds a password and {error}") from None
        except Exception as error:
            raise nonsense(f"{place}: {error}") from None
    elif options:
        raise nonsense(f"{place}: auth_type none takes no {', '.join(sorted(options))}")
    return {SERVICE: RemoteWorkflows(table["url"], identity)}
