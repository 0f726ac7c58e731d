"""Removing what nobody needs any more: expired tokens, unused authorities, and their trusts."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

from sqlalchemy.exc import DBAPIError

from hotplate.authority.clouds import AuthorityClouds
from hotplate.authority.trusts import GivenToken
from hotplate.cloud import CloudError, NotFound, Unauthenticated
from hotplate.cloud.catalogue import Catalogue
from hotplate.cloud.identity import Token
from hotplate.model import Authority
from hotplate.store.authorities import (
    end_unused,
    forget_tokens,
    note_ending,
    remove_authority,
)

_log = logging.getLogger("hotplate.authority")


@asynccontextmanager
async def sweeping(clouds: AuthorityClouds) -> AsyncIterator[None]:
    """Sweep again and again for the length of a block."""
    task = asyncio.create_task(_repeat(clouds))
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def _repeat(clouds: AuthorityClouds) -> None:
    while True:
        await asyncio.sleep(clouds.settings.sweep_seconds)
        try:
            await sweep(clouds, clouds.settings.sweep_seconds)
        except (CloudError, DBAPIError) as error:
            _log.warning("authorities could not be swept: %s", error)


async def sweep(clouds: AuthorityClouds, grace: float = 0.0) -> int:
    """Remove authorities that no stack uses; return how many. Expired tokens are removed, too.

    An authority that was put within the ``grace`` may be that of a request under way, and stays.

    What Keystone does not let go stays, and is tried again by the next sweep. Any number of
    processes may do this at the same time. Raises DBAPIError.
    """
    now = clouds.now()
    await clouds.store.transact(partial(forget_tokens, now=now))
    removed = 0
    for each in await clouds.store.transact(partial(end_unused, now=now, grace=grace)):
        if fault := await _end_trust(clouds, each):
            await clouds.store.transact(partial(note_ending, authority_id=each.id, reason=fault))
            continue
        removed += await clouds.store.transact(partial(remove_authority, authority_id=each.id))
    return removed


async def _end_trust(clouds: AuthorityClouds, authority: Authority) -> str:
    """Delete the trust of an authority; return why that is not possible now."""
    if not authority.trust:
        return ""
    if authority.token and clouds.now() < authority.token_expires:
        token = Token(authority.token, authority.token_expires, Catalogue(), authority.project)
        with suppress(CloudError):
            await clouds.trusts.delete(authority.trust, GivenToken(token))
            return ""
    try:
        await clouds.trusts.delete(authority.trust, clouds.login_by_trust(authority.trust))
    except NotFound:
        return ""
    except Unauthenticated as error:
        # Keystone answers so to a trust that is gone, and to one whose user is disabled.
        return "" if error.status == 404 else f"the trust cannot be deleted: {error}"
    except CloudError as error:
        return f"the trust cannot be deleted: {error}"
    return ""
