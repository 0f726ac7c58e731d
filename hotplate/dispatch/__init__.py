"""Who runs which node: in the process, or later over a broker."""

from hotplate.dispatch.dispatcher import Dispatcher, Handler
from hotplate.dispatch.local import LocalDispatcher

__all__ = ["Dispatcher", "Handler", "LocalDispatcher"]
