"""Types that act when nobody asks."""

from hotplate.resources.resource_type import ResourceType


class ActsLater(ResourceType):
    """Calls a cloud long after the request that made it: on a signal, by an alarm, or at a time.

    On a server that uses Keystone its stack gets an authority that outlives the caller's token.
    """
