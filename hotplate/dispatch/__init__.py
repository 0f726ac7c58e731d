"""Who runs which node: in the process, or over a broker.

`dispatch.amqp` is not named here: only those who have a broker load it.
"""

from hotplate.dispatch.dispatcher import Claimed, Dispatcher, Handler
from hotplate.dispatch.local import LocalDispatcher

__all__ = ["Claimed", "Dispatcher", "Handler", "LocalDispatcher"]
