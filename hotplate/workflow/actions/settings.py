"""What an operator can set of actions."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ActionSettings:
    """What actions may reach and take. The defaults are safe on a server."""

    may_reach: tuple[str, ...] = ()
    """Networks that requests may reach though they are not public, such as 10.1.0.0/16."""

    may_email: bool = False
    may_ssh: bool = False

    seconds: float = 60.0
    """How long a request may take from the first byte to the last, unless a task says less."""

    longest_seconds: float = 600.0
    """How long a task may say that a request takes."""

    largest_response: int = 5 * 1024 * 1024
    """Bytes of an answer."""

    most_redirects: int = 10
    largest_test_map: int = 10_000
    """Keys that std.test_dict makes."""
