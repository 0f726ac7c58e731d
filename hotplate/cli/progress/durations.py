"""How long things take: what this installation has seen before, and what this run has shown."""

from collections.abc import Iterable, Mapping

from hotplate.cli.progress.progress import Item, Progress, State
from hotplate.client import Api, Refusal

_ENOUGH = 10
"""Ends after which the pace of a run says something."""


async def known_durations(api: Api) -> dict[tuple[str, str], float]:
    """Return what the installation has learnt, by type and action; nothing if it lists none."""
    try:
        answer = await api.call("GET", "/durations")
    except Refusal:
        return {}
    return {
        (each["resource_type"], each["action"]): float(each["seconds"])
        for each in answer["durations"]
    }


class Durations:
    """Seconds by type and action. Learns from every resource that ends."""

    def __init__(self, known: Mapping[tuple[str, str], float] | None = None) -> None:
        self._known = dict(known or {})
        self._seen: dict[tuple[str, str], tuple[int, float]] = {}
        self._taken = 0

    def learn(self, ended: list[Item]) -> None:
        """Take the resources that have ended since the last call into account."""
        for item in ended[self._taken :]:
            if item.took is not None and item.state is State.DONE:
                key = (item.type, item.status.partition("_")[0])
                count, total = self._seen.get(key, (0, 0.0))
                self._seen[key] = (count + 1, total + item.took)
        self._taken = len(ended)

    def usual(self, type_name: str, action: str) -> float | None:
        """Return how long an action usually takes, None if it is unknown."""
        key = (type_name, action)
        if key in self._known:
            return self._known[key]
        count, total = self._seen.get(key, (0, 0.0))
        return total / count if count else None

    def remaining(self, progress: Progress, now: float) -> float | None:
        """Return how long an operation will still take, None if nothing can be said.

        The longer of two guesses: the longest chain of what is still to be done, and all of it at
        the pace of this run.
        """
        self.learn(progress.ended)
        left = progress.top.sums[State.RUNNING] + progress.top.sums[State.WAITING]
        if left <= 0:
            return None
        chain = self._below(progress.top, progress.action, now)
        pace = None
        if progress.finished >= _ENOUGH:
            pace = (now - progress.began) / progress.finished * left
        # What has taken longer than usual may end at once or never: no guess is better than 0.
        return max((guess for guess in (chain, pace) if guess), default=None)

    def _below(self, stack: Item, action: str, now: float) -> float | None:
        """Return the longest chain within a stack; None if the types in it are all unknown."""
        ends: dict[str, float] = {}
        is_known = False
        for name in _last_first(stack.children):
            item = stack.children[name]
            own = self._own(item, action, now)
            is_known |= own is not None
            later = max((ends.get(other, 0.0) for other in item.required_by), default=0.0)
            ends[name] = (own or 0.0) + later
        return max(ends.values(), default=0.0) if is_known else None

    def _own(self, item: Item, action: str, now: float) -> float | None:
        if item.state not in (State.RUNNING, State.WAITING):
            return None  # what has ended says nothing about what is left
        if item.children:
            return self._below(item, action, now)
        usual = self.usual(item.type, item.status.partition("_")[0] or action)
        if usual is None:
            usual = self.usual(item.type, action)
        if usual is None or item.state is State.WAITING or item.since is None:
            return usual
        return max(usual - (now - item.since), 0.0)


def _last_first(children: Mapping[str, Item]) -> Iterable[str]:
    """Return the names so that each comes after those that require it."""
    done: dict[str, None] = {}
    seen: set[str] = set()
    for start in children:
        waiting = [(start, False)]
        while waiting:
            name, is_ready = waiting.pop()
            if is_ready:
                done[name] = None
            elif name not in seen:
                seen.add(name)
                waiting.append((name, True))
                waiting.extend(
                    (other, False) for other in children[name].required_by if other in children
                )
    return done
