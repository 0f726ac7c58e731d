"""The API tests that Heat's own test plugin ships, played against the real server."""

import subprocess
import sys

from tests.acceptance.clients.gabbits import folder
from tests.acceptance.serving import serving


def test_all_files_are_there() -> None:
    assert sorted(path.stem for path in folder().glob("*.yaml")) == [
        "environments",
        "resources",
        "resourcetypes",
        "softwareconfig",
        "stacks",
        "templates",
    ]


def test_every_request_of_the_plugin_is_answered_as_it_expects() -> None:
    with serving() as served:
        played = subprocess.run(
            [sys.executable, "-m", "tests.acceptance.clients.gabbits", served.endpoint("gabbi")],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert played.returncode == 0, played.stdout + played.stderr
    assert played.stdout.split() == ["47"]
