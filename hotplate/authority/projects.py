"""A cloud for each project, on a server that knows its users from a file."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from hotplate.engine.world import Actor, Later, PerActor, ServiceMissing


class ProjectClouds(PerActor):
    """Clouds of clouds.yaml by project; each is loaded when the first asks for it."""

    def __init__(self, names: Mapping[str, str], load: Callable[[str], Any]) -> None:
        self._names = dict(names)
        self._clouds = {name: Later(partial(load, name)) for name in names.values()}

    def of(self, actor: Actor | None) -> Any:
        """Return the cloud of the actor's project. Raises ServiceMissing, BadConfiguration."""
        project = "" if actor is None else actor.project
        name = self._names.get(project)
        if name is None:
            raise ServiceMissing(
                f"no cloud is configured for the project {project}; the operator names it in the "
                "section [clouds]"
            )
        return self._clouds[name].made

    async def close(self) -> None:
        """End the connections to those that were used."""
        for each in self._clouds.values():
            if each.is_made:
                await each.made.close()
