"""Templates and environments that other people wrote: they compile, and stacks are made of them."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from hotplate.document import InvalidDocument, parse
from hotplate.engine.embedded import Embedded, embedded
from hotplate.engine.refusals import Refused
from hotplate.environment import parse as parse_environment
from hotplate.model import Action, Stack, Status, Version
from hotplate.resources.catalogue import installed
from hotplate.template import compile_template
from tests.acceptance.types.corpus import Sample, corpus_files, is_template, recipe_of_environment

FILES = corpus_files()
TEMPLATES = [path for path in FILES if is_template(path)]
ENVIRONMENTS = [path for path in FILES if not is_template(path)]
CIRCULAR = [path for path in TEMPLATES if path.parent.name == "invalid"]
"""Their resources need each other. Heat refuses them as well."""

FAILING_OUTPUTS = {
    # It names a resource that the template does not have.
    "WordPress_Single_Instance_With_Neutron.template": {"InstanceIPAddress"}
}
_LIVING = [path for path in TEMPLATES if path not in CIRCULAR]
_PROJECT = "project"
_PATIENCE = 60
_SIGNALS = 3
"""More than any condition in the corpus waits for."""

Run = Callable[[Callable[[Embedded], Coroutine[Any, Any, None]]], None]


def test_the_corpus_is_there() -> None:
    if not os.environ.get("HOTPLATE_CORPUS"):
        assert not os.environ.get("CI"), "HOTPLATE_CORPUS must name the corpus"
        pytest.skip("set HOTPLATE_CORPUS to a folder of templates to try them")
    assert len(TEMPLATES) >= 81
    assert len(CIRCULAR) == 5
    assert len(ENVIRONMENTS) >= 7


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_a_file_of_the_corpus_compiles(path: Path) -> None:
    document = parse(path.read_text(), path.name)
    if is_template(path):
        compile_template(document)
    else:
        parse_environment(document)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """One engine for all templates."""
    running = embedded(tmp_path_factory.mktemp("corpus") / "hotplate.db")
    with asyncio.Runner() as runner:
        engine = runner.run(running.__aenter__())
        try:
            yield lambda story: runner.run(asyncio.wait_for(story(engine), _PATIENCE))
        finally:
            runner.run(running.__aexit__(None, None, None))


@pytest.mark.parametrize("path", CIRCULAR, ids=[path.name for path in CIRCULAR])
def test_a_template_whose_resources_need_each_other_is_refused(path: Path, engine: Run) -> None:
    sample = Sample(path, installed())

    async def story(engine: Embedded) -> None:
        with pytest.raises(InvalidDocument, match="these need each other"):
            await engine.operations.create(_PROJECT, _name(), sample.recipe(sample.values()))

    engine(story)


@pytest.mark.parametrize("path", _LIVING, ids=[path.name for path in _LIVING])
def test_a_template_is_created_submitted_again_changed_and_deleted(path: Path, engine: Run) -> None:
    sample = Sample(path, installed())
    recipe = sample.recipe(sample.values())

    async def story(engine: Embedded) -> None:
        operations = engine.operations
        stack_id = await operations.create(_PROJECT, _name(), recipe)
        await _complete(engine, stack_id)
        before = await operations.resources(stack_id)
        await operations.update(stack_id, recipe)
        await _complete(engine, stack_id)
        after = await operations.resources(stack_id)
        # Submitted again, nothing becomes another thing.
        assert _ids(before) == _ids(after)
        for values in sample.changes():
            try:
                await operations.update(stack_id, sample.recipe(values))
            except InvalidDocument:
                continue  # it fits its own constraints, but not what the template makes of it
            await _complete(engine, stack_id)
            break
        failed = {
            name: value
            for name, value in (await operations.outputs(stack_id)).items()
            if isinstance(value, Exception)
        }
        assert failed.keys() == FAILING_OUTPUTS.get(path.name, set()), failed
        await operations.delete(stack_id)
        assert (await _complete(engine, stack_id)).deleted_at is not None

    engine(story)


@pytest.mark.parametrize("path", ENVIRONMENTS, ids=[path.name for path in ENVIRONMENTS])
def test_a_stack_is_made_of_the_types_that_an_environment_maps(path: Path, engine: Run) -> None:
    recipe = recipe_of_environment(path, installed())

    async def story(engine: Embedded) -> None:
        stack_id = await engine.operations.create(_PROJECT, _name(), recipe)
        await _complete(engine, stack_id)
        await engine.operations.delete(stack_id)
        await _complete(engine, stack_id)

    engine(story)


def _name() -> str:
    return f"sample-{uuid4().hex[:8]}"


def _ids(versions: Mapping[str, Version]) -> dict[str, int]:
    return {name: version.id for name, version in versions.items()}


async def _complete(engine: Embedded, stack_id: str) -> Stack:
    """Return a stack when it is complete; what its servers would report is told it from here."""
    told: set[int] = set()
    while True:
        stack = await engine.operations.stack(stack_id)
        if stack.status is not Status.IN_PROGRESS:
            assert stack.status is Status.COMPLETE, f"{stack.action.value}: {stack.reason}"
            return stack
        async for version in _resources(engine, stack_id):
            if version.id in told:
                continue
            for details in _reports(version):
                told.add(version.id)
                # What is being deleted may be gone by the time that it is told something.
                with suppress(*((Refused,) if stack.action is Action.DELETE else ())):
                    await engine.operations.signal(version.stack_id, version.name, details)
        await asyncio.sleep(0.02)


async def _resources(engine: Embedded, stack_id: str) -> AsyncIterator[Version]:
    """Yield the resources of a stack and of those inside it."""
    for version in (await engine.operations.resources(stack_id)).values():
        yield version
        if version.is_nested_stack and version.physical_id:
            async for inner in _resources(engine, version.physical_id):
                yield inner


def _reports(version: Version) -> Iterator[dict[str, Any]]:
    """Yield what a resource waits for to be told, if it does so now."""
    if version.action is Action.INIT:
        return
    if version.type.endswith("WaitConditionHandle") and version.status is Status.COMPLETE:
        for number in map(str, range(_SIGNALS)):
            if version.type.startswith("AWS::"):
                yield {"Status": "SUCCESS", "Reason": "", "Data": "", "UniqueId": number}
            else:
                yield {"id": number}
    elif version.type.endswith("Deployment") and version.cookie is not None:
        yield {"deploy_status_code": 0}
