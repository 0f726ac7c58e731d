"""clouds.yaml and OS_* are read as openstacksdk reads them."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from openstack.config import OpenStackConfig

from hotplate.cloud.errors import BadConfiguration
from hotplate.cloud.settings import CloudSettings, load_settings

CLOUDS: dict[str, Any] = {
    "plain": {
        "auth": {
            "auth_url": "http://k:5000/v3",
            "username": "u",
            "password": "p",
            "project_name": "demo",
            "user_domain_name": "Default",
            "project_domain_name": "Default",
        },
        "region_name": "R1",
        "interface": "internal",
        "cacert": "/etc/ca.pem",
        "compute_default_microversion": "2.60",
    },
    "old": {
        "auth": {"auth_url": "http://k:5000", "username": "u", "project-name": "demo"},
        "password": "beside",
        "regions": ["R1", {"name": "R2", "values": {"interface": "admin"}}],
        "verify": False,
        "network_endpoint_override": "http://n:9696",
    },
    "credential": {
        "auth_type": "v3applicationcredential",
        "auth": {
            "auth_url": "http://k",
            "application_credential_id": "i",
            "application_credential_secret": "s",
        },
        "api_timeout": 12,
    },
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "openstack"
    folder.mkdir()
    (folder / "clouds.yaml").write_text(yaml.safe_dump({"clouds": CLOUDS}))
    secret = {"clouds": {"plain": {"auth": {"password": "from secure.yaml"}}}}
    (folder / "secure.yaml").write_text(yaml.safe_dump(secret))
    return tmp_path


def load(home: Path, cloud: str = "", region: str = "", **environ: str) -> CloudSettings:
    found = {"XDG_CONFIG_HOME": str(home), "HOME": str(home), **environ}
    return load_settings(found, cloud, region, home)


@pytest.mark.filterwarnings("ignore:Support for InfluxDB")
@pytest.mark.parametrize(
    ("name", "region"), [("plain", ""), ("old", ""), ("old", "R2"), ("credential", "")]
)
def test_openstacksdk_reads_the_same(home: Path, name: str, region: str) -> None:
    folder = home / "openstack"
    theirs = OpenStackConfig(
        config_files=[str(folder / "clouds.yaml")],
        secure_files=[str(folder / "secure.yaml")],
        load_envvars=False,
    ).get_one(cloud=name, region_name=region or None)
    ours = load(home, name, region)
    assert ours.region == (theirs.region_name or "")
    assert ours.interface == theirs.get_interface()
    assert ours.verify == bool(theirs.get_requests_verify_args()[0])
    assert ours.timeout == (theirs.config.get("api_timeout") or 0)
    assert ours.of_service("network", "endpoint_override") == (
        theirs.config.get("network_endpoint_override") or ""
    )
    assert ours.of_service("compute", "default_microversion") == (
        theirs.get_default_microversion("compute") or ""
    )
    assert ours.auth.items() <= {k: str(v) for k, v in theirs.config["auth"].items()}.items()


def test_the_variables_describe_a_cloud(home: Path) -> None:
    found = load(
        home,
        OS_AUTH_URL="http://k/v3",
        OS_USERNAME="u",
        OS_PASSWORD="p",
        OS_TENANT_NAME="demo",
        OS_REGION_NAME="R3",
        OS_ENDPOINT_TYPE="internalURL",
        OS_INSECURE="true",
        OS_CACERT="~/ca.pem",
    )
    assert (found.name, found.auth_type, found.region) == ("envvars", "password", "R3")
    assert found.auth == {
        "auth_url": "http://k/v3",
        "username": "u",
        "password": "p",
        "project_name": "demo",
    }
    assert (found.interface, found.verify) == ("internal", False)


def test_a_cloud_that_is_named_comes_before_the_variables(home: Path) -> None:
    assert load(home, OS_CLOUD="old", OS_AUTH_URL="http://other").name == "old"
    assert load(home, "plain", OS_CLOUD="old").auth["password"] == "from secure.yaml"


def test_ways_to_identify_are_told_apart_by_what_is_given(home: Path) -> None:
    assert load(home, OS_AUTH_URL="u", OS_TOKEN="t").auth_type == "token"
    assert load(home, OS_ENDPOINT="u", OS_TOKEN="t").auth_type == "admin_token"
    credential = load(
        home,
        OS_AUTH_URL="u",
        OS_APPLICATION_CREDENTIAL_ID="i",
        OS_APPLICATION_CREDENTIAL_SECRET="s",
    )
    assert credential.auth_type == "v3applicationcredential"


def test_the_only_cloud_needs_no_name(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump({"clouds": {"one": CLOUDS["plain"]}}))
    assert load(tmp_path, OS_CLIENT_CONFIG_FILE=str(file)).name == "one"


def test_a_profile_gives_what_the_cloud_does_not_say(tmp_path: Path) -> None:
    public = {"public-clouds": {"big": {"auth": {"auth_url": "http://big"}, "interface": "admin"}}}
    (tmp_path / "clouds-public.yaml").write_text(yaml.safe_dump(public))
    mine = {"clouds": {"one": {"profile": "big", "auth": {"username": "u"}}}}
    (tmp_path / "clouds.yaml").write_text(yaml.safe_dump(mine))
    found = load(tmp_path, "one")
    assert dict(found.auth) == {"auth_url": "http://big", "username": "u"}
    assert found.interface == "admin"


@pytest.mark.parametrize(
    ("cloud", "region", "environ", "words"),
    [
        ("", "", {}, "set OS_CLOUD to one of clouds.yaml .credential, old, plain."),
        ("plane", "", {}, 'no cloud "plane".*plain'),
        ("old", "R9", {}, 'no region "R9"; known are R1, R2'),
    ],
)
def test_what_cannot_be_found_is_said_with_what_could(
    home: Path, cloud: str, region: str, environ: dict[str, str], words: str
) -> None:
    with pytest.raises(BadConfiguration, match=words):
        load(home, cloud, region, **environ)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "clouds.yaml").write_text("clouds: [")
    with pytest.raises(BadConfiguration, match=r"clouds\.yaml cannot be read"):
        load(tmp_path)
