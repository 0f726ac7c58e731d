"""Stacks come, change and go while workers, broker and API die in turn; then all is compared.

`python -m tests.cluster.torture postgresql|mariadb` plays for SECONDS (60) and prints figures.
"""

import os
import random
import re
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from tests.cluster.processes import Cluster, Process, template
from tests.databases import start_mariadb, start_postgresql
from tests.rabbitmq import Broker, start_broker

_FROZEN = 12.0
"""Seconds that a worker stands still: longer than its heartbeat is believed."""

_FILE = "Hotplate::Directory::File"
_OWN = re.compile(r"(?:f\d+|last|m\d+)-")
"""How the ids of files begin; nested stacks have ids, too."""

_NAMES = [f"stack{number}" for number in range(6)]


def _template(chance: random.Random) -> dict[str, Any]:
    """Return files, some of which are replaced by every change, and a group."""
    word = str(chance.randrange(1000))
    resources: dict[str, Any] = {
        f"file{at}": {"type": _FILE, "properties": {"name": f"f{at}-{word}", "content": word}}
        for at in range(chance.randint(1, 8))
    }
    resources["waits"] = {
        "type": "OS::Heat::TestResource",
        "depends_on": "file0",
        "properties": {"wait_secs": chance.choice([0, 0.5, 2])},
    }
    resources["last"] = {
        "type": _FILE,
        "depends_on": "waits",
        "properties": {"name": "last", "content": word},
    }
    member = {"type": _FILE, "properties": {"name": "m%index%", "content": word}}
    resources["group"] = {
        "type": "OS::Heat::ResourceGroup",
        "properties": {"count": chance.randint(0, 12), "resource_def": member},
    }
    return template(**resources)


class Torture:
    """One run. Whoever dies is started again."""

    def __init__(self, cluster: Cluster, broker: Broker, seed: int) -> None:
        self._cluster = cluster
        self._broker = broker
        self._chance = random.Random(seed)
        self._frozen: dict[Process, float] = {}
        self._mending: threading.Thread | None = None
        self._starting: list[threading.Thread] = []
        self.counts: Counter[str] = Counter()

    def play(self, seconds: float) -> None:
        """Let things happen for a while, then let all come to rest, and compare."""
        cluster = self._cluster
        cluster.start_api()
        for _ in range(3):
            cluster.start_worker()
        end = time.monotonic() + seconds
        next_fault = time.monotonic() + 1
        try:
            while time.monotonic() < end:
                self._operate()
                self._thaw()
                if time.monotonic() > next_fault:
                    self._fault()
                    next_fault = time.monotonic() + 1
                time.sleep(0.1)
        finally:
            self._thaw(all_of_them=True)
            for each in (*self._starting, *([self._mending] if self._mending else [])):
                each.join()
        self._rest()
        self._compare()

    def _operate(self) -> None:
        name = self._chance.choice(_NAMES)
        with suppress(httpx.HTTPError, AssertionError, KeyError):
            if not self._cluster.stack(name):
                self._cluster.create(name, _template(self._chance))
                self.counts["creates"] += 1
            elif self._chance.random() < 0.3:
                self._cluster.delete(name)
                self.counts["deletes"] += 1
            else:
                self._cluster.update(name, _template(self._chance))
                self.counts["updates"] += 1

    def _fault(self) -> None:
        fault = self._chance.choice([self._kill, self._kill, self._freeze, self._api, self._break])
        fault()

    def _kill(self) -> None:
        awake = [each for each in self._cluster.workers if each not in self._frozen]
        if len(awake) > 1:
            victim = self._chance.choice(awake)
            self._cluster.workers.remove(victim)
            victim.kill()
            self._starting.append(threading.Thread(target=self._cluster.start_worker))
            self._starting[-1].start()
            self.counts["workers killed"] += 1

    def _freeze(self) -> None:
        if not self._frozen and self._cluster.workers:
            victim = self._chance.choice(self._cluster.workers)
            victim.signal(signal.SIGSTOP)
            self._frozen[victim] = time.monotonic() + _FROZEN
            self.counts["workers frozen"] += 1

    def _thaw(self, all_of_them: bool = False) -> None:
        for worker, until in list(self._frozen.items()):
            if all_of_them or time.monotonic() > until:
                worker.signal(signal.SIGCONT)
                del self._frozen[worker]

    def _api(self) -> None:
        if self._cluster.api is not None:
            self._cluster.api.kill()
        self._cluster.start_api()
        self.counts["API killed"] += 1

    def _break(self) -> None:
        if self._mending is None or not self._mending.is_alive():
            is_wiped = self._chance.random() < 0.5
            work = self._broker.wipe if is_wiped else self._broker.restart
            self._mending = threading.Thread(target=work)
            self._mending.start()
            self.counts["broker wiped" if is_wiped else "broker restarted"] += 1

    def _rest(self) -> None:
        begun = time.monotonic()
        for name in _NAMES:
            status = self._cluster.ended(name, 90)
            assert not status.endswith("FAILED"), (name, self._cluster.stack(name))
        self.counts["seconds to rest"] = round(time.monotonic() - begun)

    def _compare(self) -> None:
        """What is in the directory is what the database knows, and nothing was done twice."""
        known: set[str] = set()
        for name in _NAMES:
            stack = self._cluster.stack(name)
            if not stack:
                continue
            path = f"/stacks/{name}/{stack['id']}"
            found = self._cluster.ask("GET", f"{path}/resources?nested_depth=5").json()
            files = [e for e in found["resources"] if e["resource_type"] == _FILE]
            known.update(each["physical_resource_id"] for each in files)
            events = self._cluster.ask("GET", f"{path}/events?nested_depth=5").json()["events"]
            made = Counter(
                each["physical_resource_id"]
                for each in events
                if each["resource_status"] == "CREATE_COMPLETE"
                and _OWN.match(str(each["physical_resource_id"]))
            )
            assert all(count == 1 for count in made.values()), made.most_common(3)
        folder = self._cluster.folder / "objects"
        there = {each.name for each in folder.iterdir() if each.is_file()}
        there = {each for each in there if not each.startswith(".")}
        assert there == known, (sorted(there - known)[:5], sorted(known - there)[:5])
        self.counts["files"] = len(there)


def main() -> None:
    """Play on one kind of database, and print what happened."""
    seed = int(os.environ.get("SEED", time.time_ns() % 10**6))
    seconds = float(os.environ.get("SECONDS", "60"))
    server = (start_mariadb if sys.argv[1:] == ["mariadb"] else start_postgresql)()
    broker = start_broker()
    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder), server.new_database(), broker.url)
        torture = Torture(cluster, broker, seed)
        print(f"SEED={seed} SECONDS={seconds:.0f}")
        try:
            torture.play(seconds)
        finally:
            print(dict(torture.counts))
            cluster.close()
            broker.remove()
            server.stop()


if __name__ == "__main__":
    main()
