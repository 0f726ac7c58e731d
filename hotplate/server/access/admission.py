"""Who is let in, and what they may do: made from the configuration, kept up to date."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hotplate.api import Authorization, Identify
from hotplate.page import SignIn
from hotplate.server.access.identity import anybody
from hotplate.server.configuration import Configuration
from hotplate.server.refusal import nonsense

if TYPE_CHECKING:
    from hotplate.server.access.authorization import PolicyAuthorization
    from hotplate.server.access.watched import Watched


@dataclass(frozen=True, slots=True)
class Admission:
    """What tells who asks, and what says what they may do; without the latter everything."""

    identify: Identify = anybody
    authorization: Authorization | None = None
    sign_in: SignIn = field(default_factory=SignIn)
    """How people do so on the page."""


@contextlib.asynccontextmanager
async def admission(configuration: Configuration) -> AsyncIterator[Admission]:
    """Let people in for the length of a block. Raises CannotStart."""
    if configuration.clouds and configuration.auth != "token-file":
        raise nonsense("[clouds] names the clouds of projects for --auth token-file only")
    if configuration.auth == "none":
        yield Admission()
        return
    async with contextlib.AsyncExitStack() as stack:
        authorization = await _authorization(configuration, stack)
        identify = await _identify(configuration, authorization, stack)
        yield Admission(identify, authorization, await _sign_in(configuration, stack))


async def _authorization(
    configuration: Configuration, stack: contextlib.AsyncExitStack
) -> "PolicyAuthorization":
    from hotplate.server.access.authorization import PolicyAuthorization  # noqa: PLC0415
    from hotplate.server.access.policy_files import PolicyFiles  # noqa: PLC0415
    from hotplate.server.access.watched import Watched  # noqa: PLC0415

    files = PolicyFiles(configuration.policy_file, _known_types)
    watched = await asyncio.to_thread(Watched, files.files, files.load)
    await _keep_checking(watched, stack)
    return PolicyAuthorization(watched)


async def _identify(
    configuration: Configuration,
    authorization: "PolicyAuthorization",
    stack: contextlib.AsyncExitStack,
) -> Identify:
    if configuration.keystone is not None:
        from hotplate.server.access.keystone.identify import KeystoneIdentity  # noqa: PLC0415

        keystone = KeystoneIdentity(configuration.keystone, is_admin=authorization.is_admin)
        stack.push_async_callback(keystone.close)
        return keystone
    from hotplate.server.access.token_file import TokenFile, watched_tokens  # noqa: PLC0415

    if configuration.auth_tokens is None:
        raise nonsense("--auth token-file needs the file; name it with --auth-tokens FILE")
    has_one = configuration.os_cloud is not None and not configuration.clouds
    watched = await asyncio.to_thread(watched_tokens, configuration.auth_tokens, has_one)
    await _keep_checking(watched, stack)
    return TokenFile(watched, authorization.is_admin)


async def _sign_in(configuration: Configuration, stack: contextlib.AsyncExitStack) -> SignIn:
    if configuration.keystone is None:
        return SignIn("token")
    from hotplate.server.access.keystone.sign_in import KeystoneSignIn  # noqa: PLC0415

    exchange = KeystoneSignIn(configuration.keystone)
    stack.push_async_callback(exchange.close)
    return SignIn("keystone", exchange=exchange)


async def _keep_checking(watched: "Watched[Any]", stack: contextlib.AsyncExitStack) -> None:
    task = asyncio.create_task(watched.keep_checking())

    async def end() -> None:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    stack.push_async_callback(end)


def _known_types() -> frozenset[str]:
    from hotplate.resources.catalogue import installed  # noqa: PLC0415 (seldom needed)

    return frozenset(installed())
