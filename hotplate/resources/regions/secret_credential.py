"""A credential for another cloud, kept as a secret in Barbican.

Its text is ``{"auth_type": "v3applicationcredential", "auth": {...}}``. Nothing of it is ever part
of a message. Where it may be used is for the operator to say: else whoever writes a template could
make this server call any address.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from hotplate.cloud import Cloud, NotFound, Unsupported
from hotplate.cloud.services import versioned
from hotplate.cloud.settings import AUTH_OPTIONS
from hotplate.resources.resource_type import ResourceFailed

_BARBICAN: Final = "key-manager"
_AUTH_TYPE: Final = "v3applicationcredential"
_ID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_KINDS: Final = ("text/plain", "application/octet-stream")
_PORTS: Final = {"http": 80, "https": 443}
_ERROR: Final = "RemoteStackFailed"


@dataclass(frozen=True, slots=True)
class Credential:
    """With what one logs in elsewhere."""

    auth_type: str
    auth: Mapping[str, str] = field(repr=False)


async def read_credential(cloud: Cloud, secret: str, allowed: Iterable[str]) -> Credential:
    """Return the credential in a secret, which is named by its id or its reference.

    ``allowed`` are the addresses of Keystones for which it may be. Raises ResourceFailed,
    CloudError.
    """
    # A reference has an address in it; the secret is looked for where the own Barbican is.
    found = _ID.fullmatch(secret.rstrip("/").rpartition("/")[2])
    if found is None:
        raise ResourceFailed(
            f'context.credential_secret_id "{secret}" is no secret of Barbican; give its id', _ERROR
        )
    credential = _parse(await _payload(cloud, found[0]), secret)
    url = _plain(credential.auth.get("auth_url", ""))
    if not url or url not in {_plain(each) for each in allowed}:
        raise ResourceFailed(
            f"the secret {secret} is for a Keystone at which nobody may log in from here; use "
            "another one, or ask the operator to add its auth_url to remote_auth_urls in [regions]",
            _ERROR,
        )
    return credential


async def _payload(cloud: Cloud, secret_id: str) -> bytes:
    """Return what is in a secret. Barbican gives it as what it was stored, and as nothing else."""
    barbican, path = cloud.service(_BARBICAN), f"/secrets/{secret_id}/payload"
    for kind in _KINDS:
        try:
            reply = await barbican.call("GET", path, headers={"Accept": kind})
        except NotFound:
            raise ResourceFailed(
                f"there is no secret {secret_id}, or it has no payload", _ERROR
            ) from None
        except Unsupported:
            continue
        return reply.content
    raise ResourceFailed(f"the secret {secret_id} is no text; store the credential as JSON", _ERROR)


def _parse(payload: bytes, secret: str) -> Credential:
    try:
        document = json.loads(payload)
        kind, auth = document["auth_type"], document["auth"]
        texts = {str(name): str(value) for name, value in auth.items() if value is not None}
    except (ValueError, LookupError, TypeError, AttributeError):
        raise ResourceFailed(
            f'the secret {secret} is no credential; it must be JSON such as {{"auth_type": '
            f'"{_AUTH_TYPE}", "auth": {{"auth_url": …}}}}, with both keys',
            _ERROR,
        ) from None
    if kind != _AUTH_TYPE:
        raise ResourceFailed(
            f"the secret {secret} has another auth_type than {_AUTH_TYPE}, the only one that is "
            "taken; make an application credential",
            _ERROR,
        )
    return Credential(kind, {name: text for name, text in texts.items() if name in AUTH_OPTIONS})


def _plain(url: str) -> str:
    """Return an address in the one way in which it is compared; empty if it is none."""
    try:
        parts = urlsplit(versioned(url, "v3"))
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        return ""
    if not parts.hostname or parts.username is not None or parts.query or parts.fragment:
        return ""
    return f"{parts.scheme}://{parts.hostname}:{port}{parts.path}"
