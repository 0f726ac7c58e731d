"""Who sent a request, by the token of Keystone in it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from starlette.requests import Request

from hotplate.api import Fault
from hotplate.cloud.identity import Identity
from hotplate.cloud.wire import HttpWire, Wire
from hotplate.identity import Caller, Credentials
from hotplate.server.access.identity import check_project
from hotplate.server.access.keystone.access_rules import allows
from hotplate.server.access.keystone.settings import KeystoneSettings
from hotplate.server.access.keystone.token import KnownToken
from hotplate.server.access.keystone.validation import KeystoneAway, Validator

_RETRY_AFTER: Final = "5"
_STACKS: Final = ("orchestration",)
_WORKFLOWS: Final = ("workflow", "workflowv2")


def _has_role(caller: Caller) -> bool:
    return "admin" in caller.roles and caller.is_admin_project


class Unauthenticated(Fault):
    """The request has no token that counts. Clients of OpenStack know this body."""

    def __init__(self, uri: str) -> None:
        super().__init__(
            401,
            "The request you have made requires authentication.",
            headers={"www-authenticate": f'Keystone uri="{uri}"'},
        )

    def document(self) -> dict[str, Any]:
        error = {"code": 401, "title": "Unauthorized", "message": self.message}
        return {"error": error}

    def mistral_document(self) -> dict[str, Any]:
        return self.document()


class KeystoneIdentity:
    """Lets those in whose token Keystone accepts, into the project of the token.

    Administrators are let into the project that the address names. What a request says of its
    sender in other headers (`X-Roles`, `X-Auth-User` …) is never read.
    """

    def __init__(
        self,
        settings: KeystoneSettings,
        wire: Wire | None = None,
        now: Callable[[], float] = time.time,
        is_admin: Callable[[Caller], bool] = _has_role,
    ) -> None:
        self._settings = settings
        self._wire = wire or HttpWire(settings.service_user)
        self.own = Identity(settings.service_user, self._wire, now)
        self._validator = Validator(settings, self.own, self._wire, now)
        self._is_admin = is_admin

    async def close(self) -> None:
        """End the connections to Keystone."""
        await self._wire.close()

    async def __call__(self, request: Request, project: str | None) -> Caller:
        """Return who asks; without a project in the address, in that of the token. Raises Fault."""
        headers = request.headers
        token = headers.get("x-auth-token", "").strip()
        token = token or headers.get("x-storage-token", "").strip()
        try:
            is_service = await self._is_of_service(headers)
            known = await self._validator.known(token, is_service) if token else None
        except KeystoneAway:
            raise Fault(
                503,
                "Keystone cannot be asked now who sent the request. Try again later.",
                headers={"retry-after": _RETRY_AFTER},
            ) from None
        if known is None:
            raise self._unauthenticated()
        if known.access_rules is not None and not is_service:
            services = _WORKFLOWS if project is None else _STACKS
            path = request.scope["path"]
            if not allows(known.access_rules, services, request.method, path):
                raise self._unauthenticated()
        return self._caller(known, token, project, headers.get("x-region-name", ""))

    async def _is_of_service(self, headers: Mapping[str, str]) -> bool:
        """Return whether a service sends it on for somebody. Raises Fault, KeystoneAway."""
        token = headers.get("x-service-token", "").strip()
        if not token:
            return False
        known = await self._validator.known(token)
        if known is None or not known.roles.intersection(self._settings.service_token_roles):
            raise self._unauthenticated()
        return True

    def _caller(self, known: KnownToken, token: str, project: str | None, region: str) -> Caller:
        if not known.project_id:
            raise _denied()
        credentials = Credentials(
            token,
            known.expires,
            known.user_id,
            known.user_name,
            known.user_domain,
            known.project_id,
            known.project_name,
            known.role_ids,
            known.is_delegated,
            known.catalog,
            region if region and region in known.regions() else "",
            known.delegation,
            known.is_federated,
        )
        own = Caller(
            known.user_name,
            known.project_id,
            False,
            known.roles,
            credentials,
            known.is_admin_project,
        )
        is_admin = self._is_admin(own)
        wanted = known.project_id if project is None else project
        if wanted != known.project_id and not (is_admin and wanted):
            raise _denied()
        check_project(wanted)
        return replace(own, project=wanted, is_admin=is_admin)

    def _unauthenticated(self) -> Unauthenticated:
        return Unauthenticated(self._settings.www_authenticate_uri)


def _denied() -> Fault:
    return Fault(403, "Access was denied to this resource.")
