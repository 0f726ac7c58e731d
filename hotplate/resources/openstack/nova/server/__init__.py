"""OS::Nova::Server: what it is made of, one noun per module.

`Server` is the type itself. Pure are networks, block_devices, user_data and the rules.
"""

from hotplate.resources.openstack.nova.server.server import Server

__all__ = ["Server"]
