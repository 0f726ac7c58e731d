"""What Keystone says of a token, read and kept for use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

_DELEGATED_BY: Final = ("application_credential", "OS-TRUST:trust", "OS-OAUTH1")
_DELEGATING_METHODS: Final = frozenset(("application_credential", "ec2credential", "oauth1"))

Catalog = tuple[Mapping[str, Any], ...]


class UnreadableToken(Exception):
    """The answer is not what Keystone answers."""


@dataclass(frozen=True, slots=True)
class AccessRule:
    """A request that an application credential is good for."""

    service: str
    method: str
    path: str


@dataclass(frozen=True, slots=True)
class KnownToken:
    """A token that Keystone has accepted, without the token itself."""

    expires: float
    """Seconds since 1970."""

    user_id: str
    user_name: str
    user_domain: str
    project_id: str = ""
    """Empty for a token that is not for a project."""

    project_name: str = ""
    project_domain: str = ""
    roles: frozenset[str] = frozenset()
    """Names, in lower case."""

    role_ids: tuple[str, ...] = ()
    is_admin_project: bool = True
    """Keystone says nothing of it unless one project is chosen to be that of administrators."""

    is_delegated: bool = False
    delegation: str = ""
    """The id of what it was made from, if it is delegated and has one."""

    is_federated: bool = False
    """An identity provider knows the user, and may say which roles they have."""

    access_rules: tuple[AccessRule, ...] | None = None
    """None: the token is good for every request."""

    catalog: Catalog = field(default=(), repr=False)

    def regions(self) -> frozenset[str]:
        """Return the regions that the catalog has."""
        return frozenset(
            str(endpoint.get("region_id") or endpoint.get("region") or "")
            for service in self.catalog
            for endpoint in service.get("endpoints") or ()
        )


def read_token(document: Any) -> KnownToken:
    """Read the body of `GET /v3/auth/tokens`. Raises UnreadableToken."""
    try:
        return _read(document["token"])
    except (LookupError, TypeError, ValueError, AttributeError):
        raise UnreadableToken from None


def _read(token: Mapping[str, Any]) -> KnownToken:
    user, project = token["user"], token.get("project") or {}
    roles: Sequence[Mapping[str, Any]] = token.get("roles") or ()
    return KnownToken(
        expires=datetime.fromisoformat(token["expires_at"]).timestamp(),
        user_id=str(user["id"]),
        user_name=str(user.get("name") or user["id"]),
        user_domain=_domain(user),
        project_id=str(project.get("id") or ""),
        project_name=str(project.get("name") or ""),
        project_domain=_domain(project),
        roles=frozenset(str(role["name"]).lower() for role in roles),
        role_ids=tuple(sorted(str(role["id"]) for role in roles)),
        is_admin_project=token.get("is_admin_project", True) is not False,
        is_delegated=_is_delegated(token),
        delegation=_delegation(token),
        is_federated="OS-FEDERATION" in user,
        access_rules=_access_rules(token.get("application_credential")),
        catalog=tuple(token.get("catalog") or ()),
    )


def _domain(owner: Mapping[str, Any]) -> str:
    return str((owner.get("domain") or {}).get("id") or "")


def _is_delegated(token: Mapping[str, Any]) -> bool:
    methods = token.get("methods") or ()
    return any(token.get(name) for name in _DELEGATED_BY) or bool(
        _DELEGATING_METHODS.intersection(methods)
    )


def _delegation(token: Mapping[str, Any]) -> str:
    found: Mapping[str, Any] = next((token[name] for name in _DELEGATED_BY if token.get(name)), {})
    return str(found.get("id") or "")


def _access_rules(credential: Any) -> tuple[AccessRule, ...] | None:
    if not credential or credential.get("access_rules") is None:
        return None
    return tuple(
        AccessRule(str(rule["service"]), str(rule["method"]).upper(), str(rule["path"]))
        for rule in credential["access_rules"]
    )
