"""A name and the id of the same object are no change, in an update and in its preview alike."""

from typing import Any

import pytest

from hotplate.resources import ResourceType
from tests.api.conftest import Api
from tests.api.external.named_cloud import (
    OBJECTS,
    OTHER,
    PRIVATE,
    PUBLIC,
    SUBNET,
    WEB,
    NamedWire,
    Nic,
    named_cloud,
)
from tests.api.external.outside import preview
from tests.api.trees import changed, made

ASKED_FOR_NAME = "networks?name=private"


@pytest.fixture
def nic() -> Nic:
    return Nic()


@pytest.fixture
def wire() -> NamedWire:
    return NamedWire()


@pytest.fixture
def api_types(nic: Nic) -> tuple[ResourceType, ...]:
    return (nic,)


@pytest.fixture
def api_services(wire: NamedWire) -> dict[str, Any]:
    return {"cloud": named_cloud(wire)}


def body(**properties: Any) -> dict[str, Any]:
    resource = {"type": "Test::Nic", "properties": properties}
    return {"template": {"heat_template_version": "wallaby", "resources": {"nic": resource}}}


def steps(api: Api, path: str, wanted: dict[str, Any]) -> dict[str, list[str]]:
    found = preview(api, path, wanted)
    return {
        step: [each["resource_name"] for each in named] for step, named in found.items() if named
    }


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"network": "private"}, {"network": PRIVATE}),
        ({"network": PRIVATE}, {"network": "private"}),
        ({"network_id": "private"}, {"network": PRIVATE}),
        ({"flavor": "m1.small"}, {"flavor": 2}),
        ({"fixed_ips": [{"subnet": "sub"}]}, {"fixed_ips": [{"subnet": SUBNET}]}),
        ({"security_groups": ["web", OTHER]}, {"security_groups": [WEB, "other"]}),
        ({"security_groups": ["web", "web"]}, {"security_groups": ["web", WEB]}),
        ({"network": "private", "label": "a"}, {"network": PRIVATE, "label": "a"}),
    ],
)
def test_another_spelling_of_the_same_object_changes_nothing(
    api: Api, nic: Nic, wire: NamedWire, old: dict[str, Any], new: dict[str, Any]
) -> None:
    path = made(api, "s", body(**old))
    nic.since()
    assert steps(api, path, body(**new)) == {"unchanged": ["nic"]}
    changed(api, path, body(**new), put=True)
    assert nic.since() == []
    wire.since()
    wire.time.at += 60
    changed(api, path, body(**new), put=True)
    assert nic.since() == []


def test_the_new_spelling_is_stored(api: Api, nic: Nic, wire: NamedWire) -> None:
    path = made(api, "s", body(network="private"))
    changed(api, path, body(network=PRIVATE), put=True)
    changed(api, path, body(network=PUBLIC), put=True)
    assert [call for call, _ in nic.since()] == ["create", "create"]


def test_another_object_is_a_change(api: Api, nic: Nic) -> None:
    path = made(api, "s", body(network="private"))
    nic.since()
    assert steps(api, path, body(network=PUBLIC)) == {"replaced": ["nic"]}
    changed(api, path, body(network=PUBLIC), put=True)
    assert [call for call, _ in nic.since()] == ["create"]


def test_a_type_is_told_only_of_what_has_changed(api: Api, nic: Nic) -> None:
    path = made(api, "s", body(network="private", label="a"))
    nic.since()
    wanted = body(network=PRIVATE, label="b")
    assert steps(api, path, wanted) == {"updated": ["nic"]}
    (plan,) = preview(api, path, wanted)["updated"]
    assert "network" not in str(plan.get("property_changes", plan.get("changes", "")))
    changed(api, path, wanted, put=True)
    assert nic.since() == [("update", {"label": ("a", "b")})]


def test_an_item_that_is_added_is_all_that_is_new(api: Api, nic: Nic) -> None:
    path = made(api, "s", body(security_groups=["web"]))
    nic.since()
    changed(api, path, body(security_groups=["other", WEB]), put=True)
    assert nic.since() == [("update", {"security_groups": ([WEB], ["other", WEB])})]


def test_nobody_is_asked_where_nothing_is_spelled_otherwise(
    api: Api, nic: Nic, wire: NamedWire
) -> None:
    path = made(api, "s", body(network="private", label="a"))
    wire.time.at += 60
    wire.since()
    nic.since()
    changed(api, path, body(network="private", label="b"), put=True)
    assert nic.since() == [("update", {"label": ("a", "b")})]
    assert wire.since() == [ASKED_FOR_NAME]  # by the validation of the request


def test_an_old_name_that_is_gone_counts_as_another_object(
    api: Api, nic: Nic, wire: NamedWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = made(api, "s", body(network="private"))
    nic.since()
    monkeypatch.setitem(OBJECTS, "networks", [{"id": PRIVATE, "name": "renamed"}])
    wire.time.at += 60
    assert steps(api, path, body(network=PRIVATE)) == {"replaced": ["nic"]}


def test_a_cloud_that_does_not_answer_replaces_nothing(api: Api, nic: Nic, wire: NamedWire) -> None:
    path = made(api, "s", body(network="private"))
    nic.since()
    wire.time.at += 60
    wire.is_silent = True
    changed(api, path, body(network=PRIVATE), "UPDATE_FAILED", put=True)
    assert nic.since() == []
    wire.is_silent = False
    changed(api, path, body(network=PRIVATE), put=True)
    assert nic.since() == []


def test_an_external_object_is_compared_by_what_its_names_mean(api: Api, nic: Nic) -> None:
    external = {"type": "Test::Nic", "external_id": "nic-1"}
    template = {"heat_template_version": "wallaby", "resources": {"nic": external}}
    path = made(api, "s", {"template": template})
    assert steps(api, path, body(network="private")) == {"updated": ["nic"]}
    assert steps(api, path, body(network="public")) == {"replaced": ["nic"]}
    changed(api, path, body(network="private"), put=True)
    assert nic.since() == [("update", {})]


@pytest.mark.parametrize("name", ["network", "network_id"])
def test_a_value_that_is_known_later_is_not_looked_up(api: Api, name: str) -> None:
    """Under whatever name the template gives it: it names nothing yet."""

    def later(salt: str, network: Any) -> dict[str, Any]:
        wanted = body(**{name: network})
        wanted["template"]["resources"]["later"] = {
            "type": "OS::Heat::RandomString",
            "properties": {"salt": salt},
        }
        return wanted

    path = made(api, "s", later("a", PRIVATE))
    found = preview(api, path, later("b", {"get_attr": ["later", "value"]}))
    (nic,) = (each for each in found["replaced"] if each["resource_name"] == "nic")
    assert not nic["is_refused"]
    told = [(each["property"], each["new"]) for each in nic["changes"]]
    assert told == [("network", "(known later)")]
