"""With whose authority stacks are worked on: who gives it, and what uses it."""

from hotplate.engine.authority.acting import (
    ActingForUsers,
    actor_of,
    caller_of,
    services_for_users,
)
from hotplate.engine.authority.taking_over import authority_from, take_over

__all__ = [
    "ActingForUsers",
    "actor_of",
    "authority_from",
    "caller_of",
    "services_for_users",
    "take_over",
]
