"""Every type in a stack, on real services: the lives in the stories, through the engine."""

import asyncio
import time
from pathlib import Path

import pytest

from hotplate.cloud import Cloud, load_settings
from hotplate.cloud.calling import Clock
from tests.cloud.box.places import credentials
from tests.cloud.engine_life import EngineLife
from tests.recordings.stage import Stage
from tests.recordings.stories import STORIES


@pytest.mark.parametrize("name", STORIES)
def test_what_a_story_makes_lives_in_a_stack(name: str, tmp_path: Path) -> None:
    """Made, changed, checked, brought back, replaced, handed over, found after a kill, deleted."""
    recorded = STORIES[name]

    async def play() -> None:
        settings = load_settings(credentials(recorded.user))
        async with Cloud(settings, clock=Clock(time.time)) as cloud:
            await recorded.story(Stage(name, cloud, player=EngineLife(tmp_path).play))

    asyncio.run(play())
