"""What users do: templates of other people and our own, from a clouds.yaml and nothing else."""

import asyncio
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen

import pytest

from hotplate.cloud import Cloud, load_settings
from tests.cloud.box.places import credentials
from tests.cloud.commands import USER, Desk
from tests.cloud.inventory import added, inventory

ROOT = Path(__file__).parents[2]
KEY = "hotplate-test-key"
NEW_NET = {
    "key_name": KEY,
    "image": "cirros",
    "flavor": "m1.tiny",
    "public_net": "public",
    "private_net_name": "new-net",
    "private_net_cidr": "10.77.0.0/24",
    "private_net_gateway": "10.77.0.1",
    "private_net_pool_start": "10.77.0.10",
    "private_net_pool_end": "10.77.0.50",
}
PUBLIC = {
    "servers_in_new_neutron_net.yaml": (
        NEW_NET,
        {
            "networks": 1,
            "subnets": 1,
            "routers": 1,
            "servers": 2,
            "floating IPs": 2,
            "ports": 3,
        },
    ),
    "vm_with_cinder.yaml": (
        {"key_name": KEY, "image": "cirros", "flavor": "m1.tiny"},
        {"servers": 1, "volumes": 1, "ports": 1},
    ),
    "resource_group/server_with_volumes.yaml": (
        {"key_name": KEY, "image_id": "cirros", "instance_type": "m1.tiny"},
        {"servers": 1, "volumes": 2, "ports": 1},
    ),
}


@pytest.fixture(scope="module")
def key() -> Iterator[None]:
    """A key pair that templates name."""

    async def change(there: bool) -> None:
        async with Cloud(load_settings(credentials(USER))) as cloud:
            nova = cloud.service("compute")
            await nova.delete(f"/os-keypairs/{KEY}")
            if there:
                made = {"keypair": {"name": KEY, "type": "ssh"}}
                await nova.post("/os-keypairs", made, microversion="2.91")

    asyncio.run(change(True))
    yield
    asyncio.run(change(False))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@contextmanager
def server(desk: Desk) -> Iterator[Desk]:
    """A server that makes everything in the cloud, and a desk that asks it."""
    process: Popen[str] = desk.start("serve", "--os-cloud", "box", "--listen", "127.0.0.1:0")
    try:
        assert process.stdout is not None
        ready = next(line for line in process.stdout if "hotplate is ready" in line)
        address = re.search(r"http://[^/]+", ready)
        assert address is not None
        yield Desk(desk.home / "client", {"HOTPLATE_URL": address[0]})
    finally:
        process.terminate()
        process.communicate(timeout=60)


def parameters(values: dict[str, str]) -> list[str]:
    return [word for name, value in values.items() for word in ("--parameter", f"{name}={value}")]


def public_template(name: str) -> Path:
    corpus = os.environ.get("HOTPLATE_CORPUS")
    if not corpus:
        pytest.skip("HOTPLATE_CORPUS names no collection of published templates")
    return Path(corpus) / "heat-templates" / "hot" / name


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.usefixtures("key")
def test_a_public_template_runs_without_a_server(name: str, desk: Desk) -> None:
    given, expected = PUBLIC[name]
    up_and_down(desk, public_template(name), given, expected)


@pytest.mark.parametrize("name", PUBLIC)
@pytest.mark.usefixtures("key")
def test_a_public_template_runs_with_a_server(name: str, desk: Desk) -> None:
    given, expected = PUBLIC[name]
    with server(desk) as client:
        up_and_down(client, public_template(name), given, expected)


def test_our_example_runs(desk: Desk) -> None:
    template = ROOT / "examples" / "cloud" / "server.yaml"
    given = {"image": "cirros", "flavor": "m1.tiny"}
    expected = {
        "networks": 1,
        "subnets": 1,
        "routers": 1,
        "security groups": 1,
        "ports": 2,
        "key pairs": 1,
        "servers": 1,
        "floating IPs": 1,
    }
    up_and_down(desk, template, given, expected)


def up_and_down(
    desk: Desk, template: Path, given: dict[str, str], expected: dict[str, int]
) -> None:
    """Bring a stack up, update it without a change, delete it; nothing is left."""
    before = asyncio.run(inventory(USER))
    try:
        desk.run("up", str(template), "stack", "--yes", *parameters(given))
        made = added(before, asyncio.run(inventory(USER)))
        del made["security group rules"]
        assert made == expected
        printed = desk.run("up", str(template), "stack", "--yes", *parameters(given))
        assert re.search(r"^Plan for the stack stack: \d+ unchanged$", printed, re.MULTILINE)
    finally:
        desk.run("down", "stack", "--yes")
    assert not added(before, asyncio.run(inventory(USER)))
