"""A server that makes, changes and deletes stacks on and on: its memory stays where it is.

SOAK_STACKS is how many stacks each of the rounds has; 100 unless told.
"""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from tests.acceptance.serving import COMMAND, PATIENCE, Served, serving
from tests.benchmarks.figure import Figure

_ROUNDS = 6
_STACKS = int(os.environ.get("SOAK_STACKS", "100"))
_AT_ONCE = 5
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def figures() -> Iterator[Figure]:
    """CPU seconds of the server and its resident memory after each round; the first is warm-up.

    No two stacks are made of the same text, and each is changed once before it is deleted.
    """
    with serving(command=COMMAND) as served:
        before, warm = _cpu(served), 0.0
        for round_ in range(_ROUNDS):
            asyncio.run(_round(served.endpoint(), round_ * _STACKS))
            after, memory = _cpu(served), _resident(served)
            note = f"resident {memory / 1e6:.1f} MB"
            if round_ == 0:
                warm = memory
            else:
                each = (memory - warm) / (round_ * _STACKS)
                note += f", {each / 1e3:+.2f} kB for each stack since the first round"
            name = f"round {round_ + 1} of stacks made, changed and deleted"
            yield Figure(name, _STACKS, after - before, note=note)
            before = after


async def _round(endpoint: str, first: int) -> None:
    numbers = iter(range(first, first + _STACKS))
    async with httpx.AsyncClient(base_url=endpoint, timeout=PATIENCE, trust_env=False) as client:

        async def some() -> None:
            for number in numbers:
                await _one(client, number)

        await asyncio.gather(*(some() for _ in range(_AT_ONCE)))


async def _one(client: httpx.AsyncClient, number: int) -> None:
    name = f"soak-{number}"
    body = {"stack_name": name, "template": _template(number, 10)}
    made = await client.post("/stacks", json=body)
    path = f"/stacks/{name}/{made.raise_for_status().json()['stack']['id']}"
    await _until(client, path, "CREATE_COMPLETE")
    (await client.put(path, json={"template": _template(number, 12)})).raise_for_status()
    await _until(client, path, "UPDATE_COMPLETE")
    (await client.delete(path)).raise_for_status()
    await _until(client, path, "DELETE_COMPLETE")


async def _until(client: httpx.AsyncClient, path: str, status: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            answer = await client.get(path)
            found = answer.raise_for_status().json()["stack"]["stack_status"]
            if found == status:
                return
            if found.endswith("_FAILED"):
                raise AssertionError(answer.text)
            await asyncio.sleep(0.05)


def _template(number: int, length: int) -> dict[str, Any]:
    member = {"type": "OS::Heat::RandomString"}
    return {
        "heat_template_version": "wallaby",
        "parameters": {"length": {"type": "number", "default": length}},
        "resources": {
            "text": {
                "type": "OS::Heat::RandomString",
                "properties": {"length": {"get_param": "length"}},
            },
            "number": {"type": "OS::Heat::Value", "properties": {"value": number}},
            "copy": {
                "type": "OS::Heat::Value",
                "properties": {"value": {"get_attr": ["text", "value"]}},
            },
            "group": {
                "type": "OS::Heat::ResourceGroup",
                "properties": {"count": 2, "resource_def": member},
            },
        },
        "outputs": {"copy": {"value": {"get_attr": ["copy", "value"]}}},
    }


def _cpu(served: Served) -> float:
    text = Path(f"/proc/{served.process.pid}/stat").read_text(encoding="utf-8")
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _resident(served: Served) -> int:
    fields = Path(f"/proc/{served.process.pid}/statm").read_text(encoding="utf-8").split()
    return int(fields[1]) * _PAGE
