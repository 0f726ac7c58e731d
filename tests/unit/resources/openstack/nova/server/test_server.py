"""Rules of OS::Nova::Server that need no cloud."""

from typing import Any

import pytest

from hotplate.resources.openstack.nova.server import Server

BASE: dict[str, Any] = {"flavor": "f", "image": "i"}


def fault(**given: Any) -> str:
    return Server().validate(Server().convert({**BASE, **given}))


def test_a_server_with_image_and_flavor_is_enough() -> None:
    assert fault() == ""
    assert fault(networks=[{"network": "n", "fixed_ip": "10.0.0.5"}, {"port": "p"}]) == ""
    assert fault(networks=[{"port": "p", "floating_ip": "f"}]) == ""
    assert fault(security_groups=["default"], networks=[{"network": "n"}]) == ""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"networks": [{"tag": "t"}]}, "One of the properties network, port"),
        ({"networks": [{"port": "p", "fixed_ip": "10.0.0.5"}]}, "networks/fixed_ip, networks/port"),
        ({"networks": [{"port": "p", "port_extra_properties": {}}]}, "take port away"),
        ({"networks": [{"network": "n", "floating_ip": "f"}]}, "floating_ip needs a port"),
        (
            {"networks": [{"allocate_network": "auto"}, {"network": "n"}]},
            "allocate_network must be the only entry",
        ),
        ({"networks": [{"allocate_network": "auto", "network": "n"}]}, "has nothing else"),
        (
            {"security_groups": ["g"], "networks": [{"port": "p"}]},
            "security_groups, networks/port",
        ),
        ({"personality": {"/etc/motd": "hi"}}, "personality is refused by Nova"),
        ({"reservation_id": "r"}, "Nova takes no reservation_id"),
        ({"tags": ["a,b"]}, '"a,b" is no tag'),
        ({"tags": [str(each) for each in range(50)]}, "at most 49 tags"),
        (
            {"user_data_format": "SOFTWARE_CONFIG", "software_config_transport": "ZAQAR_MESSAGE"},
            "ZAQAR_MESSAGE needs a user",
        ),
    ],
)
def test_what_does_not_go_together_is_told(given: dict[str, Any], expected: str) -> None:
    assert expected in fault(**given)


def test_policies_decide_what_replaces() -> None:
    kind = Server()

    def reason(**changed: Any) -> str:
        return kind.replacement_reason(kind.convert(BASE), kind.convert({**BASE, **changed}))

    assert reason(flavor="g", image="j") == ""
    assert reason(flavor="g", flavor_update_policy="REPLACE") == "flavor_update_policy is REPLACE"
    assert reason(image="j", image_update_policy="REPLACE") == "image_update_policy is REPLACE"
    assert reason(user_data="x") == "user_data_update_policy is REPLACE"
    assert reason(user_data="x", user_data_update_policy="IGNORE") == ""
    assert reason(user_data="x", user_data_update_policy="REBUILD") == ""
    assert "boot" in reason(image=None)
    disk = [{"volume_id": "v"}]
    from_volume = {"image": None, "block_device_mapping_v2": disk}
    old = kind.convert({**BASE, **from_volume})
    new = {**BASE, **from_volume, "user_data": "x", "user_data_update_policy": "REBUILD"}
    assert "does not rebuild" in kind.replacement_reason(old, kind.convert(new))


def test_a_snapshot_is_restored_as_the_image() -> None:
    assert Server().restored({"image": "i", "name": "n"}, {"snapshot_image_id": "s"}) == {
        "image": "s",
        "name": "n",
    }
    assert Server().restored({"image": "i"}, {"key": "k"}) == {"image": "i"}


def test_only_a_server_with_software_configs_shows_deployments() -> None:
    assert Server().hosts_software({"user_data_format": "SOFTWARE_CONFIG"})
    assert not Server().hosts_software({})
