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
  may have had its effect. Let one that is in doubt pass: the engine then searches for the object.
  Make a ResourceFailed of the others.
- Calls that had no effect, and GET and DELETE, are tried again for some 40 seconds. A POST or PUT
  that is harmless to repeat says ``repeatable=True``. `Unavailable` after that: return a Wait.
- Nova, Cinder and others are called with the newest microversion that they and we know
  (`services.KINDS`); ``microversion="2.91"`` chooses another for one call.
- Who waits for an object returns a Wait and polls later. All who wait for objects of one
  collection share its listings (`polling.Collection`, one constant per collection):

    seen = await cloud.poller.poll(SERVERS, server_id, began)    # None if there is none
    if seen["status"] == "BUILD":
        return Wait(cookie, cloud.poller.pause(SERVERS, "create", began))
    cloud.poller.ended(SERVERS, "create", began)

  ``began`` is when the change was asked for (`world.now()`); keep it in the cookie.
- Names are turned into ids once, whoever asks (`names.Named`; NETWORK, IMAGE, FLAVOR … are there):

    network_id = await cloud.names.id_of(NETWORK, name_or_id)    # NotFound, Ambiguous

  What is found is kept for half a minute. ``Names(cloud.service, cloud.clock)`` begins anew.

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
from hotplate.cloud.names import Ambiguous, Named, Names
from hotplate.cloud.polling import Collection, Poller
from hotplate.cloud.service import Reply, Service
from hotplate.cloud.settings import CloudSettings, load_settings

__all__ = [
    "SERVICE",
    "Ambiguous",
    "BadConfiguration",
    "BadRequest",
    "Cloud",
    "CloudError",
    "CloudSettings",
    "Collection",
    "Conflict",
    "Forbidden",
    "Named",
    "Names",
    "NoEndpoint",
    "NotFound",
    "OverQuota",
    "Poller",
    "Reply",
    "Service",
    "ServiceFailed",
    "Unauthenticated",
    "Unavailable",
    "Unsupported",
    "load_settings",
]
