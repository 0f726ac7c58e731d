"""Whatever dies, no stack stays in progress, and the directory holds what the database knows."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.processes import Cluster
from tests.cluster.torture import Torture
from tests.databases import Server, start_mariadb, start_postgresql
from tests.rabbitmq import Broker


@pytest.mark.parametrize("start", [start_postgresql, start_mariadb])
def test_nothing_is_lost_or_done_twice_while_everything_dies_in_turn(
    own_broker: Broker, tmp_path: Path, start: Callable[[], Server]
) -> None:
    seed = int(os.environ.get("SEED", time.time_ns() % 10**6))
    server = start()
    cluster = Cluster(tmp_path, server.new_database(), own_broker.url)
    torture = Torture(cluster, own_broker, server, seed)
    print(f"SEED={seed}")
    try:
        torture.play(float(os.environ.get("SECONDS", "60")))
        print(dict(torture.counts))
        print(torture.recoveries)
    finally:
        cluster.close()
        server.stop()
