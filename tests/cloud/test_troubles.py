"""A cloud in trouble: a clear error, or a wait that ends. Nothing is stuck, nothing is left."""

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hotplate.cloud import Cloud, load_settings
from tests.cloud.box.control import down, up
from tests.cloud.box.places import credentials
from tests.cloud.commands import USER, Desk
from tests.cloud.inventory import added, inventory

VOLUME = """
heat_template_version: 2021-04-16
resources:
  volume: {type: OS::Cinder::Volume, properties: {size: 1}}
"""
NETWORK = """
heat_template_version: 2021-04-16
resources:
  net: {type: OS::Neutron::Net}
"""
SLOW = """
heat_template_version: 2021-04-16
resources:
  first: {type: OS::Neutron::Net}
  pause: {type: OS::Heat::Delay, depends_on: first, properties: {min_wait: 6}}
  second: {type: OS::Neutron::Net, depends_on: pause}
"""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    before = asyncio.run(inventory(USER))
    desk = Desk(tmp_path)
    yield desk
    if desk.has("stack"):
        desk.run("down", "stack", "--yes")
    assert not added(before, asyncio.run(inventory(USER)))


def template(desk: Desk, text: str) -> str:
    file = desk.home / "template.yaml"
    file.write_text(text)
    return str(file)


def failing(desk: Desk, *words: str) -> str:
    process = desk.start(*words)
    printed, _ = process.communicate(timeout=300)
    assert process.returncode != 0, printed
    return printed


def test_bad_credentials_are_refused_before_anything_is_made(desk: Desk) -> None:
    file = desk.home / ".config" / "openstack" / "clouds.yaml"
    written = file.read_text()
    file.write_text(re.sub("password: .*", "password: wrong", written))
    printed = failing(desk, "up", template(desk, NETWORK), "stack", "--yes")
    assert 'the credentials of the cloud "box" are not accepted' in printed
    file.write_text(written)


def test_a_service_that_the_cloud_lacks_is_named(desk: Desk) -> None:
    file = desk.home / ".config" / "openstack" / "clouds.yaml"
    written = file.read_text()
    file.write_text(written + "    network_interface: admin\n    network_service_type: nowhere\n")
    try:
        printed = failing(desk, "up", template(desk, NETWORK), "stack", "--yes")
    finally:
        file.write_text(written)
    assert "network" in printed
    assert "resources.net" in printed


def test_a_quota_that_is_used_up_is_named(desk: Desk) -> None:
    with no_more_volumes():
        printed = failing(desk, "up", template(desk, VOLUME), "stack", "--yes")
    assert "volumes" in printed
    assert "quota" in printed.lower()
    assert re.search(r"request req-[0-9a-f-]+", printed)
    desk.run("retry", "stack")


def test_a_token_that_is_revoked_meanwhile_is_renewed(desk: Desk) -> None:
    process = desk.start("up", template(desk, SLOW), "stack", "--yes")
    assert process.stdout is not None
    next(line for line in process.stdout if re.search(r"CREATE_COMPLETE +first", line))
    asyncio.run(revoke_tokens())
    printed, _ = process.communicate(timeout=300)
    assert process.returncode == 0, printed


def test_a_service_that_is_away_for_a_minute_is_waited_for(desk: Desk) -> None:
    down(["cinder"])
    back = threading.Timer(60, up, [["cinder"]])
    back.start()
    try:
        desk.run("up", template(desk, VOLUME), "stack", "--yes")
    finally:
        back.join()
        up(["cinder"])


@contextmanager
def no_more_volumes() -> Iterator[None]:
    async def set_quota(most: int | None) -> None:
        async with (
            Cloud(load_settings(credentials("admin"))) as admin,
            Cloud(load_settings(credentials(USER))) as user,
        ):
            path = f"/os-quota-sets/{await user.project_id()}"
            cinder = admin.service("block-storage")
            if most is None:
                await cinder.delete(path)
            else:
                await cinder.put(path, {"quota_set": {"volumes": most}})

    asyncio.run(set_quota(0))
    try:
        yield
    finally:
        asyncio.run(set_quota(None))


async def revoke_tokens() -> None:
    """Let Keystone forget all tokens of the user, as a change of the password does."""
    async with (
        Cloud(load_settings(credentials("admin"))) as admin,
        Cloud(load_settings(credentials(USER))) as user,
    ):
        keystone = admin.service("identity")
        path = f"/users/{(await user.token()).user_id}"
        await keystone.patch(path, {"user": {"enabled": False}})
        await keystone.patch(path, {"user": {"enabled": True}})
