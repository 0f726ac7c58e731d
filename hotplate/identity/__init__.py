"""Who asks, and by what they can be represented while they are away. Pure facts."""

from hotplate.identity.caller import Caller, Credentials

__all__ = ["Caller", "Credentials"]
