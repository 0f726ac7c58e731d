"""Queries on software configs and deployments."""

from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import Connection

from hotplate.model import Input, Output, SoftwareConfig, SoftwareDeployment, ValueType
from hotplate.store.software import (
    Page,
    configs_on_server,
    count_configs,
    count_deployments,
    count_deployments_of_config,
    insert_config,
    insert_deployment,
    list_configs,
    list_deployments,
    lock_config,
    lock_deployment,
    read_config,
    read_deployment,
    remove_config,
    remove_deployment,
    save_deployment,
)

ALL = Page()


def a_config(config_id: str, **fields: Any) -> SoftwareConfig:
    config = SoftwareConfig(config_id, "p", config_id, "script", "text", (), (), {}, 1.0)
    return replace(config, **fields)


def a_deployment(deployment_id: str, **fields: Any) -> SoftwareDeployment:
    deployment = SoftwareDeployment(
        deployment_id, "p", "c", "s", {}, None, None, None, "", None, 1.0, None
    )
    return replace(deployment, **fields)


FULL = a_config(
    "full",
    name="ä😀",
    group=None,
    config={"a": [1, None, "x"]},
    inputs=(
        Input("i", ValueType.JSON, "d", {"x": 1}, replace_on_change=True, value=2, has_value=True),
        Input("j", value=None, has_value=True),
        Input("k"),
    ),
    outputs=(Output("o"), Output("p", ValueType.NUMBER, "d", is_error=True)),
    options={"z": {}},
)


@pytest.mark.parametrize("config", [FULL, a_config("c", name=None, config=None)])
def test_a_config_is_read_as_it_was_written(connection: Connection, config: SoftwareConfig) -> None:
    insert_config(connection, config)
    assert read_config(connection, "p", config.id) == config


def test_a_config_belongs_to_its_project(connection: Connection) -> None:
    insert_config(connection, a_config("c"))
    assert lock_config(connection, "p", "c")
    assert not lock_config(connection, "q", "c")
    assert read_config(connection, "q", "c") is None
    assert list_configs(connection, "q", ALL) == []
    assert [each.project for each in list_configs(connection, None, ALL)] == ["p"]
    assert (count_configs(connection, "p"), count_configs(connection, "q")) == (1, 0)


def test_configs_are_listed_newest_first_in_pages(connection: Connection) -> None:
    for each in "abcd":
        insert_config(connection, a_config(each))
    insert_config(connection, a_config("theirs", project="q"))

    def ids(page: Page) -> str:
        return "".join(each.id for each in list_configs(connection, "p", page))

    assert ids(ALL) == "dcba"
    assert ids(Page(limit=2)) == "dc"
    assert ids(Page(limit=2, marker="c")) == "ba"
    assert ids(Page(marker="a")) == ""
    assert ids(Page(limit=0)) == ""
    assert ids(Page(limit=10**18 - 1)) == "dcba"


@pytest.mark.parametrize("marker", ["unknown", "theirs"])
def test_a_marker_that_is_not_in_the_list_is_none(connection: Connection, marker: str) -> None:
    for each in "ab":
        insert_config(connection, a_config(each))
    insert_config(connection, a_config("theirs", project="q"))
    assert [each.id for each in list_configs(connection, "p", Page(marker=marker))] == ["b", "a"]


def test_a_removed_config_is_gone(connection: Connection) -> None:
    insert_config(connection, a_config("c"))
    remove_config(connection, "c")
    assert read_config(connection, "p", "c") is None


def test_a_deployment_is_read_as_it_was_written(connection: Connection) -> None:
    full = a_deployment(
        "d",
        input_values={"a": [1]},
        output_values={"b": "ä😀"},
        action="CREATE",
        status="FAILED",
        reason="why",
        stack_user_project_id="q",
        updated_at=2.0,
    )
    for deployment in (full, a_deployment("e")):
        insert_deployment(connection, deployment)
        assert read_deployment(connection, "p", deployment.id) == deployment
        assert lock_deployment(connection, "p", deployment.id) == deployment
        assert read_deployment(connection, "q", deployment.id) is None
        assert lock_deployment(connection, "q", deployment.id) is None


def test_a_deployment_can_be_changed(connection: Connection) -> None:
    insert_deployment(connection, a_deployment("d"))
    insert_deployment(connection, a_deployment("other"))
    changed = a_deployment(
        "d",
        config_id="e",
        input_values={"a": 1},
        output_values={},
        action="UPDATE",
        status="COMPLETE",
        reason="done",
        updated_at=3.0,
    )
    save_deployment(connection, changed)
    assert read_deployment(connection, "p", "d") == changed
    assert read_deployment(connection, "p", "other") == a_deployment("other")


def test_deployments_are_listed_oldest_first_in_pages(connection: Connection) -> None:
    for each, server in (("a", "s"), ("b", "t"), ("c", "s")):
        insert_deployment(connection, a_deployment(each, server_id=server))
    insert_deployment(connection, a_deployment("theirs", project="q"))

    def ids(server_id: str | None, page: Page = ALL) -> str:
        return "".join(each.id for each in list_deployments(connection, "p", server_id, page))

    assert ids(None) == "abc"
    assert ids("s") == "ac"
    assert ids("S") == ""
    assert ids(None, Page(limit=1, marker="a")) == "b"
    assert ids("s", Page(marker="b")) == "ac"
    assert (count_deployments(connection, "p"), count_deployments(connection, "q")) == (3, 1)


def test_a_deployment_is_removed_by_its_own_project(connection: Connection) -> None:
    insert_deployment(connection, a_deployment("d"))
    assert count_deployments_of_config(connection, "c") == 1
    assert not remove_deployment(connection, "q", "d")
    assert remove_deployment(connection, "p", "d")
    assert not remove_deployment(connection, "p", "d")
    assert count_deployments_of_config(connection, "c") == 0


def test_a_server_has_the_configs_that_its_own_project_deployed(connection: Connection) -> None:
    insert_config(connection, a_config("c"))
    insert_config(connection, FULL)
    insert_config(connection, a_config("theirs", project="q"))
    insert_deployment(connection, a_deployment("1", config_id="full"))
    insert_deployment(connection, a_deployment("2"))
    insert_deployment(connection, a_deployment("3"))
    insert_deployment(connection, a_deployment("4", server_id="t"))
    insert_deployment(connection, a_deployment("5", project="q", config_id="theirs"))
    found = configs_on_server(connection, "p", "s")
    assert [each.id for each in found] == ["full", "c", "c"]
    assert found[0] == FULL
