"""Why a resource is as it is: the one module that reads the chain of causes from the API."""

from dataclasses import dataclass
from urllib.parse import quote

from hotplate.cli.answers.resource_paths import FoundResource
from hotplate.cli.answers.sources import Source, sources_of
from hotplate.client import Api


@dataclass(frozen=True, slots=True)
class Cause:
    """One link of the chain; ``level`` is how deep it is below what was asked about."""

    level: int
    text: str
    path: tuple[str, ...]
    source: Source | None = None


async def causes_of(api: Api, found: FoundResource) -> list[Cause]:
    """Return the chain of causes, from the resource back to files and lines."""
    path = f"{found.stack_name.path}/resources/{quote(found.path[-1], safe='~')}/why"
    answer = await api.call("GET", path)
    above = found.path[:-1]
    return [
        Cause(
            int(each["level"]),
            str(each["text"]),
            (*above, *each.get("path", ())),
            sources_of([each["source"]])[0] if each.get("source") else None,
        )
        for each in answer["why"]["causes"]
    ]
