"""Clouds of many: what the configuration says of them, and who gets which."""

import asyncio
import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from hotplate.authority import AuthorityClouds, ProjectClouds
from hotplate.engine.world import Actor, RealWorld, ServiceMissing
from hotplate.server import CannotStart, configure
from hotplate.server.clouds import authority_settings
from hotplate.server.engine import services_of
from hotplate.server.service import serve
from tests.unit.cloud.scripted import settings

TOKENS = "t1 ann demo\nt2 bob other\n"


@dataclass(frozen=True)
class Own:
    service_user: Any


class Opened:
    def __init__(self, name: str) -> None:
        self.name = name
        self.is_closed = False

    async def close(self) -> None:
        self.is_closed = True


def test_each_project_has_the_cloud_that_is_named_for_it() -> None:
    loaded: list[Opened] = []

    def load(name: str) -> Opened:
        loaded.append(Opened(name))
        return loaded[-1]

    clouds = ProjectClouds({"demo": "east", "other": "west", "third": "east"}, load)
    world = RealWorld(services={"cloud": clouds})
    for project, name in (("demo", "east"), ("third", "east"), ("other", "west")):
        assert world.acting_for(Actor(project)).service("cloud").name == name
    assert [each.name for each in loaded] == ["east", "west"]
    with pytest.raises(ServiceMissing, match=r"no cloud is configured for the project fourth"):
        world.acting_for(Actor("fourth")).service("cloud")
    with pytest.raises(ServiceMissing):
        world.service("cloud")
    asyncio.run(clouds.close())
    assert all(each.is_closed for each in loaded)


def test_a_world_without_services_of_users_is_the_same_for_all() -> None:
    world = RealWorld(services={"cloud": object()})
    assert world.acting_for(Actor("p")) is world


def configured(folder: Path, text: str, tokens: str = "") -> Any:
    file = folder / "hotplate.toml"
    file.write_text(text)
    flags: dict[str, Any] = {"listen": "127.0.0.1:0", "database": f"sqlite:///{folder / 'db'}"}
    if tokens:
        named = folder / "tokens"
        named.write_text(tokens)
        named.chmod(0o600)
        flags["auth_tokens"] = str(named)
    return configure(flags, {"HOME": str(folder)}, file)


def test_a_file_of_tokens_with_several_projects_names_their_clouds(tmp_path: Path) -> None:
    found = configured(tmp_path, '[clouds]\ndemo = "east"\nother = "west"\n', TOKENS)
    assert isinstance(services_of(found)["cloud"], ProjectClouds)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[clouds]\ndemo = 1\n", "clouds is a table of texts"),
        ("authority = 1\n", "authority is a table"),
    ],
)
def test_nonsense_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(CannotStart, match=words):
        configured(tmp_path, text)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"trusts": "always"}, "authority.trusts is one of needed, never"),
        ({"trust": "never"}, "there is no setting authority.trust"),
        ({"service_tokens": "yes"}, "authority.service_tokens must be true or false"),
    ],
)
def test_nonsense_in_the_table_of_authorities_is_refused(table: dict[str, Any], words: str) -> None:
    with pytest.raises(CannotStart, match=words):
        authority_settings(table)


def test_clouds_of_projects_need_tokens(tmp_path: Path) -> None:
    found = configured(tmp_path, '[clouds]\ndemo = "east"\n')
    with pytest.raises(CannotStart, match="token-file only"):
        asyncio.run(serve(found, lambda address: None))


def test_where_keystone_tells_who_asks_each_user_has_a_cloud(tmp_path: Path) -> None:
    found = configured(tmp_path, '[authority]\ntrusts = "never"\nexpired_token_seconds = 60\n')
    found = dataclasses.replace(found, keystone=Own(settings()))
    assert isinstance(services_of(found)["cloud"], AuthorityClouds)
    given = authority_settings(found.authority)
    assert (given.trusts, given.expired_token_seconds) == ("never", 60.0)
