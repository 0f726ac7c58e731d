"""Where the command finds the API."""

from pathlib import Path

import pytest

from hotplate.cli.output.exit_codes import Stop
from hotplate.cli.session.place import Wanted, place_of
from hotplate.server.address import Address
from hotplate.server.configuration import Configuration
from hotplate.server.record import recorded


@pytest.mark.parametrize(
    ("url", "base"),
    [
        ("http://host:8004", "http://host:8004/v1/default"),
        ("host:8004", "http://host:8004/v1/default"),
        ("http://host:8004/v1/shop", "http://host:8004/v1/shop"),
        ("https://host/orchestration/v1/shop/", "https://host/orchestration/v1/shop"),
        ("https://host/orchestration", "https://host/orchestration/v1/default"),
    ],
)
def test_a_server_is_named(url: str, base: str, tmp_path: Path) -> None:
    assert place_of(Wanted(url=url), {"HOME": str(tmp_path)}).base == base
    assert place_of(Wanted(), {"HOME": str(tmp_path), "HOTPLATE_URL": url}).base == base


@pytest.mark.parametrize("url", ["", "ftp://host", "http://", "http://host:99999", "http://h?x"])
def test_what_is_no_address_is_refused(url: str, tmp_path: Path) -> None:
    if url:
        with pytest.raises(Stop, match="is not the address of a server"):
            place_of(Wanted(url=url), {"HOME": str(tmp_path)})


def test_a_flag_beats_a_variable_and_a_token_goes_along(tmp_path: Path) -> None:
    environ = {
        "HOME": str(tmp_path),
        "HOTPLATE_URL": "http://other",
        "HOTPLATE_TOKEN": "sesame",
        "HOTPLATE_PROJECT": "mine",
        "OS_CLOUD": "nowhere",
    }
    place = place_of(Wanted(url="http://host:1", project="yours"), environ)
    assert place.base == "http://host:1/v1/yours"
    assert place.headers == {"x-auth-token": "sesame"}
    assert place_of(Wanted(), environ).base == "http://other/v1/mine"
    assert place_of(Wanted(database="sqlite:////x/y.db"), environ).embedded is not None


def test_without_a_server_it_is_this_process(tmp_path: Path) -> None:
    place = place_of(Wanted(), {"HOME": str(tmp_path)})
    assert place.embedded is not None
    assert place.embedded.database == f"sqlite:///{tmp_path}/.local/share/hotplate/hotplate.db"


def test_a_server_on_the_database_is_found(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'hotplate.db'}"
    address = Address("127.0.0.1", 4711)
    with recorded(Configuration(address, database), address):
        place = place_of(Wanted(database=database), {"HOME": str(tmp_path)})
        assert (place.base, place.embedded) == ("http://127.0.0.1:4711/v1/default", None)
    with (
        recorded(Configuration(address, database, auth="token-file"), address),
        pytest.raises(Stop, match="wants a token"),
    ):
        place_of(Wanted(database=database), {"HOME": str(tmp_path)})


def test_the_variables_of_openstack_name_an_endpoint(tmp_path: Path) -> None:
    environ = {
        "HOME": str(tmp_path),
        "OS_AUTH_TYPE": "admin_token",
        "OS_TOKEN": "sesame",
        "OS_ENDPOINT": "http://host:8004/v1/demo",
    }
    place = place_of(Wanted(), environ)
    assert (place.base, place.headers) == ("http://host:8004/v1/demo", {"x-auth-token": "sesame"})
    del environ["OS_ENDPOINT"]
    with pytest.raises(Stop, match="no endpoint"):
        place_of(Wanted(), environ | {"OS_CLOUD": "", "OS_AUTH_URL": "http://keystone"})


def test_a_cloud_with_keystone_is_where_objects_are_made(tmp_path: Path) -> None:
    file = tmp_path / "clouds.yaml"
    file.write_text("clouds: {mine: {auth: {auth_url: 'http://keystone'}}}", encoding="utf-8")
    environ = {"HOME": str(tmp_path), "OS_CLIENT_CONFIG_FILE": str(file)}
    named = place_of(Wanted(cloud="mine"), environ).embedded
    assert named is not None
    assert named.os_cloud == "mine"
    by_variables = place_of(Wanted(), environ | {"OS_AUTH_URL": "http://keystone"}).embedded
    assert by_variables is not None
    assert by_variables.os_cloud == ""
    neither = place_of(Wanted(), environ).embedded
    assert neither is not None
    assert neither.os_cloud == ""


def test_clouds_yaml_names_an_endpoint(tmp_path: Path) -> None:
    file = tmp_path / "clouds.yaml"
    file.write_text(
        "clouds:\n"
        "  mine:\n"
        "    auth_type: none\n"
        "    auth: {endpoint: 'http://host:8004/v1/demo'}\n"
        "  hers:\n"
        "    auth_type: admin_token\n"
        "    auth: {endpoint: 'http://host:8004/v1/demo', token: sesame}\n",
        encoding="utf-8",
    )
    environ = {"HOME": str(tmp_path), "OS_CLIENT_CONFIG_FILE": str(file)}
    assert place_of(Wanted(cloud="mine"), environ).base == "http://host:8004/v1/demo"
    hers = place_of(Wanted(), {**environ, "OS_CLOUD": "hers"})
    assert hers.headers == {"x-auth-token": "sesame"}
    with pytest.raises(Stop, match='no cloud "his"'):
        place_of(Wanted(cloud="his"), environ)
    file.write_text("{", encoding="utf-8")
    with pytest.raises(Stop, match="cannot be read"):
        place_of(Wanted(cloud="mine"), environ)
