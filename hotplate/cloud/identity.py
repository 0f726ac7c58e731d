"""Tokens: got from Keystone once for all calls, and anew before they expire."""

import asyncio
import contextvars
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Final, Protocol

from hotplate.cloud.catalogue import Catalogue
from hotplate.cloud.errors import (
    BadConfiguration,
    CloudError,
    ServiceFailed,
    Unauthenticated,
    Unavailable,
    refusal,
    request_id,
)
from hotplate.cloud.services import versioned
from hotplate.cloud.settings import CloudSettings
from hotplate.cloud.wire import Answer, NoAnswer, NotSent, Wire

_SERVICE: Final = "identity"
_SECONDS: Final = 20.0
_TRIES: Final = 3
_PAUSE: Final = 0.5
_EARLY: Final = 120.0
"""Seconds before its end at which a token is renewed: a call with it may still be on its way."""

_WITHOUT_KEYSTONE: Final = ("none", "noauth", "admin_token", "token_endpoint")


@dataclass(frozen=True, slots=True)
class Token:
    """Who we are to the services, until when, and where these are."""

    value: str = field(repr=False)
    expires: float
    """Seconds since 1970."""

    catalogue: Catalogue = field(repr=False)
    project_id: str = ""
    user_id: str = ""
    issued: float = 0
    service_token: str = field(default="", repr=False)
    """A second token, of ourselves: with it services accept one that has expired lately."""

    region: str = ""
    """The region in which services are called, if that is not for the settings to say."""

    def is_fresh(self, now: float) -> bool:
        """Return whether calls may still begin with it."""
        early = min(_EARLY, (self.expires - self.issued) / 5) if self.issued else _EARLY
        return now < self.expires - early


class Tokens(Protocol):
    """Has the token with which services are called. For any number of calls at the same time."""

    chances: ClassVar[int]
    """How many times a call is worth another token after a service has refused one."""

    async def token(self, service: str = "") -> Token:
        """Return a token with which a call to a service may begin. Raises CloudError."""
        ...

    def refused(self, token: Token) -> None:
        """Note that a service does not accept a token; the next one who asks gets another."""
        ...

    def accepted(self, token: Token) -> None:
        """Note that a service has accepted a token."""
        ...


class Identity:
    """Has the token of one user and project. All calls share it, and the asking for it."""

    chances: ClassVar[int] = 1

    def __init__(
        self,
        settings: CloudSettings,
        wire: Wire,
        now: Callable[[], float],
        sleep: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        self._settings = settings
        self._wire = wire
        self._now = now
        self._sleep = sleep
        self._token: Token | None = None
        self._asking: asyncio.Task[Token] | None = None

    async def token(self, service: str = "") -> Token:
        """Return a token with which a call may begin. Raises CloudError."""
        if self._token is not None and self._token.is_fresh(self._now()):
            return self._token
        if self._asking is None:
            # Nobody's claim is concerned, and whoever asked first may be cancelled: the others
            # still want it.
            task = asyncio.create_task(self._ask(), context=contextvars.Context())
            task.add_done_callback(self._answered)
            self._asking = task
        return await asyncio.shield(self._asking)

    def refused(self, token: Token) -> None:
        """Note that a service does not accept a token; the next one who asks gets another."""
        if self._token is token:
            self._token = None

    def accepted(self, token: Token) -> None:
        """Nothing is to be noted: there is one way only to get a token."""

    def _answered(self, task: asyncio.Task[Token]) -> None:
        self._asking = None
        if not task.cancelled() and task.exception() is None:
            self._token = task.result()

    async def _ask(self) -> Token:
        kind = self._settings.auth_type
        if kind in _WITHOUT_KEYSTONE:
            return self._without_keystone()
        body = _body(self._settings)
        if body is None:
            return await asyncio.to_thread(_by_plug_in, self._settings)
        answer = await self._post(json.dumps(body).encode())
        if answer.status not in (200, 201):
            raise self._refusal(answer)
        return self._parse(answer)

    async def _post(self, body: bytes) -> Answer:
        """Ask Keystone; a token more or less does no harm, so it is asked again."""
        url = _auth_url(self._settings) + "/auth/tokens"
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        for number in range(1, _TRIES + 1):
            is_last = number == _TRIES
            try:
                answer = await self._wire.send("POST", url, headers, body, _SECONDS)
            except (NotSent, NoAnswer) as error:
                if is_last:
                    words = f"Keystone at {url} does not answer: {error}"
                    raise Unavailable(words, _SERVICE) from None
            else:
                if is_last or answer.status not in (429, 502, 503, 504):
                    return answer
            await self._sleep(_PAUSE * 2**number)
        raise AssertionError("unreachable")

    def _refusal(self, answer: Answer) -> CloudError:
        found = refusal(_SERVICE, answer.status, answer.headers, answer.body)
        if answer.status in (400, 401, 403, 404):
            name = self._settings.name
            words = f'the credentials of the cloud "{name}" are not accepted: {found.words}'
            return Unauthenticated(words, _SERVICE, found.status, found.request_id)
        return found

    def _parse(self, answer: Answer) -> Token:
        try:
            document = json.loads(answer.body)["token"]
            return Token(
                answer.headers["x-subject-token"],
                _time(document["expires_at"]),
                Catalogue.parse(document.get("catalog") or ()),
                str((document.get("project") or {}).get("id") or ""),
                str((document.get("user") or {}).get("id") or ""),
                _time(document.get("issued_at")),
            )
        except (ValueError, LookupError, TypeError, AttributeError):
            raise ServiceFailed(
                "what answers at the auth_url is no Keystone v3",
                _SERVICE,
                answer.status,
                request_id(answer.headers),
            ) from None

    def _without_keystone(self) -> Token:
        auth = self._settings.auth
        project = auth.get("project_id", "")
        return Token(auth.get("token", ""), float("inf"), Catalogue(), project)


def _auth_url(settings: CloudSettings) -> str:
    url = settings.auth.get("auth_url", "")
    if not url:
        raise BadConfiguration(f'the cloud "{settings.name}" has no auth_url')
    return versioned(url, "v3")


def _body(settings: CloudSettings) -> dict[str, Any] | None:
    """Return what Keystone is asked; None for ways to identify that are not ours.

    Raises BadConfiguration.
    """
    auth = settings.auth
    match settings.auth_type:
        case "password" | "v3password":
            user = {**_user(settings), "password": _needed(settings, "password")}
            identity = {"methods": ["password"], "password": {"user": user}}
        case "token" | "v3token":
            token = {"id": _needed(settings, "token")}
            identity = {"methods": ["token"], "token": token}
        case "v3applicationcredential":
            secret = _needed(settings, "application_credential_secret")
            credential: dict[str, Any] = {"secret": secret}
            if "application_credential_id" in auth:
                credential["id"] = auth["application_credential_id"]
            else:
                credential["name"] = _needed(settings, "application_credential_name")
                credential["user"] = _user(settings)
            method = "application_credential"
            # Its project is part of it: no scope may be given.
            return {"auth": {"identity": {"methods": [method], method: credential}}}
        case _:
            return None
    scope = _scope(auth)
    return {"auth": {"identity": identity, "scope": scope} if scope else {"identity": identity}}


def _user(settings: CloudSettings) -> dict[str, Any]:
    auth = settings.auth
    if "user_id" in auth:
        return {"id": auth["user_id"]}
    return {"name": _needed(settings, "username"), "domain": _domain(auth, "user")}


def _scope(auth: Mapping[str, str]) -> dict[str, Any]:
    if "trust_id" in auth:
        return {"OS-TRUST:trust": {"id": auth["trust_id"]}}
    if "project_id" in auth:
        return {"project": {"id": auth["project_id"]}}
    if "project_name" in auth:
        project = {"name": auth["project_name"], "domain": _domain(auth, "project")}
        return {"project": project}
    if "domain_id" in auth:
        return {"domain": {"id": auth["domain_id"]}}
    if "domain_name" in auth:
        return {"domain": {"name": auth["domain_name"]}}
    if auth.get("system_scope"):
        return {"system": {auth["system_scope"]: True}}
    return {}


def _domain(auth: Mapping[str, str], of: str) -> dict[str, str]:
    for name in (f"{of}_domain", "default_domain"):
        for kind in ("id", "name"):
            if found := auth.get(f"{name}_{kind}"):
                return {kind: found}
    return {"id": auth.get("default_domain") or "default"}


def _needed(settings: CloudSettings, name: str) -> str:
    found = settings.auth.get(name, "")
    if not found:
        raise BadConfiguration(
            f'the cloud "{settings.name}" has no {name}, which the auth type '
            f"{settings.auth_type} needs"
        )
    return found


def _by_plug_in(settings: CloudSettings) -> Token:
    """Let keystoneauth ask, in one of the many ways it knows. Blocks. Raises CloudError."""
    kind = settings.auth_type
    try:
        from keystoneauth1 import exceptions, loading, session  # noqa: PLC0415 (slow, seldom used)
    except ModuleNotFoundError:
        raise BadConfiguration(
            f'the auth type {kind} of the cloud "{settings.name}" needs hotplate[openstack]'
        ) from None
    verify: Any = settings.ca_file or settings.verify if settings.verify else False
    try:
        plug_in: Any = loading.get_plugin_loader(kind).load_from_options(**settings.auth)
        access = plug_in.get_access(session.Session(verify=verify, timeout=_SECONDS))
    except exceptions.ClientException as error:
        words = f'the credentials of the cloud "{settings.name}" are not accepted: {error}'
        raise Unauthenticated(words, _SERVICE) from None
    except Exception as error:  # plug-ins are anybody's
        words = f'the auth type {kind} of the cloud "{settings.name}" failed: {error}'
        raise BadConfiguration(words, _SERVICE) from None
    return Token(
        access.auth_token,
        access.expires.timestamp(),
        Catalogue.parse(access.service_catalog.catalog),
        access.project_id or "",
        access.user_id or "",
        access.issued.timestamp() if access.issued else 0,
    )


def _time(text: str | None) -> float:
    return datetime.fromisoformat(text).timestamp() if text else 0
