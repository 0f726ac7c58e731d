"""Cases put together into as few templates as possible."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from tests.golden.cases import Job, version_keys
from tests.golden.heat import STACK, Json, Trouble

RESULT = "result"
BATCH = 48
RESOURCE_BATCH = 24
SECTIONS = ("parameters", "conditions", "mappings", "resources")


class Bundle:
    """Cases that fit into one template without disturbing each other."""

    def __init__(self, version: str) -> None:
        self.version = version
        self.jobs: list[Job] = []
        self._taken: dict[tuple[str, str], str] = {}

    @staticmethod
    def _claims(job: Job) -> dict[tuple[str, str], str]:
        claims: dict[tuple[str, str], str] = {}
        values = job.section("values")
        for kind in (*SECTIONS, "files"):
            for name, content in job.section(kind).items():
                # Parameters and resources share one name space.
                space = "names" if kind in ("parameters", "resources") else kind
                stated = [kind, content, name in values, values.get(name)]
                claims[space, name] = json.dumps(stated, sort_keys=True)
        for name in set(values) - set(job.section("parameters")):
            claims["names", name] = json.dumps(["values", values[name]])
        return claims

    def add(self, job: Job) -> bool:
        """Take the case in, unless a name is already used for something else."""
        limit = RESOURCE_BATCH if job.section("resources") else BATCH
        claims = self._claims(job)
        if job.version != self.version or len(self.jobs) >= limit:
            return False
        if self.jobs and (job.alone or self.jobs[0].alone):
            return False
        if any(self._taken.get(key, text) != text for key, text in claims.items()):
            return False
        self._taken.update(claims)
        self.jobs.append(job)
        return True

    def halves(self) -> Iterator[Bundle]:
        """Two bundles of half the size."""
        middle = len(self.jobs) // 2
        for part in (self.jobs[:middle], self.jobs[middle:]):
            bundle = Bundle(self.version)
            for job in part:
                if not bundle.add(job):
                    raise Trouble("a part of a bundle does not fit together")
            yield bundle

    def labels(self) -> list[str]:
        """Output names, one per case."""
        if len(self.jobs) == 1:
            return [RESULT]
        return [f"{RESULT}{index}" for index in range(len(self.jobs))]

    def resources(self) -> dict[str, Json]:
        """All resources of the cases."""
        return {name: body for job in self.jobs for name, body in job.section("resources").items()}

    def request(self) -> dict[str, Json]:
        """Body of the request that creates the stack."""
        hot = self.jobs[0].hot
        key, value = version_keys(self.version)
        template: dict[str, Json] = {key: value}
        for section in SECTIONS:
            content = {
                name: body for job in self.jobs for name, body in job.section(section).items()
            }
            if content:
                template[section if hot else section.capitalize()] = content
        outputs = {
            label: {"value" if hot else "Value": job.case["expression"]}
            for label, job in zip(self.labels(), self.jobs, strict=True)
        }
        reference = "get_resource" if hot else "Ref"
        for name, body in self.resources().items():
            if not (isinstance(body, dict) and {"condition", "Condition"} & set(body)):
                outputs[f"reference.{name}"] = {"value" if hot else "Value": {reference: name}}
        template["outputs" if hot else "Outputs"] = outputs
        return {
            "stack_name": STACK,
            "template": template,
            "parameters": {
                name: value for job in self.jobs for name, value in job.section("values").items()
            },
            "files": {
                name: text for job in self.jobs for name, text in job.section("files").items()
            },
            "timeout_mins": 10,
        }


def bundles(jobs: Sequence[Job]) -> list[Bundle]:
    """Distribute the cases over as few templates as possible."""
    result: list[Bundle] = []
    for job in jobs:
        kind = bool(job.section("resources"))
        fitting = (b for b in result if bool(b.jobs[0].section("resources")) == kind and b.add(job))
        if next(fitting, None) is None:
            bundle = Bundle(job.version)
            bundle.add(job)
            result.append(bundle)
    return result
