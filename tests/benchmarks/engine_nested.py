"""What a group of stacks costs on SQLite: each member is a stack with resources of its own."""

import asyncio
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

from hotplate.engine.recipes import Recipe
from tests.benchmarks.engine import ended, engine
from tests.benchmarks.figure import Figure

MEMBERS = 1_000
INSIDE = 3
GROWTH = 10
RESOURCES = 1 + MEMBERS + MEMBERS * INSIDE

_GROUP = """\
heat_template_version: wallaby
resources:
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: {count}
      resource_def: {{type: member.yaml, properties: {{index: "%index%"}}}}
"""
_MEMBER = """\
heat_template_version: wallaby
parameters: {index: {type: string}}
resources:
"""


def group(members: int, inside: int) -> Recipe:
    """Return a group whose members are made from one template file."""
    rows = (f'  r{at}: {{type: "OS::Heat::RandomString"}}\n' for at in range(inside))
    return Recipe(_GROUP.format(count=members), {"member.yaml": _MEMBER + "".join(rows)})


def figures() -> Iterator[Figure]:
    """All of it in a process of its own, because its memory is measured too."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.engine_nested"],
        check=True,
        capture_output=True,
        text=True,
    )
    measured: dict[str, float] = json.loads(done.stdout)
    megabytes = measured.pop("megabytes")
    for step, seconds in measured.items():
        yield Figure(f"{step}, group of {MEMBERS:,} stacks of {INSIDE}", RESOURCES, seconds)
    yield Figure(f"peak memory with {MEMBERS + 1:,} stacks, MB", 1, megabytes)


async def _life() -> dict[str, float]:
    measured: dict[str, float] = {}
    recipe = group(MEMBERS, INSIDE)
    with tempfile.TemporaryDirectory() as folder:
        async with engine(Path(folder) / "bench.db") as operations:
            start = process_time()
            stack_id = await operations.create("bench", "stack", recipe)
            await ended(operations, stack_id)
            measured["create"] = process_time() - start
            start = process_time()
            await operations.update(stack_id, recipe)
            await ended(operations, stack_id)
            measured["no change"] = process_time() - start
            start = process_time()
            await operations.update(stack_id, group(MEMBERS + GROWTH, INSIDE))
            await ended(operations, stack_id)
            measured[f"grow by {GROWTH}"] = process_time() - start
            start = process_time()
            await operations.delete(stack_id)
            await ended(operations, stack_id)
            measured["delete"] = process_time() - start
    measured["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return measured


if __name__ == "__main__":
    print(json.dumps(asyncio.run(_life())))
