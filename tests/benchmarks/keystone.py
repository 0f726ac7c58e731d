"""How often Keystone is asked for a stack of ten resources, beside what Heat asks.

Uses the Keystone of the test cloud if that runs. What is counted is requests; the seconds are CPU
seconds of the client alone, and say nothing.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

from tests.acceptance.serving import Served, serving
from tests.benchmarks.figure import Figure
from tests.cloud.box.processes import process_of
from tests.identity.conftest import Client, Town, configuration, settle
from tests.identity.counting_proxy import CountingProxy, counting_proxy
from tests.identity.people import Keystone, keystone
from tests.identity.ten_resources import HANDLE, RANDOM, life_of_ten

_STACKS = {
    "RandomStrings": (RANDOM, (6, 5), 1),
    "wait condition handles": (HANDLE, (67, 43), 2),
}
"""The resource, the requests of Heat to create and to delete ten, and how many may be here."""


def figures() -> Iterator[Figure]:
    """The requests to Keystone with a token that is new to the server, and for the rest of it."""
    if process_of("keystone") is None:
        yield Figure("no Keystone here: make cloud ONLY=keystone", 1, 0)
        return
    os.environ["no_proxy"] = "127.0.0.1"
    with TemporaryDirectory() as folder, keystone() as found, counting_proxy() as proxy:
        town = settle(found)
        file = configuration(Path(folder), town, proxy.url)
        with serving("--config", str(file)) as served:
            yield from _counted(served, found, town, proxy)


def _counted(served: Served, found: Keystone, town: Town, proxy: CountingProxy) -> Iterator[Figure]:
    first = Client(served, town.first, found.token(town.reader))
    assert first.status() == 200  # the server has a token of its own from now on
    for name, (resource, heat, most) in _STACKS.items():
        client = Client(served, town.first, found.token(town.member))
        steps = zip(("create", "delete"), life_of_ten(client, "ten", resource), heat, strict=True)
        proxy.count()
        for step, action, of_heat in steps:
            began = process_time()
            action()
            note = f"{proxy.count()} requests to Keystone; Heat {of_heat}; at most {most}"
            yield Figure(f"{step} ten {name}", 10, process_time() - began, note=note)
