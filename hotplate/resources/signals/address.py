"""Signed addresses in the form of AWS: its owner may signal one resource, and nothing else.

The key is drawn for each resource and goes with it, so no identity service is needed, a leaked
address is worth little, and every process on the same database can check it.
"""

import hmac
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urlencode

from hotplate.resources.resource_type import Resource

SERVICE = "addresses"
_DEFAULT = "http://127.0.0.1:8004/v1"
_FIXED = {"SignatureMethod": "HmacSHA256", "SignatureVersion": "2"}


def resource_arn(project: str, stack_name: str, stack_id: str, name: str) -> str:
    """Return the name under which a resource is known all over the world."""
    return f"arn:openstack:heat::{project}:stacks/{stack_name}/{stack_id}/resources/{name}"


@dataclass(frozen=True, slots=True)
class Addresses:
    """Makes addresses of this server; ``base`` ends in the version."""

    base: str = _DEFAULT

    def plain(self, resource: Resource) -> str:
        """Return where a resource is signalled with a token."""
        parts = (resource.project, "stacks", resource.stack_name, resource.stack_id)
        path = "/".join(quote(part, safe="~") for part in parts)
        return f"{self.base}/{path}/resources/{quote(resource.name, safe='~')}/signal"

    def signed(self, resource: Resource, key: str, purpose: str, timestamp: str) -> str:
        """Return where a resource is signalled without one.

        ``purpose`` is signal or waitcondition.
        """
        arn = resource_arn(resource.project, resource.stack_name, resource.stack_id, resource.name)
        query = {"AWSAccessKeyId": resource.creation_token, "Timestamp": timestamp, **_FIXED}
        query["Signature"] = signature(key, purpose, arn, query)
        return f"{self.base}/{purpose}/{quote(arn, safe='')}?{urlencode(query)}"


def addresses_of(resource: Resource) -> Addresses:
    """Return what makes addresses of the server that a resource's engine runs in."""
    try:
        found: Addresses = resource.world.service(SERVICE)
    except LookupError:
        return Addresses()
    return found


def signature(key: str, purpose: str, arn: str, query: Mapping[str, str]) -> str:
    """Return the signature of an address, over everything in it but the host."""
    signed = sorted((name, value) for name, value in query.items() if name != "Signature")
    text = "\n".join([purpose, arn, urlencode(signed)])
    return b64encode(hmac.new(key.encode(), text.encode(), sha256).digest()).decode()


def is_signed(key: str, purpose: str, arn: str, query: Mapping[str, Any]) -> bool:
    """Tell whether an address was signed with the key."""
    given = str(query.get("Signature", ""))
    return bool(key) and hmac.compare_digest(
        given.encode(), signature(key, purpose, arn, query).encode()
    )
