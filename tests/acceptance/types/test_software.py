"""Types of software configs and deployments on the real engine."""

import asyncio
import email
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.recipes import Recipe
from hotplate.engine.requests.software import Software
from hotplate.model import Action, SoftwareConfig, SoftwareDeployment, Stack, Status, Version
from hotplate.software import Changes
from hotplate.store.software import Page

PROJECT = "project"
PATIENCE = 60
CONFIG: dict[str, Any] = {
    "type": "OS::Heat::SoftwareConfig",
    "properties": {
        "group": "script",
        "config": "#!/bin/sh",
        "inputs": [{"name": "who", "default": "world"}],
        "outputs": [{"name": "greeting"}, {"name": "broken", "error_output": True}],
    },
}


def recipe(resources: dict[str, Any], **outputs: Any) -> Recipe:
    template = {
        "heat_template_version": "wallaby",
        "resources": resources,
        "outputs": {name: {"value": value} for name, value in outputs.items()},
    }
    return Recipe(json.dumps(template))


def deployment(kind: str = "SoftwareDeployment", **given: Any) -> dict[str, Any]:
    properties = {"config": {"get_resource": "config"}, "server": "server", **given}
    return {"type": f"OS::Heat::{kind}", "properties": properties}


def group(servers: dict[str, str], **given: Any) -> dict[str, Any]:
    return {
        "type": "OS::Heat::SoftwareDeploymentGroup",
        "properties": {"config": {"get_resource": "config"}, "servers": servers, **given},
    }


class Site:
    """An engine, and what an agent on a server does."""

    def __init__(self, engine: Embedded) -> None:
        self.engine = engine
        self.operations = engine.operations
        self.software = engine.operations.software

    async def create(self, wanted: Recipe) -> str:
        return await self.operations.create(PROJECT, "s", wanted)

    async def until(self, look: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
        async with asyncio.timeout(PATIENCE):
            while True:
                found = await look()
                if found:
                    return found
                await asyncio.sleep(0.005)

    async def ended(self, stack_id: str) -> Stack:
        async def look() -> Stack | None:
            stack = await self.operations.stack(stack_id)
            return None if stack.status is Status.IN_PROGRESS else stack

        found: Stack = await self.until(look)
        return found

    async def complete(self, stack_id: str) -> dict[str, Any]:
        stack = await self.ended(stack_id)
        assert stack.status is Status.COMPLETE, stack.reason
        return await self.operations.outputs(stack_id)

    async def shown(self, server: str = "server", action: str = "CREATE") -> SoftwareConfig:
        """Return the config that a server is to apply for an action, once it is waited for."""

        async def look() -> SoftwareConfig | None:
            for found in await self.software.deployments(PROJECT, server, Page()):
                if found.status == "IN_PROGRESS" and found.action == action:
                    return await self.software.config(PROJECT, found.config_id)
            return None

        found: SoftwareConfig = await self.until(look)
        return found

    async def report(
        self,
        server: str = "server",
        status: str = "COMPLETE",
        action: str = "CREATE",
        **values: Any,
    ) -> None:
        await self.shown(server, action)
        for found in await self.software.deployments(PROJECT, server, Page()):
            if found.status == "IN_PROGRESS":
                changes = Changes(output_values=values, status=status, reason="told")
                await self.software.change_deployment(PROJECT, found.id, changes)

    async def versions(self, stack_id: str) -> dict[str, Version]:
        return await self.operations.resources(stack_id)

    async def nothing_is_left(self) -> bool:
        configs = await self.software.configs(PROJECT, Page())
        return not configs and not await self.software.deployments(PROJECT, None, Page())


@asynccontextmanager
async def site(folder: Path) -> AsyncIterator[Site]:
    async with embedded(folder / "hotplate.db") as engine:
        yield Site(engine)


def run(folder: Path, story: Callable[[Site], Coroutine[Any, Any, None]]) -> None:
    async def tell() -> None:
        async with site(folder) as it:
            await story(it)

    asyncio.run(tell())


def test_a_deployment_that_waits_holds_nothing_and_outlives_its_engine(tmp_path: Path) -> None:
    wanted = recipe(
        {"config": CONFIG, "it": deployment()}, greeting={"get_attr": ["it", "greeting"]}
    )

    async def tell() -> None:
        async with site(tmp_path) as it:
            stack_id = await it.create(wanted)
            before = await it.shown()

            async def is_asleep() -> bool:
                cookie = (await it.versions(stack_id))["it"].cookie
                return cookie is not None and not cookie["is_new"]

            await it.until(is_asleep)
            assert it.engine.worker.in_hand == 0
        async with site(tmp_path) as it:
            assert (await it.shown()).id == before.id
            assert (await it.operations.stack(stack_id)).status is Status.IN_PROGRESS
            await it.report(greeting="hello")
            assert await it.complete(stack_id) == {"greeting": "hello"}

    asyncio.run(tell())


def test_a_report_that_comes_while_the_resource_lays_itself_to_rest_is_not_missed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = Software.find_deployment

    async def late(self: Software, project: str, deployment_id: str) -> SoftwareDeployment | None:
        """Look, and then the server reports before anything is made of what was seen."""
        seen = await look(self, project, deployment_id)
        if seen is not None and seen.status == "IN_PROGRESS":
            await self.change_deployment(project, deployment_id, Changes(status="COMPLETE"))
        return seen

    monkeypatch.setattr(Software, "find_deployment", late)

    async def story(it: Site) -> None:
        await it.complete(await it.create(recipe({"config": CONFIG, "it": deployment()})))

    run(tmp_path, story)


def test_a_structured_deployment_fills_in_its_inputs(tmp_path: Path) -> None:
    config = {
        "type": "OS::Heat::StructuredConfig",
        "properties": {
            "config": {"a": {"get_input": "who"}, "b": [{"get_input": "deploy_server_id"}]},
            "inputs": [{"name": "who", "default": "world"}],
        },
    }
    given = {"signal_transport": "NO_SIGNAL", "input_values_validate": "STRICT"}

    def wanted(**more: Any) -> Recipe:
        it = deployment("StructuredDeployment", **given, **more)
        return recipe({"config": config, "it": it})

    async def story(it: Site) -> None:
        stack_id = await it.create(wanted())
        await it.complete(stack_id)
        (found,) = await it.software.on_server(PROJECT, "server")
        assert found.config == {"a": "world", "b": ["server"]}
        await it.operations.update(stack_id, wanted(input_key="other"))
        await it.complete(stack_id)
        (found,) = await it.software.on_server(PROJECT, "server")
        assert found.config["a"] == {"get_input": "who"}
        await it.operations.delete(stack_id)
        await it.ended(stack_id)
        assert await it.nothing_is_left()

    run(tmp_path, story)


@pytest.mark.parametrize(
    ("change", "replaces"),
    [
        ({"input_values": {"who": "bob"}}, False),
        ({"name": "other"}, False),
        ({"actions": ["UPDATE"]}, False),
        ({"config": None}, False),
        ({"server": "another"}, True),
        ({"signal_transport": "HEAT_SIGNAL"}, True),
    ],
)
def test_what_a_change_of_each_property_does(
    tmp_path: Path, change: dict[str, Any], replaces: bool
) -> None:
    async def story(it: Site) -> None:
        resources = {"config": CONFIG, "it": deployment()}
        stack_id = await it.create(recipe(resources))
        await it.report()
        await it.complete(stack_id)
        first = (await it.versions(stack_id))["it"].physical_id
        changed = deployment(**change)
        await it.operations.update(stack_id, recipe({**resources, "it": changed}))
        action = "CREATE" if replaces else "UPDATE"
        await it.report(change.get("server", "server"), action=action)
        await it.complete(stack_id)
        now = (await it.versions(stack_id))["it"].physical_id
        assert (now != first) is replaces
        assert len(await it.software.deployments(PROJECT, None, Page())) == 1
        assert len(await it.software.configs(PROJECT, Page())) == 2

    run(tmp_path, story)


def test_a_new_config_is_deployed_before_the_old_one_goes(tmp_path: Path) -> None:
    async def story(it: Site) -> None:
        stack_id = await it.create(recipe({"config": CONFIG, "it": deployment()}))
        await it.report()
        await it.complete(stack_id)
        new = {**CONFIG, "properties": {**CONFIG["properties"], "config": "new"}}
        await it.operations.update(stack_id, recipe({"config": new, "it": deployment()}))
        assert (await it.shown(action="UPDATE")).config == "new"
        await it.report(action="UPDATE")
        await it.complete(stack_id)
        assert len(await it.software.configs(PROJECT, Page())) == 2

    run(tmp_path, story)


def test_a_failed_update_rolls_back_with_a_new_deployment(tmp_path: Path) -> None:
    async def story(it: Site) -> None:
        stack_id = await it.create(recipe({"config": CONFIG, "it": deployment()}))
        await it.report()
        await it.complete(stack_id)
        changed = deployment(input_values={"who": "bob"})
        await it.operations.update(stack_id, recipe({"config": CONFIG, "it": changed}))
        await it.report(action="UPDATE", status="FAILED")
        stack = await it.ended(stack_id)
        assert stack.status is Status.FAILED
        assert stack.reason.endswith("resources.it: Deployment to server failed: told")
        await it.operations.roll_back(stack_id)
        config = await it.shown()
        assert {each.name: each.value for each in config.inputs}["who"] == "world"
        await it.report()
        await it.complete(stack_id)
        assert len(await it.software.deployments(PROJECT, None, Page())) == 1

    run(tmp_path, story)


def test_a_group_deploys_to_each_of_its_servers(tmp_path: Path) -> None:
    outputs = {
        "codes": {"get_attr": ["it", "deploy_status_codes"]},
        "greetings": {"get_attr": ["it", "greeting"]},
        "first": {"get_attr": ["it", "greeting", "one"]},
    }

    async def story(it: Site) -> None:
        servers = {"one": "s1", "two": "s2"}
        resources = {"config": CONFIG, "it": group(servers)}
        stack_id = await it.create(recipe(resources, **outputs))
        for server in servers.values():
            await it.report(server, deploy_status_code=0, greeting=f"hi {server}")
        assert await it.complete(stack_id) == {
            "codes": {"one": 0, "two": 0},
            "greetings": {"one": "hi s1", "two": "hi s2"},
            "first": "hi s1",
        }
        resources["it"] = group({"one": "s1", "three": "s3"})
        await it.operations.update(stack_id, recipe(resources, **outputs))
        await it.report("s3", greeting="hi s3")
        found = await it.complete(stack_id)
        assert found["greetings"] == {"one": "hi s1", "three": "hi s3"}
        assert await it.software.on_server(PROJECT, "s2") == []
        await it.operations.visit(stack_id, Action.CHECK)
        await it.complete(stack_id)
        await it.operations.delete(stack_id)
        await it.ended(stack_id)
        assert await it.nothing_is_left()

    run(tmp_path, story)


def test_a_failing_member_fails_the_group_with_its_path(tmp_path: Path) -> None:
    async def story(it: Site) -> None:
        resources = {"config": CONFIG, "it": group({"one": "s1", "two": "s2"})}
        stack_id = await it.create(recipe(resources))
        await it.report("s2", status="FAILED")
        stack = await it.ended(stack_id)
        assert stack.reason == (
            "Resource CREATE failed: Error: resources.it.resources.two: "
            "Deployment to server failed: told"
        )
        await it.operations.update(stack_id, recipe(resources))
        await it.report("s1")
        await it.report("s2")
        await it.complete(stack_id)

    run(tmp_path, story)


def test_a_group_with_a_policy_deploys_in_batches(tmp_path: Path) -> None:
    def wanted(**values: Any) -> Recipe:
        it = group({"one": "s1", "two": "s2"}, input_values=values)
        it["update_policy"] = {
            "batch_create": {"max_batch_size": 1},
            "rolling_update": {"max_batch_size": 1},
        }
        return recipe({"config": CONFIG, "it": it})

    async def story(it: Site) -> None:
        stack_id = await it.create(wanted())
        await it.shown("s1")
        assert not await it.software.deployments(PROJECT, "s2", Page())
        await it.report("s1")
        await it.report("s2")
        await it.complete(stack_id)
        await it.operations.update(stack_id, wanted(who="bob"))
        await it.shown("s2", "UPDATE")
        (other,) = await it.software.deployments(PROJECT, "s1", Page())
        assert (other.status, other.action) == ("COMPLETE", "CREATE")
        await it.report("s2", action="UPDATE")
        await it.report("s1", action="UPDATE")
        await it.complete(stack_id)

    run(tmp_path, story)


@pytest.mark.parametrize(
    "kind", ["SoftwareDeployments", "StructuredDeploymentGroup", "StructuredDeployments"]
)
def test_the_relatives_of_the_group_deploy_too(tmp_path: Path, kind: str) -> None:
    async def story(it: Site) -> None:
        members = group({"one": "s1"}, signal_transport="NO_SIGNAL")
        members["type"] = f"OS::Heat::{kind}"
        stack_id = await it.create(recipe({"config": CONFIG, "it": members}))
        await it.complete(stack_id)
        assert len(await it.software.on_server(PROJECT, "s1")) == 1

    run(tmp_path, story)


def test_configs_for_cloud_init_are_made_and_replaced(tmp_path: Path) -> None:
    def wanted(package: str) -> Recipe:
        parts = [{"config": {"get_resource": "cloud"}}, {"config": "text", "filename": "run.sh"}]
        return recipe(
            {
                "cloud": {
                    "type": "OS::Heat::CloudConfig",
                    "properties": {"cloud_config": {"packages": [package]}},
                },
                "mime": {"type": "OS::Heat::MultipartMime", "properties": {"parts": parts}},
            },
            cloud={"get_attr": ["cloud", "config"]},
            mime={"get_attr": ["mime", "config"]},
            id={"get_resource": "mime"},
        )

    async def story(it: Site) -> None:
        stack_id = await it.create(wanted("a"))
        first = await it.complete(stack_id)
        assert first["cloud"] == "#cloud-config\npackages:\n- a\n"
        message = email.message_from_string(first["mime"])
        assert [part.get_payload() for part in message.walk()][1:] == [first["cloud"], "text"]
        kept = await it.software.config(PROJECT, first["id"])
        assert kept.config == first["mime"]
        await it.operations.update(stack_id, wanted("b"))
        second = await it.complete(stack_id)
        assert second["id"] != first["id"]
        assert "- b" in second["mime"]
        assert len(await it.software.configs(PROJECT, Page())) == 2
        await it.operations.delete(stack_id)
        await it.ended(stack_id)
        assert await it.nothing_is_left()

    run(tmp_path, story)


def test_a_deployed_server_keeps_its_id_whatever_changes(tmp_path: Path) -> None:
    def wanted(**given: Any) -> Recipe:
        server = {"type": "OS::Heat::DeployedServer", "properties": given}
        return recipe(
            {"server": server},
            id={"get_resource": "server"},
            name={"get_attr": ["server", "name"]},
            collect={"get_attr": ["server", "os_collect_config"]},
        )

    async def story(it: Site) -> None:
        stack_id = await it.create(wanted())
        first = await it.complete(stack_id)
        assert first["name"].startswith("s-server-")
        for change in (
            {"name": "web"},
            {"metadata": {"a": 1}},
            {"software_config_transport": "POLL_SERVER_HEAT"},
            {"deployment_swift_data": {"container": "c", "object": "o"}},
        ):
            await it.operations.update(stack_id, wanted(**change))
            found = await it.complete(stack_id)
            assert found["id"] == first["id"]
            assert found["collect"]["request"] == first["collect"]["request"]
            assert found["name"] == change.get("name", first["name"])

    run(tmp_path, story)
