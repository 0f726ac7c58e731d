"""Clients of OpenStack log in, find the server in the catalogue, and make and delete stacks."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import openstack
import pytest
import yaml
from heatclient import client as heatclient
from heatclient import exc
from keystoneauth1 import loading
from keystoneauth1.session import Session

from tests.acceptance.serving import Served
from tests.identity.conftest import Town
from tests.identity.counting_proxy import CountingProxy
from tests.identity.people import Keystone, Person

BIN = Path(sys.executable).parent
TEMPLATE = {
    "heat_template_version": "wallaby",
    "resources": {"r": {"type": "OS::Heat::RandomString", "properties": {"length": 8}}},
    "outputs": {"o": {"value": {"get_attr": ["r", "value"]}}},
}

pytestmark = pytest.mark.filterwarnings(
    "ignore::PendingDeprecationWarning", "ignore::DeprecationWarning", "ignore::ResourceWarning"
)


@pytest.fixture(scope="module", autouse=True)
def endpoint(served: Served, keystone: Keystone, town: Town) -> None:
    """The server is in the catalogue, in a region of its own."""
    service = keystone.create("services", name="hotplate", type="orchestration")
    keystone.create(
        "endpoints",
        service_id=service["id"],
        interface="public",
        region_id=town.region,
        url=f"{served.url}/v1/%(tenant_id)s",
    )


def variables(person: Person, town: Town, proxy: CountingProxy, home: Path) -> dict[str, str]:
    clean = {
        name: text
        for name, text in os.environ.items()
        if not name.startswith(("OS_", "HOTPLATE_")) and "proxy" not in name.lower()
    }
    return clean | {"HOME": str(home)} | person.variables(proxy.url, town.region)


def run(environ: dict[str, str], home: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    words = [str(BIN / command[0]), *command[1:]]
    return subprocess.run(
        words, cwd=home, env=environ, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "app.yaml").write_text(yaml.safe_dump(TEMPLATE))
    return tmp_path


def session_of(person: Person, auth_url: str) -> Session:
    loader: Any = loading.get_plugin_loader("password")
    auth = loader.load_from_options(
        auth_url=auth_url,
        username=person.name,
        password=person.password,
        project_name=person.project.name,
        user_domain_name="Default",
        project_domain_name="Default",
    )
    return Session(auth=auth)


@pytest.fixture
def heat(town: Town, proxy: CountingProxy) -> Any:
    session = session_of(town.member, proxy.url)
    return heatclient.Client("1", session=session, region_name=town.region)


def test_heatclient(heat: Any, town: Town, proxy: CountingProxy) -> None:
    made = heat.stacks.create(stack_name="by-heatclient", template=TEMPLATE)["stack"]["id"]
    end = time.monotonic() + 60
    while heat.stacks.get(made).stack_status != "CREATE_COMPLETE":
        assert time.monotonic() < end
        time.sleep(0.2)
    assert len(heat.stacks.output_show(made, "o")["output"]["output_value"]) == 8
    assert "by-heatclient" in [each.stack_name for each in heat.stacks.list()]
    reader = heatclient.Client(
        "1", session=session_of(town.reader, proxy.url), region_name=town.region
    )
    assert reader.stacks.output_show(made, "o")["output"]["output_value"] == "******"
    with pytest.raises(exc.HTTPForbidden, match="not authorized to use stacks:delete"):
        reader.stacks.delete(made)
    heat.stacks.delete(made)


def test_the_openstack_command(town: Town, proxy: CountingProxy, home: Path) -> None:
    environ = variables(town.member, town, proxy, home)
    made = run(environ, home, "openstack", "stack", "create", "-t", "app.yaml", "by-osc", "--wait")
    assert made.returncode == 0, made.stderr
    listed = run(environ, home, "openstack", "stack", "list", "-f", "json")
    assert "by-osc" in [each["Stack Name"] for each in json.loads(listed.stdout)]
    gone = run(environ, home, "openstack", "stack", "delete", "--yes", "--wait", "by-osc")
    assert gone.returncode == 0, gone.stderr


def test_openstacksdk_with_clouds_yaml_and_an_application_credential(
    town: Town,
    keystone: Keystone,
    proxy: CountingProxy,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    credential = keystone.application_credential(town.member)
    cloud = {
        "auth_type": "v3applicationcredential",
        "auth": {
            "auth_url": proxy.url,
            "application_credential_id": credential["id"],
            "application_credential_secret": credential["secret"],
        },
        "region_name": town.region,
    }
    (home / "clouds.yaml").write_text(yaml.safe_dump({"clouds": {"ours": cloud}}))
    for name in list(os.environ):
        if name.startswith("OS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("OS_CLIENT_CONFIG_FILE", str(home / "clouds.yaml"))
    with openstack.connect(cloud="ours") as connection:
        made = connection.orchestration.create_stack(name="by-sdk", template=TEMPLATE)
        waited = connection.orchestration.wait_for_status(
            connection.orchestration.get_stack(made.id),
            status="CREATE_COMPLETE",
            interval=1,
            wait=60,
        )
        assert waited.status == "CREATE_COMPLETE"
        connection.orchestration.delete_stack(made.id)


def test_our_own_command(town: Town, proxy: CountingProxy, home: Path) -> None:
    environ = variables(town.member, town, proxy, home)
    flags = ("--os-orchestration", "--output", "json")
    made = run(environ, home, "hotplate", "up", "app.yaml", "own", "--yes", *flags)
    assert made.returncode == 0, made.stderr + made.stdout
    listed = run(environ, home, "hotplate", "ls", *flags)
    assert '"own"' in listed.stdout
    gone = run(environ, home, "hotplate", "down", "own", "--yes", *flags)
    assert gone.returncode == 0, gone.stderr + gone.stdout


def test_a_wrong_password_is_told_by_the_client(
    town: Town, proxy: CountingProxy, home: Path
) -> None:
    environ = variables(town.member, town, proxy, home) | {"OS_PASSWORD": "wrong"}
    refused = run(environ, home, "hotplate", "ls", "--os-orchestration")
    assert refused.returncode != 0
    assert "refuses the login" in refused.stderr
