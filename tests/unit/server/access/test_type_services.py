import pytest

from hotplate.resources.catalogue import installed
from hotplate.server.access.type_services import _EXTENSIONS, missing_service, needed_extension


def entry(kind: str, *regions: str, interface: str = "public") -> dict[str, object]:
    return {
        "type": kind,
        "endpoints": [{"interface": interface, "region_id": region} for region in regions],
    }


CATALOG = [
    entry("block-storage", "R1"),
    entry("network", "R1", "R2"),
    entry("image", "R1", interface="admin"),
]


@pytest.mark.parametrize(
    ("resource_type", "region", "missing"),
    [
        ("OS::Cinder::Volume", "", ""),
        ("OS::Cinder::Volume", "R2", "cinder volumev3"),
        ("OS::Neutron::Net", "R2", ""),
        ("OS::Nova::Server", "", "nova compute"),
        ("OS::Glance::WebImage", "", "glance image"),
        ("OS::Heat::Value", "", ""),
        ("OS::Mistral::Workflow", "", ""),
        ("My::Nova::Server", "", ""),
    ],
)
def test_what_a_type_needs_and_a_catalogue_has_not(
    resource_type: str, region: str, missing: str
) -> None:
    assert missing_service(resource_type, CATALOG, region) == missing


def test_types_that_need_an_extension_are_known_types() -> None:
    assert set(_EXTENSIONS) <= set(installed())
    assert needed_extension("OS::Neutron::Trunk") == ("neutron", "network", "trunk")
    assert needed_extension("OS::Cinder::QoSSpecs") == ("cinder", "volumev3", "qos-specs")
    assert needed_extension("OS::Neutron::Net") is None
