"""What authority a token stands for, and what it means to lose one."""

import hashlib
import json

from hotplate.identity.caller import Credentials


class AuthorityLost(Exception):
    """Nothing by which somebody is represented is accepted at present. What needs it waits.

    Not a fault of what is being done: types let it pass, and the engine tries again at ``due``, or
    when somebody's request brings another authority. The text says who can repair it, and how.
    """

    def __init__(self, reason: str, due: float) -> None:
        super().__init__(reason)
        self.reason = reason
        self.due = due
        """Seconds since 1970; before that it is not worth trying, unless something has changed."""


def authority_id(credentials: Credentials, region: str = "") -> str:
    """Return the id of the authority that a token stands for.

    Tokens of one user for one project with the same roles stand for the same. What was delegated
    may be narrower than its roles say, so it stands for itself. ``region`` is used if the caller
    asked for none.
    """
    facts = (
        credentials.user_id,
        credentials.project_id,
        sorted(credentials.role_ids),
        credentials.is_delegated,
        credentials.delegation,
        credentials.region or region,
    )
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()


def authority_lost(error: BaseException | None) -> AuthorityLost | None:
    """Return the loss from which an error was made, whoever made it; None if there was none."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, AuthorityLost):
            return error
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return None
