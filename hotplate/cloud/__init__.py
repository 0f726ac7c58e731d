"""One way to call a cloud: credentials, token, endpoint, call.

For the authors of types:

    cloud: Cloud = resource.world.service(SERVICE)
    network = cloud.service("network")          # compute, block-storage, image, identity …
    made = await network.post("/networks", {"network": {"name": "n"}})
    found = await network.get(f"/networks/{made['network']['id']}")
    ports = await network.list_all("/ports", "ports", {"network_id": network_id})
    was_there = await network.delete(f"/networks/{network_id}")

- Bodies are JSON: maps and lists, nothing is renamed. Paths come after the version and the project
  of the endpoint: "/servers", "/volumes", "/images".
- A query is a map or a list of pairs; a list gives a name several times, None leaves it out.
- A call is made under the lease of the caller's claim from its beginning to its end. LeaseLost is
  not for types to handle.
- Errors are a `CloudError`: NotFound, Conflict, OverQuota, Forbidden, BadRequest, Unauthenticated,
  NoEndpoint, Unsupported, ServiceFailed, Unavailable, BadConfiguration. Each has ``words`` (the
  service's own), ``service``, ``status``, ``fault``, ``request_id`` and ``in_doubt``: the request
  may have had its effect. Let one that is in doubt pass: the engine then looks for the object.
  Make a ResourceFailed of the others.
- Calls that had no effect, and GET and DELETE, are tried again for some 40 seconds. A POST or PUT
  that is harmless to repeat says ``repeatable=True``. `Unavailable` after that: return a Wait.
- Nova, Cinder and others are called with the newest microversion that they and we know
  (`services.KINDS`); ``microversion="2.91"`` chooses another for one call.
- `Poller` (polling.py) lets all who wait for objects of one collection share its listings;
  `Names` (names.py) turns names into ids, once per operation.

Nothing of this is imported unless a cloud is used.
"""

from hotplate.cloud.cloud import SERVICE, Cloud
from hotplate.cloud.errors import (
    BadConfiguration,
    BadRequest,
    CloudError,
    Conflict,
    Forbidden,
    NoEndpoint,
    NotFound,
    OverQuota,
    ServiceFailed,
    Unauthenticated,
    Unavailable,
    Unsupported,
)
from hotplate.cloud.service import Reply, Service
from hotplate.cloud.settings import CloudSettings, load_settings

__all__ = [
    "SERVICE",
    "BadConfiguration",
    "BadRequest",
    "Cloud",
    "CloudError",
    "CloudSettings",
    "Conflict",
    "Forbidden",
    "NoEndpoint",
    "NotFound",
    "OverQuota",
    "Reply",
    "Service",
    "ServiceFailed",
    "Unauthenticated",
    "Unavailable",
    "Unsupported",
    "load_settings",
]
