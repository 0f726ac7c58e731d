"""Whatever dies, no stack stays in progress, and the directory holds what the database knows."""

import os
import time

from tests.cluster.processes import Cluster
from tests.cluster.torture import Torture
from tests.rabbitmq import Broker


def test_nothing_is_lost_or_done_twice_while_everything_dies_in_turn(
    cluster: Cluster, own_broker: Broker
) -> None:
    cluster.broker = own_broker.url
    seed = int(os.environ.get("SEED", time.time_ns() % 10**6))
    torture = Torture(cluster, own_broker, seed)
    print(f"SEED={seed}")
    torture.play(float(os.environ.get("SECONDS", "30")))
    print(dict(torture.counts))
