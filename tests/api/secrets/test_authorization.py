"""What the policy allows to whom: endpoints, resource types through all nesting, secrets."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from starlette.requests import Request

from hotplate.cloud.constraints import Found
from hotplate.identity import Caller, Credentials
from hotplate.policy import Policy, Written
from hotplate.server.access.admission import Admission
from hotplate.server.access.authorization import PolicyAuthorization
from hotplate.server.access.watched import Watched
from hotplate.server.service import application
from tests.api.conftest import PROJECT, Api

ROLES = {
    "reader": frozenset(("reader",)),
    "member": frozenset(("reader", "member")),
    "admin": frozenset(("reader", "member", "admin")),
}
POLICY = {
    "resource_types:OS::Heat::RandomString": Written("role:admin", "f"),
    "resource_types:OS::Heat::Wait*": Written("!", "f"),
}
VALUE = {"type": "OS::Heat::Value", "properties": {"value": "x"}}
RANDOM = {"type": "OS::Heat::RandomString"}
CATALOG = (
    {
        "type": "network",
        "endpoints": [{"interface": "public", "region_id": "R", "url": "http://n"}],
    },
)


def template(**resources: Any) -> dict[str, Any]:
    return {"heat_template_version": "wallaby", "resources": resources}


@dataclass
class Person:
    """Asks in a role."""

    api: Api
    client: httpx.AsyncClient

    def ask(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self.api.run(self.client.request(method, path, **more))

    def create(self, name: str, **body: Any) -> httpx.Response:
        return self.ask("POST", "/stacks", json={"stack_name": name, **body})

    def made(self, name: str, **body: Any) -> str:
        """Return the path of a stack that has been made."""
        answer = self.create(name, **body)
        assert answer.status_code == 201, answer.text
        stack_id = answer.json()["stack"]["id"]
        assert self.api.wait(stack_id).endswith("COMPLETE")
        return f"/stacks/{name}/{stack_id}"


@pytest.fixture
def people(api: Api) -> Iterator[dict[str, Person]]:
    policy = Policy.of(POLICY)
    authorization = PolicyAuthorization(Watched(list, lambda: policy))

    async def identify(request: Request, project: str | None) -> Caller:
        role = request.headers["x-auth-token"]
        known = Credentials("t", 0, role, role, "d", PROJECT, catalog=CATALOG)
        return Caller(role, project or PROJECT, role == "admin", ROLES[role], known)

    app = application(api.engine, Admission(identify, authorization), api.settings)
    found = {
        role: Person(
            api,
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app, raise_app_exceptions=False),
                base_url=f"http://testserver/v1/{PROJECT}",
                headers={"x-auth-token": role},
            ),
        )
        for role in ROLES
    }
    yield found
    for each in found.values():
        api.run(each.client.aclose())


def test_what_is_refused_is_named_by_its_rule(people: dict[str, Person]) -> None:
    refused = people["reader"].create("s", template=template())
    assert refused.status_code == 403
    error = refused.json()["error"]
    assert error["type"] == "Forbidden"
    assert error["message"] == "You are not authorized to use stacks:create."


def test_actions_are_allowed_one_by_one(people: dict[str, Person]) -> None:
    path = people["member"].made("s", template=template(a=VALUE))
    reader = people["reader"]
    assert reader.ask("POST", f"{path}/actions", json={"check": None}).status_code == 200
    refused = reader.ask("POST", f"{path}/actions", json={"suspend": None})
    assert refused.json()["error"]["message"] == "You are not authorized to use actions:suspend."
    retried = reader.ask("PATCH", path, json={}).json()["error"]["message"]
    assert retried == "You are not authorized to use stacks:update_no_change."
    patched = reader.ask("PATCH", path, json={"parameters": {"a": "b"}}).json()["error"]["message"]
    assert patched == "You are not authorized to use stacks:update_patch."


GROUP = {"type": "OS::Heat::ResourceGroup", "properties": {"count": 1, "resource_def": RANDOM}}
NESTED: dict[str, dict[str, Any]] = {
    "plain": {"template": template(r=RANDOM)},
    "by registry": {
        "template": template(r={"type": "My::Type"}),
        "environment": {"resource_registry": {"My::Type": "OS::Heat::RandomString"}},
    },
    "in a file": {
        "template": template(n={"type": "inner.yaml"}),
        "files": {"inner.yaml": json.dumps(template(r=RANDOM))},
    },
    "in a file of a file": {
        "template": template(n={"type": "outer.yaml"}),
        "files": {
            "outer.yaml": json.dumps(template(n={"type": "inner.yaml"})),
            "inner.yaml": json.dumps(template(r=RANDOM)),
        },
    },
    "in a group": {"template": template(g=GROUP)},
    "in a group in a file": {
        "template": template(n={"type": "inner.yaml"}),
        "files": {"inner.yaml": json.dumps(template(g=GROUP))},
    },
    "under a condition in a file": {
        "template": template(n={"type": "inner.yaml"}),
        "files": {
            "inner.yaml": json.dumps(
                {
                    **template(r={**RANDOM, "condition": "c"}),
                    "parameters": {"p": {"type": "string", "default": "x"}},
                    "conditions": {"c": {"equals": [{"get_param": "p"}, "x"]}},
                }
            )
        },
    },
    "with escapes": {
        "template": "heat_template_version: wallaby\n"
        'resources: {r: {type: "OS::Heat::Random\\u0053tring"}}\n'
    },
    "computed": {
        "template": {
            **template(
                g={
                    "type": "OS::Heat::ResourceGroup",
                    "properties": {
                        "count": 1,
                        "resource_def": {
                            "type": {"list_join": ["", ["OS::Heat::Random", "String"]]}
                        },
                    },
                }
            )
        }
    },
    "computed in a template": {
        "template": template(
            s={
                "type": "OS::Heat::Stack",
                "properties": {
                    "template": {
                        "list_join": [
                            "",
                            [
                                "heat_template_version: wallaby\nresources: {r: {type: OS::Heat::",
                                "RandomString}}\n",
                            ],
                        ]
                    }
                },
            }
        )
    },
    "by a wildcard": {"template": template(r={"type": "OS::Heat::WaitConditionHandle"})},
}


@pytest.mark.parametrize("body", NESTED.values(), ids=NESTED)
def test_a_type_that_is_not_for_everybody_is_refused_before_anything_begins(
    people: dict[str, Person], body: dict[str, Any]
) -> None:
    for path in ("/stacks", "/stacks/preview"):
        refused = people["member"].ask("POST", path, json={"stack_name": "s", **body})
        assert refused.status_code == 403, refused.text
        assert "You are not authorized to use OS::Heat::" in refused.json()["error"]["message"]
    assert people["member"].ask("GET", "/stacks").json()["stacks"] == []
    if "OS::Heat::Wait" not in json.dumps(body):
        people["admin"].made("s", **body)


def test_where_the_type_stands_is_told(people: dict[str, Person]) -> None:
    message = people["member"].create("s", **NESTED["in a file"]).json()["error"]["message"]
    assert message.startswith("You are not authorized to use OS::Heat::RandomString. (resources.r")
    assert "inner.yaml, line 1" in message


def test_what_an_administrator_built_is_left_alone(people: dict[str, Person]) -> None:
    path = people["admin"].made("s", **NESTED["in a file"])
    member = people["member"]
    harmless = {"template": template(a=VALUE)}
    tried = [
        member.ask("PUT", path, json=harmless),
        member.ask("PATCH", path, json={**harmless, "existing": True}),
        member.ask("PUT", f"{path}/preview", json=harmless),
        member.ask("POST", f"{path}/actions", json={"suspend": None}),
        member.ask("DELETE", path),
    ]
    assert [each.status_code for each in tried] == [403] * len(tried)
    assert "the stack s has it" in tried[-1].json()["error"]["message"]
    assert member.ask("POST", f"{path}/actions", json={"check": None}).status_code == 200


def test_types_that_cannot_be_used_are_not_listed(people: dict[str, Person]) -> None:
    def listed(role: str) -> set[str]:
        return set(people[role].ask("GET", "/resource_types").json()["resource_types"])

    assert "OS::Heat::RandomString" in listed("admin")
    assert "OS::Heat::RandomString" not in listed("member")
    assert "OS::Heat::WaitConditionHandle" not in listed("admin")
    refused = people["member"].ask("GET", "/resource_types/OS::Heat::RandomString")
    assert refused.status_code == 403


SERVER = {"type": "OS::Nova::KeyPair", "properties": {"name": "x"}}


def test_a_type_whose_service_the_catalogue_has_not_is_refused(people: dict[str, Person]) -> None:
    member = people["member"]
    body = {"template": template(k=SERVER)}
    refused = member.create("s", **body)
    assert refused.status_code == 400
    assert refused.json()["error"]["type"] == "ResourceTypeUnavailable"
    assert refused.json()["error"]["message"] == (
        "HEAT-E99001 Service nova is not available for resource type OS::Nova::KeyPair, reason: "
        "nova compute endpoint is not in service catalog."
    )
    shown = member.ask("GET", "/resource_types/OS::Nova::KeyPair")
    assert shown.status_code == 400
    assert "reason: Service endpoint not in service catalog." in shown.text
    assert member.ask("GET", "/resource_types/OS::Neutron::Net").status_code == 200
    assert member.ask("POST", "/validate", json=body).status_code == 400
    ignored = member.ask("POST", "/validate?ignore_errors=99001", json=body)
    assert ignored.status_code == 200


class Neutron:
    """A cloud whose network service tells some extensions, or nothing."""

    def __init__(self, *aliases: str, is_away: bool = False) -> None:
        self._aliases = frozenset(aliases)
        self._is_away = is_away
        self.extensions = self

    async def of(self, service: str) -> frozenset[str]:
        assert service == "network"
        if self._is_away:
            raise TimeoutError
        return self._aliases

    async def look_up(self, constraint: str, name_or_id: str) -> Found:
        return Found()


TRUNK = {"type": "OS::Neutron::Trunk", "properties": {"port": "x"}}
LACKS = (
    "HEAT-E99001 Service neutron is not available for resource type OS::Neutron::Trunk, reason: "
    "Required extension trunk in neutron service is not available."
)


@pytest.mark.parametrize("nested", [False, True])
def test_a_type_whose_extension_the_service_has_not_is_refused_and_not_listed(
    api: Api, people: dict[str, Person], monkeypatch: pytest.MonkeyPatch, nested: bool
) -> None:
    member = people["member"]
    body: dict[str, Any] = {"template": template(t=TRUNK)}
    if nested:
        files = {"inner.yaml": json.dumps(template(t=TRUNK))}
        body = {"template": template(n={"type": "inner.yaml"}), "files": files}
    services = api.engine.tools.world.services
    assert isinstance(services, dict)

    monkeypatch.setitem(services, "cloud", Neutron("router", "qos"))
    refused = member.create("s", **body)
    assert refused.status_code == 400
    assert refused.json()["error"]["type"] == "ResourceTypeUnavailable"
    assert refused.json()["error"]["message"] == LACKS
    assert LACKS in member.ask("POST", "/validate", json=body).text
    assert member.ask("POST", "/validate?ignore_errors=99001", json=body).status_code == 200
    assert LACKS in member.ask("GET", "/resource_types/OS::Neutron::Trunk").text
    listed = set(member.ask("GET", "/resource_types").json()["resource_types"])
    assert {"OS::Neutron::Net", "OS::Neutron::Router"} <= listed
    assert not {"OS::Neutron::Trunk", "OS::Neutron::SecurityGroup"} & listed

    for cloud in (Neutron("trunk"), Neutron(is_away=True)):
        monkeypatch.setitem(services, "cloud", cloud)
        assert member.ask("GET", "/resource_types/OS::Neutron::Trunk").status_code == 200
        listed = set(member.ask("GET", "/resource_types").json()["resource_types"])
        assert "OS::Neutron::Trunk" in listed


def test_a_reader_sees_stars_where_a_member_sees_a_secret(people: dict[str, Person]) -> None:
    text = {
        **template(v={"type": "OS::Heat::Value", "properties": {"value": {"get_param": "p"}}}),
        "parameters": {"p": {"type": "string", "hidden": True}},
        "outputs": {
            "o": {
                "value": {"str_replace": {"template": "a-X", "params": {"X": {"get_param": "p"}}}}
            },
            "plain": {"value": "visible"},
        },
    }
    path = people["member"].made("s", template=text, parameters={"p": "hunter2hunter2"})
    pages = [
        *("", "/outputs/o", "/resources/v", "/resources?with_detail=true", "/environment"),
        *("/template", "/events", "/files", "/resources/v/metadata", "/requests", "/tree"),
    ]
    shown = {
        role: [people[role].ask("GET", f"{path}{page}").text for page in pages]
        for role in ("member", "reader")
    }
    assert "a-hunter2hunter2" in shown["member"][0]
    telling = [page for page, text in zip(pages, shown["reader"], strict=True) if "hunter2" in text]
    assert not telling
    assert "visible" in shown["reader"][0]
    outputs = json.loads(shown["reader"][1])["output"]
    assert outputs["output_value"] == "******"
