"""Projects, users and what they log in with, made in a real Keystone and removed in the end."""

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.cloud.box.places import KEYSTONE, PASSWORD

DOMAIN = {"id": "default"}


@dataclass(frozen=True, slots=True)
class Project:
    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Person:
    """A user who has some roles in one project."""

    id: str
    name: str
    project: Project
    password: str = PASSWORD

    def variables(self, auth_url: str, region: str) -> dict[str, str]:
        """Return the OS_* variables with which they use clients."""
        return {
            "OS_AUTH_URL": auth_url,
            "OS_IDENTITY_API_VERSION": "3",
            "OS_USERNAME": self.name,
            "OS_PASSWORD": self.password,
            "OS_PROJECT_NAME": self.project.name,
            "OS_USER_DOMAIN_NAME": "Default",
            "OS_PROJECT_DOMAIN_NAME": "Default",
            "OS_REGION_NAME": region,
        }


@dataclass(slots=True)
class Keystone:
    """Keystone's API, with the rights of its administrator."""

    http: httpx.Client
    mark: str = field(default_factory=lambda: uuid.uuid4().hex[:8])
    made: list[str] = field(default_factory=list)
    """What is to be removed, the last first."""

    def create(self, collection: str, **values: Any) -> dict[str, Any]:
        """Make an object; it is removed in the end."""
        kind = collection.rpartition("/")[2].removesuffix("s")
        found = self.ask("POST", f"/{collection}", {kind: values})[kind]
        self.made.append(f"/{collection}/{found['id']}")
        return dict(found)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Return the body of an answer that must be a success."""
        named = {name.replace("_", "-"): text for name, text in headers.items()}
        answer = self.http.request(method, f"{KEYSTONE}{path}", json=body, headers=named)
        assert answer.is_success, f"{method} {path}: {answer.status_code} {answer.text}"
        return answer.json() if answer.content else None

    def role(self, name: str) -> str:
        return str(self.ask("GET", f"/roles?name={name}")["roles"][0]["id"])

    def project(self, name: str) -> Project:
        found = self.create("projects", name=f"{name}-{self.mark}", domain_id="default")
        return Project(found["id"], found["name"])

    def person(self, name: str, project: Project, *roles: str) -> Person:
        user = f"{name}-{self.mark}"
        found = self.create("users", name=user, domain_id="default", password=PASSWORD)
        for role in roles:
            self.grant(found["id"], project, role)
        return Person(found["id"], user, project)

    def grant(self, user: str, project: Project, role: str) -> None:
        self.ask("PUT", f"/projects/{project.id}/users/{user}/roles/{self.role(role)}")

    def token(self, person: Person, scope: Any = None, **more: Any) -> str:
        """Return a token of a person, in their project unless another scope is asked for."""
        user = {"id": person.id, "password": person.password}
        identity = {"methods": ["password"], "password": {"user": user}}
        wanted = {"project": {"id": person.project.id}} if scope is None else scope
        return self.login({"identity": identity, "scope": wanted, **more})

    def login(self, auth: Mapping[str, Any]) -> str:
        answer = httpx.post(f"{KEYSTONE}/auth/tokens", json={"auth": auth}, trust_env=False)
        assert answer.status_code == 201, answer.text
        return str(answer.headers["x-subject-token"])

    def application_credential(self, person: Person, **values: Any) -> dict[str, Any]:
        """Make an application credential of a person; it goes with the user."""
        headers = {"x-auth-token": self.token(person)}
        body = {"application_credential": {"name": uuid.uuid4().hex, **values}}
        address = f"{KEYSTONE}/users/{person.id}/application_credentials"
        answer = self.http.post(address, json=body, headers=headers)
        for _ in range(4):
            # Keystone at times takes the roles of a request that came at the same moment.
            if "Could not find role assignment" in answer.text:
                answer = self.http.post(address, json=body, headers=headers)
        assert answer.status_code == 201, answer.text
        return dict(answer.json()["application_credential"])

    def token_of_credential(self, credential: Mapping[str, Any]) -> str:
        given = {"id": credential["id"], "secret": credential["secret"]}
        methods = {"methods": ["application_credential"], "application_credential": given}
        return self.login({"identity": methods})

    @contextmanager
    def provider(self, group: str) -> Iterator[str]:
        """Have an identity provider for the length of a block; return its id.

        It believes a header: whom that names is in the group.
        """
        idp, mapping = f"idp-{self.mark}", f"mapping-{self.mark}"
        local = [{"user": {"name": "{0}"}}, {"group": {"id": group}}]
        rules = [{"local": local, "remote": [{"type": "HTTP_X_TEST_USER"}]}]
        at = f"/OS-FEDERATION/identity_providers/{idp}"
        made = {
            f"/OS-FEDERATION/mappings/{mapping}": {"mapping": {"rules": rules}},
            at: {"identity_provider": {"enabled": True, "domain_id": "default"}},
            f"{at}/protocols/mapped": {"protocol": {"mapping_id": mapping}},
        }
        try:
            for path, body in made.items():
                self.ask("PUT", path, body)
            yield idp
        finally:
            for path in reversed(made):
                self.http.delete(f"{KEYSTONE}{path}")

    def federated_token(self, idp: str, name: str, project: Project) -> str:
        """Return a token of whom an identity provider knows by a name."""
        at = f"{KEYSTONE}/OS-FEDERATION/identity_providers/{idp}/protocols/mapped/auth"
        answer = httpx.get(at, headers={"x-test-user": name}, trust_env=False, timeout=60)
        assert answer.status_code == 201, answer.text
        unscoped = {"id": answer.headers["x-subject-token"]}
        identity = {"methods": ["token"], "token": unscoped}
        return self.login({"identity": identity, "scope": {"project": {"id": project.id}}})

    def revoke(self, token: str) -> None:
        self.ask("DELETE", "/auth/tokens", X_Subject_Token=token)

    def remove(self) -> None:
        for path in reversed(self.made):
            self.http.delete(f"{KEYSTONE}{path}")


@contextmanager
def keystone() -> Iterator[Keystone]:
    """Be Keystone's administrator for the length of a block."""
    user = {"name": "admin", "domain": DOMAIN, "password": PASSWORD}
    identity = {"methods": ["password"], "password": {"user": user}}
    scope = {"project": {"name": "admin", "domain": DOMAIN}}
    with httpx.Client(timeout=60, trust_env=False) as http:
        found = Keystone(http)
        token = found.login({"identity": identity, "scope": scope})
        http.headers["x-auth-token"] = token
        try:
            yield found
        finally:
            found.remove()
