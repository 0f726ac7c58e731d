"""The broker that the configuration names, if it names one."""

from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from hotplate.server.refusal import CannotStart, nonsense

if TYPE_CHECKING:
    from hotplate.engine.embedded import Dispatching

_SCHEMES = ("amqp", "amqps")


def checked_broker(text: str) -> str:
    """Return the URL of a broker, or nothing if there is none. Raises CannotStart."""
    try:
        parts = urlsplit(text)
        fits = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        fits = False
    if text and not fits:
        # What was written may hold a password, so it is not shown.
        raise nonsense(
            "the setting broker is not the URL of a RabbitMQ; write it like "
            "amqp://user:password@host:5672/"
        )
    return text


def shown_broker(url: str) -> str:
    """Return where a broker is, without user and password."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{host}{port}{parts.path}"


def loaded(url: str) -> ModuleType:
    """Return the part that talks to brokers. Raises CannotStart if its library is missing."""
    try:
        from hotplate.dispatch import amqp  # noqa: PLC0415 (only for those who have a broker)
    except ModuleNotFoundError as error:
        raise CannotStart(
            f"{error.name}, which talks to the broker {shown_broker(url)}, is not installed; "
            "install hotplate[amqp]"
        ) from None
    return amqp


def dispatching_over(url: str) -> "Dispatching":
    """Return what dispatches over a broker. Raises CannotStart if its library is missing."""
    amqp = loaded(url)
    from hotplate.engine.worker.presence import name_of_this_process  # noqa: PLC0415 (the same)

    return lambda: amqp.dispatching(url, name_of_this_process())
