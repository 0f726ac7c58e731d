"""Asks the policy about callers."""

from collections.abc import Mapping
from typing import Any

from hotplate.identity import Caller
from hotplate.policy import Policy
from hotplate.server.access.watched import Watched


class PolicyAuthorization:
    """Says who may do what, as the policy files have it now."""

    def __init__(self, watched: Watched[Policy]) -> None:
        self._watched = watched

    def allows(self, rule: str, caller: Caller) -> bool:
        """Return whether the policy allows something to a caller, in the project they ask in."""
        return self._policy.allows(rule, caller_facts(caller), target_facts(caller))

    def allows_type(self, resource_type: str, caller: Caller) -> bool:
        """Return whether a caller may use a resource type."""
        rule = self._policy.rule_of_type(resource_type)
        return rule is None or self.allows(rule, caller)

    def missing_service(self, resource_type: str, caller: Caller) -> str:
        """Return the service that a type needs and that is not in the caller's catalogue."""
        known = caller.credentials
        if known is None:
            return ""
        from hotplate.server.access.type_services import (  # noqa: PLC0415 (only with Keystone)
            missing_service,
        )

        return missing_service(resource_type, known.catalog, known.region)

    def needed_extension(self, resource_type: str, caller: Caller) -> tuple[str, str, str] | None:
        """Return the client, the service and the extension that a type needs, if it needs one."""
        if caller.credentials is None:
            return None
        from hotplate.server.access.type_services import (  # noqa: PLC0415 (only with Keystone)
            needed_extension,
        )

        return needed_extension(resource_type)

    def is_admin(self, caller: Caller) -> bool:
        """Return whether a caller may enter all projects."""
        return self.allows("context_is_admin", caller)

    @property
    def _policy(self) -> Policy:
        return self._watched.current


def caller_facts(caller: Caller) -> Mapping[str, Any]:
    """Return what rules may look at, under the names that oslo.policy has for it.

    The project is the one that is asked in: an administrator is let into those of others.
    """
    known = caller.credentials
    return {
        "user": caller.user,
        "username": caller.user,
        "user_id": known.user_id if known else caller.user,
        "user_domain_id": known.user_domain if known else "",
        "project_id": caller.project,
        "tenant": caller.project,
        "tenant_id": caller.project,
        "roles": caller.roles,
        "is_admin": caller.is_admin,
        "is_admin_project": caller.is_admin_project,
    }


def target_facts(caller: Caller) -> Mapping[str, Any]:
    """Return what rules may look at of what a request is about."""
    known = caller.credentials
    return {
        "project_id": caller.project,
        "tenant": caller.project,
        "tenant_id": caller.project,
        "user_id": known.user_id if known else caller.user,
    }
