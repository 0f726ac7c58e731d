"""A cloud for each project of a file of tokens."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hotplate.server.refusal import nonsense

if TYPE_CHECKING:
    from hotplate.authority import ProjectClouds


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
