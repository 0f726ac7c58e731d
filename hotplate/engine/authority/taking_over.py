"""How a stack comes to the authority with which it is worked on."""

from sqlalchemy import Connection

from hotplate.identity import Credentials, authority_id
from hotplate.model import Authority, Stack
from hotplate.store.authorities import authorise, put_authority, read_authority


def take_over(
    connection: Connection,
    stack: Stack,
    credentials: Credentials,
    now: float,
    visits_only: bool = False,
) -> None:
    """Let a locked stack be worked on with the authority of whoever has just asked for that.

    With a root, all that is nested in it. It stays in its region unless the caller names another.
    ``visits_only``: for checks and the like, which need not be allowed to change anything.
    """
    region = credentials.region
    if not region and stack.authority_id is not None:
        present = read_authority(connection, stack.authority_id)
        region = "" if present is None else present.region
    given = put_authority(connection, authority_from(credentials, region), now)
    authorise(connection, stack, given.id, visits_only)


def authority_from(credentials: Credentials, region: str = "") -> Authority:
    """Return the authority that a token stands for."""
    return Authority(
        id=authority_id(credentials, region),
        user_id=credentials.user_id,
        user_name=credentials.user_name,
        user_domain=credentials.user_domain,
        project=credentials.project_id,
        project_name=credentials.project_name,
        roles=tuple(sorted(credentials.role_ids)),
        region=credentials.region or region,
        is_delegated=credentials.is_delegated,
        token=credentials.token,
        token_expires=credentials.expires,
        catalog=credentials.catalog,
    )
