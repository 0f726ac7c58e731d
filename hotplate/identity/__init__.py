"""Who asks, and by what they can be represented while they are away. Pure facts."""

from hotplate.identity.authority import AuthorityLost, authority_id, authority_lost
from hotplate.identity.caller import Caller, Credentials

__all__ = ["AuthorityLost", "Caller", "Credentials", "authority_id", "authority_lost"]
