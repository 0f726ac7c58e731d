"""The real command on the test cloud: its own home, and a clouds.yaml that names one cloud."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from tests.cloud.box.places import credentials

USER = "alt"
"""Whose project is empty but for what these tests make: stories are played in another one."""

_SECONDS = 600
_AUTH = frozenset(
    ("auth_url", "username", "password", "project_name", "user_domain_name", "project_domain_name")
)


def clouds_yaml(user: str = USER) -> str:
    """Return a clouds.yaml with the test cloud as its only one."""
    said = {name[3:].lower(): text for name, text in credentials(user).items()}
    auth = {name: text for name, text in said.items() if name in _AUTH}
    cloud = {"auth": auth, "region_name": said["region_name"]}
    return yaml.safe_dump({"clouds": {"box": cloud}})


@dataclass(frozen=True)
class Desk:
    """A user's machine: a home with a clouds.yaml, and nothing else."""

    home: Path
    more: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        folder = self.home / ".config" / "openstack"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "clouds.yaml").write_text(clouds_yaml())

    @property
    def environ(self) -> dict[str, str]:
        """What the command sees: no variable of OpenStack."""
        kept = {
            name: text
            for name, text in os.environ.items()
            if not name.startswith(("OS_", "HOTPLATE_")) and name != "XDG_CONFIG_HOME"
        }
        return {**kept, "HOME": str(self.home), "no_proxy": "127.0.0.1", **self.more}

    def start(self, *words: str) -> subprocess.Popen[str]:
        """Start the command."""
        return subprocess.Popen(
            [Path(sys.executable).parent / "hotplate", *words],
            env=self.environ,
            cwd=self.home,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def run(self, *words: str) -> str:
        """Run the command; return what it prints. It must end well."""
        process = self.start(*words)
        printed, _ = process.communicate(timeout=_SECONDS)
        assert process.returncode == 0, f"hotplate {' '.join(words)}:\n{printed}"
        return printed

    def has(self, stack: str) -> bool:
        """Tell whether there is a stack of that name."""
        return re.search(rf"^{stack}\b", self.run("ls"), re.MULTILINE) is not None
