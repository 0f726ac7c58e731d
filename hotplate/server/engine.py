"""The engine of a configuration, with the errors of its start explained in plain words."""

import logging
import os
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from hotplate.server.broker import dispatching_over
from hotplate.server.configuration import Configuration
from hotplate.server.refusal import CannotStart, nonsense
from hotplate.store.database import is_transient
from hotplate.store.sealing import KeyRefused
from hotplate.store.upgrade import SchemaRefused

if TYPE_CHECKING:
    from hotplate.bounded import Evaluator
    from hotplate.engine.context import Tools
    from hotplate.engine.embedded import Embedded, Extend
    from hotplate.evaluation import Zygote

_log = logging.getLogger("hotplate.server")

_BACKENDS = ("sqlite", "postgresql", "postgres", "mysql", "mariadb")


class WorkerDied(Exception):
    """The engine cannot go on; the text says why."""


@asynccontextmanager
async def running_engine(
    configuration: Configuration,
    services: dict[str, Any],
    extend: "Extend | None" = None,
    zygote: "Zygote | None" = None,
    switched_off: tuple[str, ...] = (),
    is_working: bool = True,
) -> AsyncIterator["Embedded"]:
    """Run a worker on the database for the length of a block. Raises CannotStart or WorkerDied.

    ``services`` are what types of the caller's process need; the directory, the regions and what
    ``extend`` makes of the engine are added to them. With a ``zygote`` what
    people wrote is evaluated in processes that are forked from it and can be ended. No new resource
    has a type that is ``switched_off``. Unless it ``is_working`` the nodes are left to others.
    """
    from hotplate.engine.embedded import (  # noqa: PLC0415 (only those who work need it)
        Bounds,
        Role,
        embedded,
        sealed,
    )

    limits = configuration.limits
    services = {**services, **services_of(configuration)}
    stack = AsyncExitStack()

    def pool(tools: "Tools") -> "Evaluator":
        from hotplate.evaluation import PoolSettings, ProcessPool  # noqa: PLC0415 (the same)

        settings = PoolSettings(
            configuration.database,
            configuration.key_file,
            tuple(services),
            limits.allow_unverified_external,
            limits.most_resources,
            limits.deepest_nesting,
            switched_off,
            limits.evaluation_processes,
            limits.evaluation_seconds,
            memory=limits.evaluation_memory,
        )
        made = ProcessPool(settings, tools, zygote)
        stack.push_async_callback(made.close)
        return made

    stack.push_async_callback(_close, services)
    role = Role(pool if zygote is not None else None, is_working=is_working)
    if configuration.broker:
        role = replace(role, dispatching=dispatching_over(configuration.broker))
    with explained_errors(configuration):
        opening = embedded(
            configuration.database,
            services,
            open_database=sealed(configuration.key_file),
            extend=extend,
            bounds=Bounds(
                limits.most_resources,
                limits.deepest_nesting,
                limits.allow_unverified_external,
                switched_off,
            ),
            role=role,
        )
        engine = await stack.enter_async_context(opening)
    if configuration.keystone is not None:
        from hotplate.authority import sweeping  # noqa: PLC0415 (few use Keystone)

        await stack.enter_async_context(sweeping(services["cloud"]))
    is_over = False
    try:
        async with stack:
            yield engine
            is_over = True
    except ExceptionGroup as group:
        cause: BaseException = group
        while isinstance(cause, BaseExceptionGroup):
            cause = cause.exceptions[0]
        _log.critical("the worker died", exc_info=group)
        text = " ".join(f"{type(cause).__name__}: {cause}".split())
        raise WorkerDied(text) from None
    except DBAPIError as error:
        if not is_over or not is_transient(error):
            raise
        _log.warning("the database was away at the end: other workers take over the claimed nodes")


@contextmanager
def explained_errors(configuration: Configuration) -> Iterator[None]:
    """Say why a database cannot be used. Raises CannotStart."""
    url = shown_url(configuration.database)
    try:
        yield
    except (SchemaRefused, KeyRefused) as error:
        raise CannotStart(str(error)) from None
    except ModuleNotFoundError as error:
        raise CannotStart(
            f"the driver {error.name} for {url} is not installed; install hotplate[postgresql] "
            "or hotplate[mysql]"
        ) from None
    except (DBAPIError, OSError) as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()
        raise CannotStart(
            f"the database {url} cannot be used: {reason[0] if reason else type(error).__name__}; "
            "see to it, or name another with --database"
        ) from None


def services_of(configuration: Configuration, read_only: bool = False) -> dict[str, Any]:
    """Return what types find in this configuration: the directory, the regions and the cloud.

    ``read_only``: nothing is made, not even the directory. Raises CannotStart.
    """
    return {
        **_directory(configuration, read_only),
        **_regions(configuration),
        **_cloud(configuration),
    }


def _cloud(configuration: Configuration) -> dict[str, Any]:
    """Return the cloud, if there is one: nothing of it is loaded before a type asks for it.

    It is another one for each user or project where these are told apart.
    """
    if configuration.keystone is not None:
        from hotplate.server.clouds import clouds_of_users  # noqa: PLC0415 (few use Keystone)

        return {"cloud": clouds_of_users(configuration.keystone, configuration.authority)}
    if configuration.clouds and configuration.auth == "token-file":
        from hotplate.server.clouds import clouds_of_projects  # noqa: PLC0415 (few have several)

        return {"cloud": clouds_of_projects(configuration.clouds)}
    name = configuration.os_cloud
    if name is None:
        return {}

    from hotplate.engine.world import Later  # noqa: PLC0415

    def load() -> Any:
        from hotplate.cloud import Cloud  # noqa: PLC0415 (only those who use a cloud need it)

        return Cloud.load(os.environ, name)

    return {"cloud": Later(load)}


async def _close(services: Mapping[str, Any]) -> None:
    """End the connections to clouds, if any was made."""
    from hotplate.engine.world import PerActor  # noqa: PLC0415
    from hotplate.resources.regions import SERVICE  # noqa: PLC0415

    await services[SERVICE].close()
    cloud = services.get("cloud")
    if isinstance(cloud, PerActor):
        await cloud.close()
    elif cloud is not None and cloud.is_made:
        await cloud.made.close()


def _regions(configuration: Configuration) -> dict[str, Any]:
    from hotplate.resources.regions import SERVICE, Regions  # noqa: PLC0415

    return {SERVICE: Regions(configuration.regions, remote=configuration.remote_clouds)}


def _directory(configuration: Configuration, read_only: bool) -> dict[str, Any]:
    """Return the directory provider if it is wanted. Raises CannotStart."""
    if configuration.objects is None:
        return {}
    if configuration.is_open_to_others:
        _log.warning(
            "the directory provider is off, because other machines are let in without a token"
        )
        return {}
    from hotplate.resources.directory import Directory  # noqa: PLC0415

    try:
        has_projects = configuration.auth != "none"
        return {"directory": Directory(configuration.objects, not read_only, has_projects)}
    except OSError as error:
        raise CannotStart(
            f"the directory {configuration.objects} cannot be used: {error.strerror}; "
            "name another with --objects"
        ) from None


def shown_url(url: str) -> str:
    """Return a database's URL without its password. Raises CannotStart."""
    try:
        parsed = make_url(url)
        parsed.get_dialect()
    except ModuleNotFoundError:
        pass
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise nonsense(
            "--database is not the URL of a database that hotplate knows; write "
            "sqlite:////path/to/file, postgresql://user:password@host/name or "
            "mariadb://user:password@host/name"
        ) from None
    if parsed.get_backend_name() not in _BACKENDS:
        raise nonsense(
            f"{parsed.get_backend_name()} is not a database that hotplate knows; it knows "
            "sqlite, postgresql and mariadb"
        )
    return parsed.render_as_string(hide_password=True)
