"""Clouds of many: one for each user of Keystone, or one for each project of a file of tokens."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hotplate.server.configuration import checked_table
from hotplate.server.refusal import nonsense

if TYPE_CHECKING:
    from hotplate.authority import AuthorityClouds, AuthoritySettings, ProjectClouds
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


def clouds_of_projects(names: Mapping[str, str]) -> "ProjectClouds":
    """Return the clouds of projects, named as in clouds.yaml; nothing is loaded yet."""
    from hotplate.authority.projects import ProjectClouds  # noqa: PLC0415 (few have several)

    def load(name: str) -> Any:
        from hotplate.cloud import Cloud  # noqa: PLC0415 (only those who use a cloud need it)

        return Cloud.load(os.environ, name)

    return ProjectClouds(names, load)


def checked_clouds(file: Path, table: Any) -> dict[str, str]:
    """Return what the table [clouds] says: the cloud of each project. Raises CannotStart."""
    if not isinstance(table, dict) or not all(isinstance(each, str) for each in table.values()):
        raise nonsense(
            f'{file}: clouds is a table of texts; write [clouds] and lines such as demo = "name", '
            "a project and a cloud of clouds.yaml"
        )
    return dict(table)
