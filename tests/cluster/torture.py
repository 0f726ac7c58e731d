"""Stacks come, change and go while workers, API, broker and database die in turn; all is compared.

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
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from tests.cluster.processes import Cluster, Process, template
from tests.cluster.recovery import Recoveries
from tests.databases import Server, start_mariadb, start_postgresql
from tests.rabbitmq import Broker, start_broker

_FROZEN = 12.0
"""Seconds that a worker stands still: longer than its heartbeat is believed."""

_FILE = "Hotplate::Directory::File"
_OWN = re.compile(r"(?:f\d+|last|m\d+)-")
"""How the ids of files begin; nested stacks have ids, too."""

_NAMES = [f"stack{number}" for number in range(6)]
_API_LIFE = 3.0
"""Seconds that an API has at least: without one nothing is asked for."""

_STARTS = 20
_USERS = 3
"""How many ask at the same time."""


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

    def __init__(self, cluster: Cluster, broker: Broker, server: Server, seed: int) -> None:
        self._cluster = cluster
        self._broker = broker
        self._server = server
        self._chance = random.Random(seed)
        self._frozen: dict[Process, float] = {}
        self._threads: list[threading.Thread] = []
        self._under_way: dict[str, threading.Thread] = {}
        self._failures: list[BaseException] = []
        self._end = 0.0
        self.counts: Counter[str] = Counter()
        self.recoveries = Recoveries(cluster.database)

    def play(self, seconds: float) -> None:
        """Let things happen for a while, then let all come to rest, and compare."""
        cluster = self._cluster
        cluster.start_api()
        for _ in range(3):
            cluster.start_worker()
        self._end = time.monotonic() + seconds
        users = [self._begin(self._use) for _ in range(_USERS)]
        try:
            while time.monotonic() < self._end:
                time.sleep(1)
                self._thaw()
                self._fault()
        finally:
            self._end = 0.0
            self._thaw(all_of_them=True)
            for each in (*users, *self._threads):
                each.join()
        self.recoveries.close()
        assert not self._failures, self._failures
        self._rest()
        self._compare()

    def _use(self) -> None:
        """Ask for this and that until the end."""
        while time.monotonic() < self._end:
            self._operate()
            time.sleep(0.1)

    def _operate(self) -> None:
        try:
            self._ask_for_something()
        except (httpx.HTTPError, AssertionError, KeyError):
            self.counts["not answered"] += 1

    def _ask_for_something(self) -> None:
        name = self._chance.choice(_NAMES)
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
        faults = [self._kill, self._freeze, self._api, self._break, self._crash]
        self._chance.choices(faults, (4, 1, 1, 1, 1))[0]()

    def _kill(self) -> None:
        awake = [each for each in self._cluster.workers if each not in self._frozen]
        if len(awake) > 1:
            victim = self._chance.choice(awake)
            self._cluster.workers.remove(victim)
            victim.kill()
            self.recoveries.follow(victim.pid)
            self._begin(self._supervised(self._cluster.start_worker))
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
        if self._begin_once("API", self._kill_api):
            self.counts["API killed"] += 1

    def _kill_api(self) -> None:
        """Kill the server while it answers requests."""
        assert self._cluster.api is not None
        asking = self._begin(self._operate)
        time.sleep(self._chance.random() / 20)
        self._cluster.api.kill()
        asking.join()
        self._supervised(self._cluster.start_api)()
        time.sleep(_API_LIFE)

    def _break(self) -> None:
        is_wiped = self._chance.random() < 0.5
        if self._begin_once("stores", self._broker.wipe if is_wiped else self._broker.restart):
            self.counts["broker wiped" if is_wiped else "broker restarted"] += 1

    def _crash(self) -> None:
        if self._begin_once("stores", self._server.restart):
            self.counts["database restarted"] += 1

    def _supervised(self, start: Callable[[], object]) -> Callable[[], None]:
        """Start a process as a supervisor does: again if its database is away."""

        def work() -> None:
            for _ in range(_STARTS):
                with suppress(AssertionError):
                    start()
                    return
                self.counts["started again"] += 1
            raise AssertionError(f"it does not start\n{self._cluster.log()}")

        return work

    def _begin_once(self, subject: str, work: Callable[[], object]) -> bool:
        """Begin something, unless something of the same subject is under way."""
        before = self._under_way.get(subject)
        if before is not None and before.is_alive():
            return False
        self._under_way[subject] = self._begin(work)
        return True

    def _begin(self, work: Callable[[], object]) -> threading.Thread:
        thread = threading.Thread(target=self._noted, args=(work,))
        self._threads.append(thread)
        thread.start()
        return thread

    def _noted(self, work: Callable[[], object]) -> None:
        """Keep what went wrong in a thread: the run has failed then."""
        try:
            work()
        except BaseException as error:
            self._failures.append(error)
            raise

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
        torture = Torture(cluster, broker, server, seed)
        print(f"SEED={seed} SECONDS={seconds:.0f}")
        try:
            torture.play(seconds)
        finally:
            print(dict(torture.counts))
            print(torture.recoveries)
            cluster.close()
            broker.remove()
            server.stop()


if __name__ == "__main__":
    main()
