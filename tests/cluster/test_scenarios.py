"""What the engine does, done by two workers that hear of it from a broker."""

import time
from typing import Any

import pytest

from tests.cluster.processes import Cluster, template
from tests.rabbitmq import Broker


def shop(word: str, count: int) -> dict[str, Any]:
    """Return files that depend on each other, and a group of nested ones."""
    file = "Hotplate::Directory::File"
    return template(
        base={"type": file, "properties": {"name": f"base-{word}", "content": word}},
        middle={
            "type": file,
            "properties": {"name": "middle", "content": {"get_attr": ["base", "path"]}},
        },
        group={
            "type": "OS::Heat::ResourceGroup",
            "depends_on": "middle",
            "properties": {
                "count": count,
                "resource_def": {
                    "type": file,
                    "properties": {"name": "member-%index%", "content": word},
                },
            },
        },
        top={"type": "OS::Heat::Value", "depends_on": "group", "properties": {"value": word}},
    )


def files(cluster: Cluster) -> int:
    return sum(1 for each in (cluster.folder / "objects").iterdir() if each.is_file())


def test_two_workers_create_change_and_delete_what_an_api_accepts(cluster: Cluster) -> None:
    cluster.start_api()
    cluster.create("shop", shop("a", 40))
    cluster.start_worker()
    cluster.start_worker()
    assert cluster.ended("shop") == "CREATE_COMPLETE", cluster.log()
    assert files(cluster) == 42
    cluster.update("shop", shop("b", 50))
    assert cluster.ended("shop") == "UPDATE_COMPLETE"
    assert files(cluster) == 52
    cluster.delete("shop")
    assert cluster.ended("shop") in ("", "DELETE_COMPLETE")
    assert files(cluster) == 0


@pytest.mark.parametrize("server_url", ["mariadb"], indirect=True)
def test_workers_without_a_broker_find_the_work_by_themselves(cluster: Cluster) -> None:
    cluster.broker = ""
    cluster.start_api()
    cluster.start_worker()
    cluster.start_worker()
    cluster.create("shop", shop("a", 10))
    assert cluster.ended("shop") == "CREATE_COMPLETE"
    assert files(cluster) == 12


@pytest.mark.parametrize("server_url", ["postgresql"], indirect=True)
def test_a_rolling_restart_of_all_workers_fails_nothing(cluster: Cluster) -> None:
    cluster.start_api()
    first, second = cluster.start_worker(), cluster.start_worker()
    slow = {"type": "OS::Heat::TestResource", "properties": {"wait_secs": 2}}
    cluster.create("slow", template(**{f"r{at}": slow for at in range(100)}))
    cluster.create("shop", shop("a", 60))
    first.stop()
    cluster.start_worker()
    second.stop()
    assert cluster.ended("slow") == "CREATE_COMPLETE"
    assert cluster.ended("shop") == "CREATE_COMPLETE"
    assert files(cluster) == 62


@pytest.mark.parametrize("server_url", ["mariadb"], indirect=True)
def test_work_goes_on_while_the_broker_is_away_and_when_it_comes_back_empty(
    cluster: Cluster, own_broker: Broker
) -> None:
    cluster.broker = own_broker.url
    cluster.start_api()
    cluster.start_worker()
    cluster.start_worker()
    cluster.create("before", shop("a", 5))
    own_broker.stop()
    cluster.create("without", shop("a", 5))
    try:
        assert cluster.ended("before") == "CREATE_COMPLETE"
        assert cluster.ended("without") == "CREATE_COMPLETE"
    finally:
        own_broker.wipe()
    cluster.create("after", shop("a", 5))
    assert cluster.ended("after") == "CREATE_COMPLETE"
    assert files(cluster) == 21


@pytest.mark.parametrize("server_url", ["postgresql"], indirect=True)
def test_a_small_stack_is_not_kept_waiting_by_a_large_one(cluster: Cluster) -> None:
    cluster.start_api()
    cluster.start_worker()
    cluster.start_worker()
    value = {"type": "OS::Heat::RandomString"}
    small = template(**{f"r{at}": value for at in range(10)})
    cluster.create("alone", small)
    assert cluster.ended("alone") == "CREATE_COMPLETE"
    cluster.create("large", template(**{f"r{at}": value for at in range(1500)}))
    begun = time.monotonic()
    cluster.create("small", small)
    assert cluster.ended("small") == "CREATE_COMPLETE"
    seconds = time.monotonic() - begun
    status = cluster.stack("large")["stack_status"]
    print(f"the small stack took {seconds:.2f} s, the large one was {status}")
    assert cluster.ended("large") == "CREATE_COMPLETE"
