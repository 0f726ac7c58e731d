"""Endpoints: by type or an older name of it, region and interface, with the right version."""

from typing import Any

import pytest

from hotplate.cloud.catalogue import Catalogue, Endpoint
from hotplate.cloud.errors import NoEndpoint
from hotplate.cloud.services import official, versioned
from tests.unit.cloud.scripted import settings

CATALOGUE = Catalogue(
    (
        Endpoint("volumev2", "R1", "public", "http://c/v2/p1"),
        Endpoint("volumev3", "R1", "public", "http://c/v3/p1"),
        Endpoint("network", "R1", "public", "http://n1"),
        Endpoint("network", "R2", "public", "http://n2"),
        Endpoint("network", "R2", "internal", "http://inner"),
        Endpoint("object-store", "R1", "public", "http://s/v1/AUTH_p1"),
    )
)


@pytest.mark.parametrize(
    ("kind", "changes", "url"),
    [
        ("network", {}, "http://n1/v2.0"),
        ("network", {"region": "R2"}, "http://n2/v2.0"),
        ("network", {"region": ""}, "http://n1/v2.0"),
        ("network", {"region": "R2", "interface": "internal"}, "http://inner/v2.0"),
        (
            *("network", {"region": "R2", "options": {"network_interface": "internal"}}),
            "http://inner/v2.0",
        ),
        ("block-storage", {}, "http://c/v3/p1"),
        ("volumev3", {}, "http://c/v3/p1"),
        (
            *("block-storage", {"options": {"block_storage_service_type": "volumev2"}}),
            "http://c/v3/p1",
        ),
        ("object-store", {}, "http://s/v1/AUTH_p1"),
        (
            *("network", {"options": {"network_endpoint_override": "http://o/net/%(project_id)s"}}),
            "http://o/net/p1/v2.0",
        ),
        (
            *("block-storage", {"options": {"volumev3_endpoint_override": "http://o/v3/p"}}),
            "http://o/v3/p",
        ),
    ],
)
def test_where_a_service_is(kind: str, changes: dict[str, Any], url: str) -> None:
    assert CATALOGUE.url(kind, settings(**changes), "p1") == url


@pytest.mark.parametrize(
    ("kind", "changes", "words"),
    [
        ("dns", {}, "no dns service; its catalogue has network, object-store, volumev2, volumev3"),
        ("network", {"region": "R9"}, 'no region "R9"; the service is in R1, R2'),
        ("network", {"interface": "admin"}, "no admin endpoint; there are internal, public"),
    ],
)
def test_what_is_missing_is_said(kind: str, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(NoEndpoint, match=words):
        CATALOGUE.url(kind, settings(**changes), "p1")


@pytest.mark.parametrize(
    ("url", "version", "found"),
    [
        ("http://h/compute/v2.1", "v2.1", "http://h/compute/v2.1"),
        ("http://h/compute/v2/p", "v2.1", "http://h/compute/v2/p"),
        ("http://h/identity/v2.0", "v3", "http://h/identity/v3"),
        ("http://v3.example/", "v3", "http://v3.example/v3"),
        ("http://h:9292", "v2", "http://h:9292/v2"),
        ("http://h/placement", "", "http://h/placement"),
    ],
)
def test_the_version_of_an_endpoint(url: str, version: str, found: str) -> None:
    assert versioned(url, version) == found


def test_older_names_of_a_service() -> None:
    assert official("sharev2") == "shared-file-system"
    assert official("something-else") == "something-else"


@pytest.mark.parametrize(
    ("changes", "url"),
    [
        ({"region": ""}, "http://n2/v2.0"),
        ({"region": "", "options": {"network_region_name": "R1"}}, "http://n2/v2.0"),
        ({"region": "R1"}, "http://n1/v2.0"),
    ],
)
def test_the_region_of_a_token_holds_unless_the_settings_name_one(
    changes: dict[str, Any], url: str
) -> None:
    assert CATALOGUE.of_region("R2").url("network", settings(**changes), "p1") == url
