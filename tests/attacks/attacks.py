"""What a tenant can do to a server. Several tasks repeat an attack until its time is up."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable
from typing import Any, Final
from uuid import uuid4

import httpx

from tests.attacks import templates

Attack = Callable[["Attacker"], Awaitable[None]]


class Attacker:
    """The attacker's client: one project, one token."""

    def __init__(self, root: str, project: str, token: str) -> None:
        self.root = httpx.URL(root)
        self.http = httpx.AsyncClient(
            base_url=f"{root}/v1/{project}",
            headers={"x-auth-token": token},
            timeout=30,
            limits=httpx.Limits(max_connections=40),
        )
        self.flows = httpx.AsyncClient(
            base_url=f"{root}/v2",
            headers={"x-auth-token": token, "x-project-id": project},
            timeout=30,
        )
        self.token = token

    async def create(self, template: Any, **more: Any) -> httpx.Response:
        name = f"s{uuid4().hex[:12]}"
        body = {"stack_name": name, "template": template, "timeout_mins": 5, **more}
        return await self.http.post("/stacks", json=body)

    async def preview(self, template: Any, **more: Any) -> httpx.Response:
        body = {"stack_name": f"p{uuid4().hex[:12]}", "template": template, **more}
        return await self.http.post("/stacks/preview", json=body)

    async def validate(self, template: Any, **more: Any) -> httpx.Response:
        return await self.http.post("/validate", json={"template": template, **more})

    async def made(self, template: Any, **more: Any) -> str:
        """Return the path of a stack that has been made; empty if it was refused."""
        answer = await self.create(template, **more)
        if answer.status_code != 201:
            return ""
        href = answer.json()["stack"]["links"][0]["href"]
        return "/stacks/" + href.split("/stacks/", 1)[1]


async def pattern_of_letters(attacker: Attacker) -> None:
    await attacker.validate(templates.with_pattern("a" * 4096, "a" * 200_000))


async def pattern_that_looks_ahead(attacker: Attacker) -> None:
    await attacker.validate(templates.with_pattern("(?=a)(?:a|aa)+$", "a" * 100 + "b"))


async def pattern_of_letters_that_looks_ahead(attacker: Attacker) -> None:
    await attacker.validate(templates.with_pattern("(?=a)" + "a" * 1000, "a" * 300_000))


async def pattern_that_unrolls(attacker: Attacker) -> None:
    await attacker.validate(templates.with_pattern("(?=a)(?:(?:a{300}){300})b", "a" * 90_000))


async def many_patterns(attacker: Attacker) -> None:
    parameter = {
        "type": "string",
        "default": "a" * 40 + "b",
        "constraints": [{"allowed_pattern": "(?=a)(a+)+$"}],
    }
    parameters = {f"p{number}": parameter for number in range(500)}
    await attacker.validate(templates.template(parameters=parameters, resources={}))


async def pattern_in_a_query(attacker: Attacker) -> None:
    await attacker.http.get("/resource_types", params={"name": "(?=O)(O|OS|S)+(.*)*x$"})


async def doubled_text(attacker: Attacker) -> None:
    await attacker.create(templates.value(templates.doubled(26)))


async def replaced_text(attacker: Attacker) -> None:
    await attacker.preview(templates.value(templates.replaced(6)))


async def doubled_output(attacker: Attacker) -> None:
    await _shown(attacker, templates.output(templates.doubled(17)))


async def dear_yaql_output(attacker: Attacker) -> None:
    expression = "range(3000).select($ * range(300).sum()).sum()"
    await _shown(attacker, templates.output(templates.yaql(expression)))


async def _shown(attacker: Attacker, template: Any) -> None:
    path = await attacker.made(template)
    for _ in range(10):
        await attacker.http.get(f"{path}/outputs/o")
        await attacker.http.get(path)


async def yaql_in_properties(attacker: Attacker) -> None:
    dear = templates.yaql("range(100000).select($ * $).where($ mod 2 = 0).sum()")
    resource = {"type": "OS::Heat::Value", "properties": {"value": dear}}
    await attacker.create(templates.template(resources={f"r{n}": resource for n in range(50)}))


async def repeated_lists(attacker: Attacker) -> None:
    items = list(range(100))
    repeat = {"repeat": {"template": "%a%b%c", "for_each": {"%a": items, "%b": items, "%c": items}}}
    await attacker.validate(templates.value(repeat))


async def aliases(attacker: Attacker) -> None:
    await attacker.validate(templates.ALIASES)


async def deep_lists(attacker: Attacker) -> None:
    await attacker.validate("heat_template_version: wallaby\na: " + "[" * 50_000)


async def deep_json(attacker: Attacker) -> None:
    body = b'{"stack_name": "x", "template": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    await attacker.http.post("/stacks", content=body, headers={"content-type": "application/json"})


async def long_yaml(attacker: Attacker) -> None:
    lines = "\n".join(f"  r{number}: {{type: OS::Heat::None}}" for number in range(40_000))
    await attacker.validate(f"heat_template_version: wallaby\nresources:\n{lines}\n")


async def large_bodies(attacker: Attacker) -> None:
    body = json.dumps({"stack_name": "x", "template": {}, "files": {"f": "x" * 8_000_000}})
    await attacker.http.post("/stacks", content=body, headers={"content-type": "application/json"})


async def many_small_values(attacker: Attacker) -> None:
    body = json.dumps({"stack_name": "x", "template": {"a": [1] * 2_000_000}})
    await attacker.http.post("/stacks", content=body, headers={"content-type": "application/json"})


async def many_problems(attacker: Attacker) -> None:
    await attacker.validate(templates.faulty(5000))


async def many_environments(attacker: Attacker) -> None:
    text = json.dumps({"parameter_defaults": {f"p{number}": "x" for number in range(200)}})
    files = {f"e{number}.yaml": text for number in range(200)}
    await attacker.validate(
        templates.flat(1),
        files=files,
        environment_files=sorted(files),
        environment={"parameter_defaults": {"p1": "y"}},
    )


async def patches(attacker: Attacker) -> None:
    parameters = {"p": {"type": "string", "default": "x"}}
    path = await attacker.made({**templates.flat(300), "parameters": parameters})
    if path:
        await asyncio.gather(
            *(
                attacker.http.patch(path, json={"parameters": {"p": str(number)}})
                for number in range(20)
            )
        )


async def previews_of_groups(attacker: Attacker) -> None:
    await attacker.preview(templates.group(20_000))


async def previews_of_flat_stacks(attacker: Attacker) -> None:
    for count in (5_000, 20_000, 90_000):
        await attacker.preview(templates.flat(count))


async def previews_of_changes(attacker: Attacker) -> None:
    path = await attacker.made(templates.flat(2_000))
    for count in range(2_000, 2_010 if path else 0):
        changed = templates.flat(count)
        await attacker.http.put(f"{path}/preview", json={"template": changed})


async def previews_of_trees(attacker: Attacker) -> None:
    root, files = templates.nested(8, 4)
    await attacker.preview(root, files=files)


async def large_stacks(attacker: Attacker) -> None:
    path = await attacker.made(templates.flat(2000))
    if path:
        await attacker.http.delete(path)


async def groups(attacker: Attacker) -> None:
    path = await attacker.made(templates.group(2000))
    if path:
        await attacker.http.delete(path)


async def chains(attacker: Attacker) -> None:
    await attacker.create(templates.chain(300))


async def small_stacks(attacker: Attacker) -> None:
    path = await attacker.made(templates.flat(1))
    if path:
        await attacker.http.delete(path)


async def large_environments(attacker: Attacker) -> None:
    path = await attacker.made(
        templates.flat(1),
        environment={"parameter_defaults": {f"p{n}": "x" * 20 for n in range(20_000)}},
    )
    for _ in range(5):
        await attacker.http.get(f"{path}/environment", params={"origins": "true"})
        await attacker.http.get(f"{path}/files")


async def event_lists(attacker: Attacker) -> None:
    path = await attacker.made(templates.flat(1000))
    for _ in range(10):
        await attacker.http.get(f"{path}/events", params={"nested_depth": "5"})


async def event_streams(attacker: Attacker) -> None:
    path = await attacker.made(templates.flat(50))

    async def follow() -> None:
        async with attacker.http.stream("GET", f"{path}/events/stream") as answer:
            async for _ in answer.aiter_bytes():
                return

    await asyncio.gather(*(follow() for _ in range(30)), return_exceptions=True)


async def signals(attacker: Attacker) -> None:
    handle = {"type": "OS::Heat::WaitConditionHandle"}
    path = await attacker.made(templates.template(resources={"h": handle}))
    for number in range(200):
        body = {"id": str(number), "data": "x" * 5000, "status": "SUCCESS"}
        await attacker.http.post(f"{path}/resources/h/signal", json=body)


async def signals_that_say_nothing(attacker: Attacker) -> None:
    """Their number says who they are, and a condition is woken by each of them."""
    path = await attacker.made(templates.waiting(2000))
    for _ in range(400):
        await attacker.http.post(f"{path}/resources/h/signal", json={})


async def event_pages(attacker: Attacker) -> None:
    path = await attacker.made(templates.flat(2000))
    marker = ""
    for _ in range(10):
        query = {"limit": "10000", **({"marker": marker} if marker else {})}
        answer = await attacker.http.get(f"{path}/events", params=query)
        found = answer.json().get("events") if answer.status_code == 200 else None
        marker = found[-1]["id"] if found else ""


async def held_streams(attacker: Attacker) -> None:
    """Streams of events that stay open while there are many events."""
    path = await attacker.made(templates.flat(1000))

    async def follow() -> None:
        async with asyncio.timeout(3), attacker.http.stream("GET", f"{path}/events/stream") as held:
            async for _ in held.aiter_bytes():
                await asyncio.sleep(0.05)

    await asyncio.gather(*(follow() for _ in range(40)), return_exceptions=True)


async def patches_of_groups(attacker: Attacker) -> None:
    path = await attacker.made(templates.sized_group())
    for number in range(20):
        size = {"parameters": {"n": 500 * (1 + number % 2)}}
        await attacker.http.patch(path, json=size)


async def resource_lists(attacker: Attacker) -> None:
    root, files = templates.nested(6, 3)
    path = await attacker.made(root, files=files)
    for _ in range(10):
        await attacker.http.get(f"{path}/resources", params={"nested_depth": "5"})


async def snapshots(attacker: Attacker) -> None:
    path = await attacker.made(templates.flat(500))
    for number in range(10):
        await attacker.http.post(f"{path}/snapshots", json={"name": f"n{number}"})
        await attacker.http.get(f"{path}/snapshots")


async def tags(attacker: Attacker) -> None:
    written = ",".join(f"tag{number}" for number in range(100))
    await attacker.create(templates.flat(1), tags=written)
    query = {"tags-any": written, "not-tags": written, "sort_keys": "name"}
    await attacker.http.get("/stacks", params=query)


async def workflows_in_workflows(attacker: Attacker) -> None:
    """Each runs itself twice."""
    name = f"w{uuid4().hex[:8]}"
    await _defined(attacker, name, templates.RECURSIVE_WORKFLOW.format(name=name), 5)


async def workflow_storms(attacker: Attacker) -> None:
    """Tasks that lead to each other for ever."""
    name = f"w{uuid4().hex[:8]}"
    await _defined(attacker, name, templates.ENDLESS_WORKFLOW.format(name=name), 5)


async def workflows(attacker: Attacker) -> None:
    dear = "<% range(50000).select($ * $).sum() %>"
    await _run(attacker, templates.WORKFLOW, items=50, published=dear)


async def workflows_of_jinja(attacker: Attacker) -> None:
    dear = "{% for i in range(300) %}{% for j in range(300) %}{{ i * j }}{% endfor %}{% endfor %}"
    await _run(attacker, templates.WORKFLOW, items=20, published=dear)


async def workflows_of_yaml(attacker: Attacker) -> None:
    dear = "<% yaml_parse(range(5000).select(str($) + ': [a, b]').join('\\n')) %>"
    await _run(attacker, templates.WORKFLOW, items=20, published=dear)


async def _run(attacker: Attacker, text: str, items: int, published: str) -> None:
    name = f"w{uuid4().hex[:8]}"
    definition = text.format(name=name, items=items, published=published.replace('"', '\\"'))
    await _defined(attacker, name, definition, 5)


async def _defined(attacker: Attacker, name: str, definition: str, times: int) -> None:
    made = await attacker.flows.post(
        "/workflows", content=definition, headers={"content-type": "text/plain"}
    )
    if made.status_code == 201:
        for _ in range(times):
            await attacker.flows.post("/executions", json={"workflow_name": name})


async def half_open_requests(attacker: Attacker) -> None:
    await _opened(attacker, b"GET /v1 HTTP/1.1\r\nHost: x\r\nX-A: ", 300, 2.0)


async def silent_connections(attacker: Attacker) -> None:
    await _opened(attacker, b"", 300, 2.0)


async def slow_bodies(attacker: Attacker) -> None:
    project = str(attacker.http.base_url.path).rsplit("/", 1)[-1]
    head = (
        f"POST /v1/{project}/stacks HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        f"X-Auth-Token: {attacker.token}\r\n"
        "Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"
    )
    await _opened(attacker, head.encode(), 200, 2.0)


async def long_headers(attacker: Attacker) -> None:
    await _opened(attacker, b"GET /v1 HTTP/1.1\r\n" + b"X-A: " + b"a" * 500_000, 20, 0.5)


async def _opened(attacker: Attacker, sent: bytes, number: int, seconds: float) -> None:
    """Open connections, send the beginning of a request on each, and wait."""
    loop, opened = asyncio.get_running_loop(), []
    try:
        for _ in range(number):
            connection = socket.socket()
            opened.append(connection)
            connection.setblocking(False)
            address = (attacker.root.host, attacker.root.port)
            await asyncio.wait_for(loop.sock_connect(connection, address), 5)
            await asyncio.wait_for(loop.sock_sendall(connection, sent), 5)
        await asyncio.sleep(seconds)
    finally:
        for connection in opened:
            connection.close()


async def slow_readers(attacker: Attacker) -> None:
    path = await attacker.made(templates.flat(1000))
    request = (
        f"GET {attacker.http.base_url.path.rstrip('/')}{path}/resources HTTP/1.1\r\n"
        f"Host: 127.0.0.1\r\nX-Auth-Token: {attacker.token}\r\n\r\n"
    )
    await _opened(attacker, request.encode() * 20, 50, 2.0)


ATTACKS: Final[dict[str, Attack]] = {
    attack.__name__: attack
    for attack in (
        pattern_of_letters, pattern_that_looks_ahead, pattern_of_letters_that_looks_ahead,
        pattern_that_unrolls, many_patterns, pattern_in_a_query, doubled_text, replaced_text,
        doubled_output, dear_yaql_output, yaql_in_properties, repeated_lists, aliases, deep_lists,
        deep_json, long_yaml, large_bodies, many_small_values, many_problems, many_environments,
        patches, previews_of_groups, previews_of_flat_stacks, previews_of_changes,
        previews_of_trees, large_stacks, groups, chains, small_stacks, large_environments,
        event_lists, event_pages, event_streams, held_streams, signals,
        signals_that_say_nothing, patches_of_groups, resource_lists, snapshots, tags, workflows,
        workflows_of_jinja, workflows_of_yaml, workflows_in_workflows, workflow_storms,
        half_open_requests, silent_connections, slow_bodies, long_headers,
        slow_readers,
    )
}  # fmt: skip
