"""Attributes that change without an action of the resource: read when somebody asks for them."""

import asyncio
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from hotplate.document import Data
from hotplate.engine import live_values
from hotplate.resources import Resource, ResourceFailed, ResourceType
from hotplate.resources.directory import File
from tests.api.conftest import Api
from tests.api.external.outside import FILE, Outside, body, file, outputs, shown, watched
from tests.api.trees import made

SENSOR = "Test::Sensor"


class Sensor(File):
    """A file of which two attributes are live, and not always told."""

    name = SENSOR
    live_attributes = frozenset(("content", "show"))

    def __init__(self) -> None:
        self.asked: list[set[str]] = []
        self.fault = ""
        self.sleeps = False

    async def read_attributes(
        self, resource: Resource, names: Collection[str]
    ) -> Mapping[str, Data]:
        self.asked.append(set(names))
        if self.sleeps:
            await asyncio.sleep(60)
        if self.fault:
            raise ResourceFailed(self.fault)
        return await super().read_attributes(resource, names)


@pytest.fixture
def sensor() -> Sensor:
    return Sensor()


@pytest.fixture
def api_types(sensor: Sensor) -> tuple[ResourceType, ...]:
    return (sensor,)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outside:
    return watched(monkeypatch, tmp_path / "objects")


def drifted(api: Api, outside: Outside, of: str = FILE) -> str:
    path = made(api, "s", body(file(of=of, content="then")))
    outside.write(shown(api, path)["physical_resource_id"], "now")
    return path


def output(api: Api, path: str, key: str = "content") -> dict[str, Any]:
    answer = api.get(f"{path}/outputs/{key}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()["output"]
    return found


def test_a_resource_is_shown_with_its_live_attributes(api: Api, outside: Outside) -> None:
    path = drifted(api, outside)
    attributes = shown(api, path)["attributes"]
    assert (attributes["content"], attributes["size"]) == ("now", 3)
    assert attributes["show"]["content"] == "now"
    found = api.get(f"{path}/resources/web?with_attr=show").json()["resource"]
    assert found["attributes"]["show"]["mark"]
    assert "attributes_note" not in found


def test_one_output_is_live_and_all_at_once_are_as_recorded(api: Api, outside: Outside) -> None:
    path = drifted(api, outside)
    assert output(api, path)["output_value"] == "now"
    assert outputs(api, path)["content"] == "then"


def test_only_what_an_output_asks_for_is_read(api: Api, outside: Outside, sensor: Sensor) -> None:
    path = drifted(api, outside, SENSOR)
    sensor.asked.clear()
    output(api, path)
    assert sensor.asked == [{"content"}]
    output(api, path, "id")
    assert sensor.asked == [{"content"}]


def test_what_is_not_live_is_as_it_was_recorded(api: Api, outside: Outside, sensor: Sensor) -> None:
    path = drifted(api, outside, SENSOR)
    attributes = shown(api, path)["attributes"]
    assert (attributes["content"], attributes["size"]) == ("now", 4)


def test_a_provider_that_fails_leaves_what_was_recorded_and_a_note(
    api: Api, outside: Outside, sensor: Sensor
) -> None:
    path = drifted(api, outside, SENSOR)
    sensor.fault = "the sensor is away"
    found = shown(api, path)
    assert found["attributes"]["content"] == "then"
    assert found["attributes_note"] == (
        "content, show as last recorded, the provider does not tell: the sensor is away"
    )
    answer = output(api, path)
    assert answer["output_value"] == "then"
    assert answer["output_note"] == (
        "web: content as last recorded, the provider does not tell: the sensor is away"
    )


def test_a_provider_that_does_not_answer_is_not_waited_for(
    api: Api, outside: Outside, sensor: Sensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_values, "_SECONDS", 0.05)
    path = drifted(api, outside, SENSOR)
    sensor.sleeps = True
    assert output(api, path)["output_value"] == "then"
    assert "are over" in shown(api, path)["attributes_note"]
