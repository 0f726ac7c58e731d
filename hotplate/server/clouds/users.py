"""A cloud for each user of Keystone."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hotplate.server.configuration import checked_table
from hotplate.server.refusal import nonsense

if TYPE_CHECKING:
    from hotplate.authority import AuthorityClouds, AuthoritySettings
    from hotplate.server.access.keystone.settings import KeystoneSettings

_FILE = "the configuration"


def authority_settings(table: Mapping[str, Any]) -> "AuthoritySettings":
    """Return what the table [authority] says. Raises CannotStart."""
    from hotplate.authority.settings import TRUSTS, AuthoritySettings  # noqa: PLC0415 (few need it)

    found = checked_table(_FILE, "authority", table, AuthoritySettings())
    if found.trusts not in TRUSTS:
        raise nonsense(f"{_FILE}: authority.trusts is one of {', '.join(TRUSTS)}")
    return found


def clouds_of_users(keystone: "KeystoneSettings", table: Mapping[str, Any]) -> "AuthorityClouds":
    """Return the clouds of all users of a Keystone. Raises CannotStart."""
    from hotplate.authority import AuthorityClouds  # noqa: PLC0415 (few use Keystone)
    from hotplate.cloud.calling import Clock  # noqa: PLC0415

    settings = authority_settings(table)
    return AuthorityClouds(keystone.service_user, settings, Clock(time.time))
