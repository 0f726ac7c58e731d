"""Software configs and deployments: what can be asked of them and done to them."""

from functools import partial

from sqlalchemy import Connection

from hotplate.engine.refusals import Entity, LimitReached, NotFound, StillUsed
from hotplate.engine.store import Store
from hotplate.engine.traversal import Tools
from hotplate.model import SoftwareConfig, SoftwareDeployment
from hotplate.software import Changes, ConfigDraft, DeploymentDraft, change
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
)


class Software:
    """Configs and deployments of projects; none ever sees those of another.

    Safe to call from any number of tasks. The limits are asked for before a row is inserted, so
    requests at the same moment may exceed them by a few.
    """

    def __init__(self, store: Store, tools: Tools) -> None:
        self._store = store
        self._world = tools.world

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
        """Remove a config; that it is gone already is no error."""
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
        """Apply changes to a deployment and return it. Raises NotFound, also for its config."""
        now = self._world.now()

        def accept(connection: Connection) -> SoftwareDeployment:
            # The config first, as everybody does who needs both: nobody waits in a circle.
            wanted = changes.config_id
            is_there = wanted is None or lock_config(connection, project, wanted)
            found = lock_deployment(connection, project, deployment_id)
            if found is None:
                raise NotFound(Entity.SOFTWARE_DEPLOYMENT, deployment_id)
            if wanted is not None and not is_there:
                raise NotFound(Entity.SOFTWARE_CONFIG, wanted)
            changed = change(found, changes, now)
            save_deployment(connection, changed)
            return changed

        return await self._store.transact(accept)

    async def delete_deployment(self, project: str, deployment_id: str) -> None:
        """Forget a deployment; its config stays. Raises NotFound."""
        removed = await self._store.transact(
            partial(remove_deployment, project=project, deployment_id=deployment_id)
        )
        if not removed:
            raise NotFound(Entity.SOFTWARE_DEPLOYMENT, deployment_id)


def _must_have(connection: Connection, project: str, config_id: str) -> None:
    if not lock_config(connection, project, config_id):
        raise NotFound(Entity.SOFTWARE_CONFIG, config_id)
