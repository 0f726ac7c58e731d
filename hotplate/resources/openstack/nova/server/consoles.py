"""Consoles of a server: each is made when somebody asks for it."""

import asyncio
from typing import Final

from hotplate.cloud import CloudError
from hotplate.resources.openstack.cloud_resource import CloudResource

_PROTOCOLS: Final = {
    "novnc": "vnc",
    "xvpvnc": "vnc",
    "spice-html5": "spice",
    "rdp-html5": "rdp",
    "serial": "serial",
    "webmks": "mks",
}


async def console_urls(it: CloudResource) -> dict[str, str]:
    """Return where the consoles are, by their kind; what Nova says where there is none."""
    urls = await asyncio.gather(*(_url(it, kind) for kind in _PROTOCOLS))
    return dict(zip(_PROTOCOLS, urls, strict=True))


async def _url(it: CloudResource, kind: str) -> str:
    body = {"remote_console": {"type": kind, "protocol": _PROTOCOLS[kind]}}
    try:
        answer = await it.service.post(f"/servers/{it.quoted_id}/remote-consoles", body)
    except CloudError as error:
        return error.words
    return str(answer["remote_console"]["url"])
