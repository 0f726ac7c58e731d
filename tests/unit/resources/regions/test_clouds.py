"""Servers of clouds: in another region of the own one, or in one whose credential is a secret."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from hotplate.cloud import Cloud, CloudSettings
from hotplate.cloud.calling import Clock
from hotplate.cloud.wire import Answer, NotSent
from hotplate.resources import ResourceFailed
from hotplate.resources.heat.remote_stack import RemoteStack
from hotplate.resources.regions import HeatApi, Refused, Region, Regions, RemoteClouds
from hotplate.resources.regions.clouds import CloudServers
from tests.unit.cloud.scripted import KEYSTONE, Time, answer, settings
from tests.unit.resources.acting import StillWorld, resource

SECRET = "0f6f8f0e-1111-4222-8333-444455556666"
CREDENTIAL = {
    "auth_type": "v3applicationcredential",
    "auth": {
        "auth_url": KEYSTONE,
        "application_credential_id": "ac",
        "application_credential_secret": "hush",
    },
}


@dataclass
class Sky:
    """A cloud with two regions and a Barbican; it notes who asks for what."""

    time: Time = field(default_factory=Time)
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    logins: list[Any] = field(default_factory=list)
    wires: list[CloudSettings] = field(default_factory=list)
    secret: Answer = field(default_factory=lambda: payload(CREDENTIAL))
    heat: Answer = field(default_factory=lambda: answer({"stacks": []}))
    login: Answer | None = None
    is_away: bool = False

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        await asyncio.sleep(0)
        if self.is_away:
            raise NotSent("nobody there")
        if url.endswith("/auth/tokens"):
            self.logins.append((url, json.loads(body)["auth"]["identity"]))
            return self.login or self._token()
        self.asked.append((method, url, headers["X-Auth-Token"]))
        return self.secret if "barbican" in url else self.heat

    async def close(self) -> None:
        pass

    def wire(self, made_for: CloudSettings) -> "Sky":
        self.wires.append(made_for)
        return self

    def cloud(self, **changes: Any) -> Cloud:
        return Cloud(settings(**changes), self, Clock(self.time.now, self.time.sleep))

    def _token(self) -> Answer:
        def at(kind: str, **urls: str) -> dict[str, Any]:
            found = [
                {"interface": "public", "region_id": region, "url": url}
                for region, url in urls.items()
            ]
            return {"type": kind, "endpoints": found}

        token = {
            "expires_at": "2033-01-01T00:00:00.000000Z",
            "project": {"id": "p1"},
            "user": {"id": "u1"},
            "catalog": [
                at("key-manager", R1="http://barbican", R2="http://elsewhere"),
                at("orchestration", R1="http://heat1/v1/p1", R2="http://heat2/v1/%(project_id)s"),
            ],
        }
        return answer({"token": token}, 201, x_subject_token=f"token-{len(self.logins)}")


def payload(document: Any) -> Answer:
    text = document if isinstance(document, str) else json.dumps(document)
    return Answer(200, {"content-type": "text/plain"}, text.encode())


def servers(sky: Sky, **remote: Any) -> CloudServers:
    return CloudServers(RemoteClouds(**remote), sky.wire)


def ask(sky: Sky, context: dict[str, Any], times: int = 1, **remote: Any) -> None:
    """Ask the server that a context means, in the cloud of one user."""

    async def story() -> None:
        found, cloud = servers(sky, **remote), sky.cloud()
        for _ in range(times):
            await HeatApi(found.server(cloud, context)).find("s")

    asyncio.run(story())


def refused(sky: Sky, context: dict[str, Any], **remote: Any) -> str:
    with pytest.raises(ResourceFailed) as error:
        ask(sky, context, **remote)
    assert "hush" not in str(error.value)
    return str(error.value)


def test_another_region_is_found_in_the_catalogue_and_called_with_the_own_token() -> None:
    sky = Sky()
    ask(sky, {"region_name": "R2"}, times=2)
    assert sky.asked == [("GET", "http://heat2/v1/p1/stacks?name=s", "token-1")] * 2
    assert len(sky.logins) == 1
    assert sky.wires == []


def test_what_is_said_of_single_services_does_not_hold_in_another_region() -> None:
    sky = Sky()
    said = {"orchestration_endpoint_override": "http://here/v1", "orchestration_region_name": "R1"}
    cloud = sky.cloud(options=said)
    assert asyncio.run(cloud.elsewhere("R2").service("orchestration").url()).startswith("http://h")
    assert asyncio.run(cloud.elsewhere("R2").service("orchestration").url()).endswith("2/v1/p1")


def test_a_region_that_no_catalogue_has_is_refused_with_those_that_there_are() -> None:
    assert 'there is no region "R9"; the service is in R1, R2' in refused(
        Sky(), {"region_name": "R9"}
    )


def test_certificates_of_the_template_are_for_that_server_alone() -> None:
    assert "cannot be read" in refused(Sky(), {"region_name": "R2", "ca_cert": "nonsense"})
    assert "ask the operator" in refused(Sky(), {"region_name": "R2", "insecure": True})
    sky = Sky()
    ask(sky, {"region_name": "R2", "insecure": True}, allow_insecure=True)
    assert [each.verify for each in sky.wires] == [False]


def test_a_secret_is_read_with_the_own_authority_and_logs_in_elsewhere() -> None:
    sky = Sky()
    ask(sky, {"credential_secret_id": SECRET, "region_name": "R2"}, times=3)
    assert sky.asked == [
        ("GET", f"http://barbican/v1/secrets/{SECRET}/payload", "token-1"),
        *[("GET", "http://heat2/v1/p1/stacks?name=s", "token-2")] * 3,
    ]
    credential = {"id": "ac", "secret": "hush"}
    assert sky.logins[1][1]["application_credential"] == credential
    assert "hush" not in repr(sky.wires)


def test_a_reference_is_looked_for_in_the_own_barbican() -> None:
    sky = Sky()
    ask(sky, {"credential_secret_id": f"http://attacker/v1/secrets/{SECRET}"})
    assert sky.asked[0][1] == f"http://barbican/v1/secrets/{SECRET}/payload"
    assert "is no secret of Barbican" in refused(Sky(), {"credential_secret_id": "../consumers"})


def test_a_secret_is_read_again_after_a_minute_and_never_for_somebody_else() -> None:
    sky = Sky()

    async def story() -> None:
        found, ann, bob = servers(sky), sky.cloud(), sky.cloud()
        server = found.server(ann, {"credential_secret_id": SECRET})
        await asyncio.gather(*(server.ask("GET", "/stacks") for _ in range(5)))
        assert reads() == 1
        sky.time.at += 61
        await server.ask("GET", "/stacks")
        assert reads() == 2
        assert len(sky.logins) == 2, "the same credential keeps its token"
        await found.server(bob, {"credential_secret_id": SECRET}).connect()
        assert reads() == 3
        sky.secret = answer({"description": "Forbidden"}, 403)
        sky.time.at += 61
        with pytest.raises(ResourceFailed, match="Forbidden"):
            await server.ask("GET", "/stacks")
        sky.secret = payload(CREDENTIAL)
        await server.connect()
        known = reads()
        await server.connect()
        assert reads() == known
        for number in range(80):
            with pytest.raises(ResourceFailed):
                await found.server(ann, {"region_name": f"N{number}"}).connect()
        await server.connect()
        assert reads() == known + 1, "what was not used for long is forgotten"
        await found.close()

    def reads() -> int:
        return sum("barbican" in url for _, url, _ in sky.asked)

    asyncio.run(story())


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ("{", "is no credential"),
        ("[]", "is no credential"),
        ({"auth_type": "v3applicationcredential"}, "with both keys"),
        ({"auth": {"auth_url": KEYSTONE}}, "with both keys"),
        ({**CREDENTIAL, "auth": ["hush"]}, "with both keys"),
        ({**CREDENTIAL, "auth_type": "v3oidcpassword"}, "another auth_type"),
        ({**CREDENTIAL, "auth": {"auth_url": KEYSTONE}}, "application_credential_secret"),
    ],
)
def test_a_secret_that_is_no_credential_is_refused_and_not_shown(document: Any, words: str) -> None:
    sky = Sky(secret=payload(document))
    assert words in refused(sky, {"credential_secret_id": SECRET})
    assert len(sky.logins) == 1, "nobody logs in with it"


def test_what_barbican_does_not_give_is_said() -> None:
    there_is_none = Sky(secret=answer({"description": "Not Found"}, 404))
    assert "there is no secret" in refused(there_is_none, {"credential_secret_id": SECRET})
    binary = Sky(secret=answer({"description": "Not Acceptable"}, 406))
    assert "is no text" in refused(binary, {"credential_secret_id": SECRET})
    assert len(binary.asked) == 2


@pytest.mark.parametrize(
    ("url", "allowed", "is_allowed"),
    [
        ("http://keystone", None, True),
        ("http://KEYSTONE:80/v3/", None, True),
        ("http://keystone:81/v3", None, False),
        ("https://keystone/v3", None, False),
        ("http://keystone/v3/../x", None, False),
        ("http://u:p@keystone/v3", None, False),
        ("http://keystone@attacker/v3", None, False),
        ("http://169.254.169.254/v3", None, False),
        ("https://far:5000/v3", ("https://far:5000",), True),
        ("http://keystone/v3", ("https://far:5000",), False),
        ("http://keystone/v3", (), False),
        ("", ("",), False),
    ],
)
def test_a_secret_logs_in_only_where_the_operator_allows_it(
    url: str, allowed: tuple[str, ...] | None, is_allowed: bool
) -> None:
    auth = {**CREDENTIAL["auth"], "auth_url": url}  # type: ignore[dict-item]
    sky = Sky(secret=payload({**CREDENTIAL, "auth": auth}))
    context = {"credential_secret_id": SECRET}
    if is_allowed:
        ask(sky, context, auth_urls=allowed)
        assert len(sky.logins) == 2
    else:
        assert "remote_auth_urls" in refused(sky, context, auth_urls=allowed)
        assert len(sky.logins) == 1


def test_a_refusal_has_heats_own_words() -> None:
    said = {"explanation": "The server could not comply", "code": 400, "error": {"message": "bad"}}
    with pytest.raises(Refused) as error:
        ask(Sky(heat=answer(said, 400)), {"region_name": "R2"})
    assert (error.value.status, error.value.words) == (400, "bad")
    page = Answer(200, {"content-type": "text/html"}, b"<p>")
    with pytest.raises(Refused, match="does not answer in JSON"):
        ask(Sky(heat=page), {"region_name": "R2"})


def world(sky: Sky, **named: Region) -> StillWorld:
    return StillWorld({"regions": Regions(named), "cloud": sky.cloud()})


def refusal(sky: Sky, **context: Any) -> str:
    kind = RemoteStack()
    told = resource(kind, {"template": "{}", "context": context}, world=world(sky))
    return asyncio.run(kind.refusal(told))


def test_what_cannot_be_connected_is_told_beforehand_in_heats_words() -> None:
    start = "Cannot establish connection to Heat endpoint at"
    missing = "public endpoint for orchestration service in R9 region not found"
    assert refusal(Sky(), region_name="R9").startswith(f'{start} region "R9" due to "{missing}"')
    assert refusal(Sky(secret=payload("{")), credential_secret_id=SECRET).startswith(
        f'{start} remote cloud due to "the secret {SECRET} is no credential'
    )
    words = answer({"error": {"message": "Could not find it", "code": 404}}, 404)
    sky = Sky(login=words)
    assert refusal(sky, region_name="R2").startswith(f'{start} region "R2" due to "')
    assert "Could not find it" in refusal(sky, region_name="R2")


def test_what_is_away_refuses_nothing_beforehand_and_is_waited_for() -> None:
    sky = Sky(is_away=True)
    assert refusal(sky, region_name="R2") == ""
    assert refusal(sky, credential_secret_id=SECRET) == ""
    kind = RemoteStack()
    told = resource(
        kind, {"template": "{}", "context": {"region_name": "R2"}}, world=world(Sky(is_away=True))
    )
    result: Any = asyncio.run(kind.create(told))
    assert result.cookie["away"] == 1000.0
    assert not result.data, "nothing can exist yet"


def test_a_name_of_the_operator_wins_over_the_catalogue() -> None:
    async def story() -> None:
        sky = Sky()
        regions = Regions({"R2": Region("http://named/v1/p", projects=("other",))})
        here = StillWorld({"regions": regions, "cloud": sky.cloud()})
        with pytest.raises(ResourceFailed, match='no region "R2" for this project'):
            await regions.api(here, "p", {"region_name": "R2"})
        await (await regions.api(here, "p", {"region_name": "R1"})).find("s")
        assert sky.asked[0][1].startswith("http://heat1/")

    asyncio.run(story())


def test_without_a_cloud_a_secret_is_refused_with_what_it_could_mean() -> None:
    kind = RemoteStack()
    given = {"template": "{}", "context": {"credential_secret_id": SECRET}}
    told = resource(kind, given, world=StillWorld({"regions": Regions({})}))
    said = asyncio.run(kind.refusal(told))
    assert "no cloud is used here" in said
    assert "remote cloud" in said
