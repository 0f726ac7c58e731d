"""Another tenant: how long its small requests take; and how much memory the server takes."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tests.attacks import templates

SMALL = templates.layers(4, 4, 2)
"""Ten resources in three layers."""

_PAUSE = 0.01
"""Seconds between two looks at a stack in progress."""


@dataclass(slots=True)
class Victim:
    """A client of a project of its own."""

    root: str
    project: str
    token: str
    waits: list[float] = field(default_factory=list)
    """Seconds of health checks and lists."""

    stacks: list[float] = field(default_factory=list)
    """Seconds from the request for a small stack until it is complete."""

    _http: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self._http = httpx.Client(headers={"x-auth-token": self.token}, timeout=60)

    def __enter__(self) -> "Victim":
        return self

    def __exit__(self, *error: object) -> None:
        self._http.close()

    def look(self, end: float) -> None:
        """Do as a user does until the time has come: look, and make small stacks."""
        while time.monotonic() < end:
            self.make_stack()

    def make_stack(self) -> None:
        """Make a small stack and delete it; look at the list meanwhile."""
        base = f"{self.root}/v1/{self.project}/stacks"
        name = f"v{time.monotonic_ns()}"
        begun = time.monotonic()
        answer = self._http.post(base, json={"stack_name": name, "template": SMALL})
        assert answer.status_code == 201, answer.text
        while True:
            self._timed(f"{self.root}/healthcheck")
            stacks = json.loads(self._timed(base))["stacks"]
            state = next(each["stack_status"] for each in stacks if each["stack_name"] == name)
            if state == "CREATE_COMPLETE":
                break
            assert state == "CREATE_IN_PROGRESS", state
            time.sleep(_PAUSE)
        self.stacks.append(time.monotonic() - begun)
        self._http.delete(f"{base}/{name}", follow_redirects=True)

    def _timed(self, url: str) -> str:
        begun = time.monotonic()
        answer = self._http.get(url)
        self.waits.append(time.monotonic() - begun)
        assert answer.status_code == 200, (url, answer.text)
        return answer.text


def percentile(values: list[float], part: float) -> float:
    """Return the value below which that part of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def memory_of(pid: int) -> int:
    """Return the bytes that a process and all below it take, shared ones counted once."""
    return sum(map(_proportional, _tree(pid)))


def _tree(pid: int) -> Iterator[int]:
    yield pid
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            children = task.read_text("ascii").split()
        except OSError:
            continue
        for child in children:
            yield from _tree(int(child))


def _proportional(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii")
    except OSError:
        return 0
    return next(
        int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:")
    )
