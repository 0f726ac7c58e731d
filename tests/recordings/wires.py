"""A wire that records what real services answer, and one that plays it."""

import asyncio
import json
from collections.abc import Mapping
from difflib import get_close_matches

from hotplate.cloud.settings import CloudSettings
from hotplate.cloud.wire import Answer, HttpWire
from tests.recordings.recording import LEFT_OUT, Exchange, exchange


class DoesNotFit(AssertionError):
    """What is asked is not what was recorded. Record anew if it is right: see tests/cloud."""


class RecordingWire(HttpWire):
    """Carries requests to real services and keeps them with their answers."""

    def __init__(self, settings: CloudSettings) -> None:
        super().__init__(settings)
        self.exchanges: list[Exchange] = []
        self._changes = 0

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        after = self._changes
        answer = await super().send(method, url, headers, body, seconds)
        said = (answer.status, answer.headers, answer.body)
        kept = exchange(method, url, headers, body, after, said)
        self.exchanges.append(kept)
        self._changes += kept.is_change
        return answer


class PlayingWire:
    """Answers as real services did, as long as the same is asked of them.

    Requests that were made at the same time may come in any order. What was recorded after a change
    is not answered before that. Reading once more gives what was read last.
    """

    def __init__(self, exchanges: list[Exchange]) -> None:
        self.left = list(exchanges)
        self._played: dict[str, Exchange] = {}
        self._changes = 0

    async def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, seconds: float
    ) -> Answer:
        asked = exchange(method, url, headers, body, self._changes)
        await asyncio.sleep(0)
        found = self._next(asked)
        self._changes += found.is_change
        content = b"" if found.answer is None else _bytes(found.answer)
        headers = {"content-type": "application/json", **found.headers}
        return Answer(found.status, headers, content)

    async def close(self) -> None:
        pass

    def finish(self) -> None:
        """Raise DoesNotFit if not all that was recorded has been asked for."""
        if self.left:
            raise DoesNotFit(
                "recorded, but no longer asked for:\n" + "\n".join(each.key for each in self.left)
            )

    def _next(self, asked: Exchange) -> Exchange:
        fitting = [each for each in self.left if each.key == asked.key]
        for each in fitting:
            if each.after <= self._changes:
                self.left.remove(each)
                self._played[each.key] = each
                return each
        if not asked.is_change and asked.key in self._played:
            return self._played[asked.key]
        if fitting:
            raise DoesNotFit(f"asked for before what it was recorded after:\n{asked.key}")
        near = get_close_matches(asked.key, [each.key for each in self.left], 3, 0.3)
        raise DoesNotFit("\n".join(["not recorded:", asked.key, "recorded are:", *near]))


def _bytes(answer: object) -> bytes:
    is_text = isinstance(answer, str) and answer != LEFT_OUT
    return answer.encode() if isinstance(answer, str) and is_text else json.dumps(answer).encode()
