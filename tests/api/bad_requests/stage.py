"""An API with one of everything, for bad requests to be refused by."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

from hotplate.store.schema import METADATA
from tests.api.conftest import PROJECT, Api

HOT = "heat_template_version: 2021-04-16\n"
TEMPLATE = (
    HOT
    + """
parameters: {word: {type: string, default: a}, size: {type: number, default: 1}}
resources:
  one: {type: OS::Heat::TestResource, properties: {value: {get_param: word}}}
  inner: {type: inner.yaml}
outputs: {word: {value: {get_param: word}}}
"""
)
FILES = {"inner.yaml": HOT + "resources: {leaf: {type: OS::Heat::TestResource}}"}
NOBODY = "5b8e4b9f-31f4-4b6a-9f0a-0c4b5f0d5a11"
Rows = dict[str, list[tuple[Any, ...]]]


class Stage:
    """An API with one of everything in its database, which bad requests must not change."""

    def __init__(self, api: Api, file: Path) -> None:
        self.api = api
        self._file = file
        body = {"stack_name": "here", "template": TEMPLATE, "files": FILES}
        stack_id = api.post("/stacks", json=body).json()["stack"]["id"]
        assert api.wait(stack_id) == "CREATE_COMPLETE"
        self.stack = f"/stacks/here/{stack_id}"
        snapshot = api.post(f"{self.stack}/snapshots", json={"name": "s"}).json()["id"]
        api.wait(stack_id)
        config = api.post("/software_configs", json={"name": "c"}).json()["software_config"]["id"]
        deployment = api.post(
            "/software_deployments", json={"config_id": config, "server_id": "server"}
        ).json()["software_deployment"]["id"]
        event = api.get(f"{self.stack}/resources/one/events").json()["events"][0]["id"]
        self.names = {
            "stack_name": "here",
            "name_or_id": "here",
            "stack_id": stack_id,
            "arn": f"openstack:heat::{PROJECT}:stacks/here/{stack_id}",
            "resource_name": "one",
            "event_id": event,
            "snapshot_id": snapshot,
            "output_key": "word",
            "type_name": "OS::Heat::TestResource",
            "template_version": "heat_template_version.2021-04-16",
            "config_id": config,
            "deployment_id": deployment,
            "server_id": "server",
            "execution_id": "b7e3f9a0-0000-4000-8000-000000000000",
        }

    def address(self, path: str, **others: str) -> str:
        """Return an address with the names of things that exist, or of others."""
        return path.replace(":path}", "}").format(**self.names | others)

    def rows(self) -> Rows:
        """Return everything in the database but the signs of life of the worker."""
        with closing(sqlite3.connect(self._file)) as connection:
            return {
                table.name: connection.execute(f'SELECT * FROM "{table.name}"').fetchall()
                for table in METADATA.sorted_tables
                if table.name != "worker"
            }


def refused(response: httpx.Response, status: int, *words: str, kind: str = "") -> None:
    """The answer is a fault of that status whose message has the words."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/json"
    assert response.headers["x-openstack-request-id"].startswith("req-")
    fault = response.json()
    assert (fault["code"], fault["error"]["traceback"]) == (status, None)
    assert fault["title"]
    assert fault["explanation"]
    for word in words:
        assert word in fault["error"]["message"]
    if kind:
        assert fault["error"]["type"] == kind
