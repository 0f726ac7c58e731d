"""The examples of docs/api.md work against a real server."""

import json
import re
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any

from tests.acceptance.serving import PATIENCE, serving

PAGE = Path(__file__).resolve().parents[3] / "docs" / "api.md"
ADDRESS = "http://127.0.0.1:8004"


def test_the_examples_work_as_they_are_written() -> None:
    (block,) = re.findall(r"```console curl\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    commands = [command.strip() for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]
    assert len(commands) > 5
    with serving() as served:
        answers: list[Any] = []
        for command in commands:
            said = subprocess.run(
                command.replace(ADDRESS, served.url),
                shell=True, check=True, capture_output=True, text=True, timeout=PATIENCE,
            ).stdout  # fmt: skip
            answers.append(json.loads(said) if said else None)
            rest(f"{served.url}/v1/demo/stacks")
    created, shown, resources, environment, patched, tree, deleted = answers
    assert shown["stack"]["id"] == created["stack"]["id"]
    assert shown["stack"]["outputs"][0]["output_value"] == "hello world"
    assert [item["resource_name"] for item in resources["resources"][2:]] == ["0", "1"]
    (origin,) = environment["origins"]
    assert (origin["path"], origin["file"]) == (["parameters", "who"], "mine.yaml")
    assert tree["stack"]["stack_status"] == "UPDATE_COMPLETE"
    assert patched is deleted is None


def rest(stacks: str) -> None:
    """Wait until no stack is at work."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with urllib.request.urlopen(stacks) as answer:
            found = json.load(answer)["stacks"]
        if not any(stack["stack_status"].endswith("IN_PROGRESS") for stack in found):
            return
        time.sleep(0.05)
    raise AssertionError("the stacks do not come to rest")
