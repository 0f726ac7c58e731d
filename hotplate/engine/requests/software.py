"""Software configs and deployments: what can be asked of them and done to them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from sqlalchemy import Connection

from hotplate.dispatch import Dispatcher
from hotplate.engine.context import Tools
from hotplate.engine.refusals import Entity, LimitReached, NotFound, StillUsed
from hotplate.engine.store import Store
from hotplate.model import SoftwareConfig, SoftwareDeployment
from hotplate.software import (
    IN_PROGRESS,
    Changes,
    ConfigDraft,
    DeploymentDraft,
    Run,
    change,
    outcome,
    reported,
)
from hotplate.store.nodes import wake_version
from hotplate.store.signals import insert_signal
from hotplate.store.software import (
    ListedConfig,
    Page,
    configs_on_server,
    count_configs,
    count_deployments,
    count_deployments_of_config,
    insert_config,
    insert_deployment,
    list_configs,
    list_deployments,
    lock_config,
    lock_deployment,
    read_config,
    read_deployment,
    remove_config,
    remove_deployment,
    save_deployment,
    versions_of_deployment,
)
from hotplate.store.stacks import lock_stack


class Software:
    """Configs and deployments of projects; none ever sees those of another.

    Safe to call from any number of tasks. The limits are asked for before a row is inserted, so
    requests at the same moment may exceed them by a few.
    """

    def __init__(self, store: Store, tools: Tools, dispatcher: Dispatcher) -> None:
        self._store = store
        self._world = tools.world
        self._dispatcher = dispatcher

    async def create_config(self, project: str, draft: ConfigDraft, most: int) -> SoftwareConfig:
        """Make a config. Raises LimitReached if the project has ``most`` of them."""
        config = self._made(project, self._world.uuid(), draft)

        def accept(connection: Connection) -> None:
            if count_configs(connection, project) >= most:
                raise LimitReached("software configs", most)
            insert_config(connection, config)

        await self._store.transact(accept)
        return config

    async def keep_config(self, project: str, config_id: str, draft: ConfigDraft) -> None:
        """Keep a config under an id of the caller's; one that is there already stays."""
        config = self._made(project, config_id, draft)

        def accept(connection: Connection) -> None:
            if read_config(connection, project, config_id) is None:
                insert_config(connection, config)

        await self._store.transact(accept)

    async def forget_config(self, project: str, config_id: str) -> None:
        """Remove a config; that it does not exist is no error."""
        try:
            await self.delete_config(project, config_id)
        except NotFound:
            return

    def _made(self, project: str, config_id: str, draft: ConfigDraft) -> SoftwareConfig:
        return SoftwareConfig(
            id=config_id,
            project=project,
            name=draft.name,
            group=draft.group,
            config=draft.config,
            inputs=draft.inputs,
            outputs=draft.outputs,
            options=draft.options,
            created_at=self._world.now(),
        )

    async def find_config(self, project: str, config_id: str) -> SoftwareConfig | None:
        """Return a config, None if there is none."""
        return await self._store.read(partial(read_config, project=project, config_id=config_id))

    async def config(self, project: str, config_id: str) -> SoftwareConfig:
        """Return a config. Raises NotFound."""
        found = await self._store.transact(
            partial(read_config, project=project, config_id=config_id)
        )
        if found is None:
            raise NotFound(Entity.SOFTWARE_CONFIG, config_id)
        return found

    async def configs(self, project: str | None, page: Page) -> list[ListedConfig]:
        """Return a part of the configs of a project, or of all for None; newest first."""
        return await self._store.transact(partial(list_configs, project=project, page=page))

    async def delete_config(self, project: str, config_id: str) -> None:
        """Delete a config. Raises NotFound, or StillUsed while deployments refer to it."""

        def accept(connection: Connection) -> None:
            _must_have(connection, project, config_id)
            deployments = count_deployments_of_config(connection, config_id)
            if deployments:
                raise StillUsed(config_id, deployments)
            remove_config(connection, config_id)

        await self._store.transact(accept)

    async def create_deployment(
        self, project: str, draft: DeploymentDraft, most: int
    ) -> SoftwareDeployment:
        """Make a deployment. Raises NotFound for its config, or LimitReached."""
        deployment = SoftwareDeployment(
            id=self._world.uuid(),
            project=project,
            config_id=draft.config_id,
            server_id=draft.server_id,
            input_values=draft.input_values,
            output_values=None,
            action=draft.action,
            status=draft.status,
            reason=draft.reason,
            stack_user_project_id=draft.stack_user_project_id,
            created_at=self._world.now(),
            updated_at=None,
        )

        def accept(connection: Connection) -> None:
            _must_have(connection, project, draft.config_id)
            if count_deployments(connection, project) >= most:
                raise LimitReached("software deployments", most)
            insert_deployment(connection, deployment)

        await self._store.transact(accept)
        return deployment

    async def deployment(self, project: str, deployment_id: str) -> SoftwareDeployment:
        """Return a deployment. Raises NotFound."""
        found = await self._store.transact(
            partial(read_deployment, project=project, deployment_id=deployment_id)
        )
        if found is None:
            raise NotFound(Entity.SOFTWARE_DEPLOYMENT, deployment_id)
        return found

    async def deployments(
        self, project: str, server_id: str | None, page: Page
    ) -> list[SoftwareDeployment]:
        """Return a part of the deployments of a project or of one server; oldest first."""
        return await self._store.transact(
            partial(list_deployments, project=project, server_id=server_id, page=page)
        )

    async def on_server(self, project: str, server_id: str) -> list[SoftwareConfig]:
        """Return the configs that a server is to apply, in the order of their names."""
        found = await self._store.transact(
            partial(configs_on_server, project=project, server_id=server_id)
        )
        return sorted(found, key=lambda config: config.name or "")

    async def change_deployment(
        self, project: str, deployment_id: str, changes: Changes
    ) -> SoftwareDeployment:
        """Apply changes to a deployment and return it. Raises NotFound, also for its config.

        A resource that waits for the report of its server goes on if this is one.
        """
        now = self._world.now()
        woken: list[int] = []

        def accept(connection: Connection) -> SoftwareDeployment:
            woken.clear()
            stack_id = _lock_owner(connection, project, deployment_id)
            # The config first, as wherever both are locked: no deadlock.
            wanted = changes.config_id
            is_there = wanted is None or lock_config(connection, project, wanted)
            found = lock_deployment(connection, project, deployment_id)
            if found is None:
                raise NotFound(Entity.SOFTWARE_DEPLOYMENT, deployment_id)
            if wanted is not None and not is_there:
                raise NotFound(Entity.SOFTWARE_CONFIG, wanted)
            changed = change(found, changes, now)
            save_deployment(connection, changed)
            if found.status == IN_PROGRESS and changed.status != IN_PROGRESS:
                woken.extend(_wake_owner(connection, project, stack_id, deployment_id, now))
            return changed

        changed = await self._store.transact(accept)
        self._dispatcher.publish(woken)
        return changed

    async def delete_deployment(self, project: str, deployment_id: str) -> None:
        """Forget a deployment; its config stays. Raises NotFound.

        A resource that waits for the report of its server goes on, and does not find it any more.
        """
        now = self._world.now()

        def accept(connection: Connection) -> list[int]:
            stack_id = _lock_owner(connection, project, deployment_id)
            if not remove_deployment(connection, project, deployment_id):
                raise NotFound(Entity.SOFTWARE_DEPLOYMENT, deployment_id)
            return _wake_owner(connection, project, stack_id, deployment_id, now)

        self._dispatcher.publish(await self._store.transact(accept))

    async def find_deployment(self, project: str, deployment_id: str) -> SoftwareDeployment | None:
        """Return a deployment, None if there is none."""
        return await self._store.read(
            partial(read_deployment, project=project, deployment_id=deployment_id)
        )

    async def deploy(self, project: str, run: Run) -> None:
        """Let a server see what it is to do. Doing it again for the same run changes nothing."""
        config = self._made(project, run.config_id, run.draft)

        def accept(connection: Connection) -> None:
            if read_config(connection, project, run.config_id) is not None:
                return
            insert_config(connection, config)
            _put(connection, project, run, config.created_at)
            for config_id in run.previous:
                _forget_unused(connection, project, config_id)

        await self._store.transact(accept)

    async def undeploy(self, project: str, deployment_id: str, configs: Iterable[str]) -> None:
        """Remove a deployment, and those of its configs that nothing else refers to."""

        def accept(connection: Connection) -> None:
            remove_deployment(connection, project, deployment_id)
            for config_id in configs:
                _forget_unused(connection, project, config_id)

        await self._store.transact(accept)


def report(
    connection: Connection,
    project: str,
    deployment_id: str,
    details: Mapping[str, Any],
    now: float,
) -> str:
    """Apply what a server reports of a deployment; return what it means for the reader of events.

    That is empty if no report is awaited.
    """
    found = lock_deployment(connection, project, deployment_id)
    if found is None:
        return ""
    config = read_config(connection, project, found.config_id)
    outputs = config.outputs if config is not None else ()
    changes = reported(found, outputs, details)
    if changes is None:
        return ""
    save_deployment(connection, change(found, changes, now))
    return outcome(deployment_id, outputs, details)


def _put(connection: Connection, project: str, run: Run, now: float) -> None:
    """Insert the deployment of a run, or bring the one that is there to it."""
    found = lock_deployment(connection, project, run.deployment_id)
    fresh = SoftwareDeployment(
        id=run.deployment_id,
        project=project,
        config_id=run.config_id,
        server_id=run.server_id,
        input_values=run.input_values,
        output_values=None,
        action=run.action,
        status=run.status,
        reason=run.reason,
        stack_user_project_id=None,
        created_at=now,
        updated_at=None,
        stack_id=run.stack_id,
    )
    if found is None:
        insert_deployment(connection, fresh)
    else:
        kept = replace(fresh, output_values=found.output_values, updated_at=now)
        save_deployment(connection, kept)


def _lock_owner(connection: Connection, project: str, deployment_id: str) -> str | None:
    """Lock the stack whose resource a deployment is, before anything of the deployment itself."""
    found = read_deployment(connection, project, deployment_id)
    if found is None or found.stack_id is None:
        return None
    lock_stack(connection, found.stack_id)
    return found.stack_id


def _wake_owner(
    connection: Connection, project: str, stack_id: str | None, deployment_id: str, now: float
) -> list[int]:
    """Wake the resource that a deployment is, also if it is only just laying itself to rest."""
    woken: list[int] = []
    if stack_id is not None:
        for version_id in versions_of_deployment(connection, stack_id, deployment_id):
            insert_signal(connection, project, version_id, stack_id, now, {})
            woken.extend(wake_version(connection, version_id))
    return woken


def _forget_unused(connection: Connection, project: str, config_id: str) -> None:
    is_there = lock_config(connection, project, config_id)
    if is_there and not count_deployments_of_config(connection, config_id):
        remove_config(connection, config_id)


def _must_have(connection: Connection, project: str, config_id: str) -> None:
    if not lock_config(connection, project, config_id):
        raise NotFound(Entity.SOFTWARE_CONFIG, config_id)
