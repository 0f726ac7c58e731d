"""Cases put to a running Heat, and its answers without what differs from one time to the next."""

import re
import sys
from collections.abc import Mapping, Sequence

from tests.golden.bundles import Bundle, bundles
from tests.golden.cases import Job
from tests.golden.heat import STACK, Heat, Json, Trouble

STACK_ID = "00000000-0000-4000-8000-000000000000"
OTHER_ID = "11111111-1111-4111-8111-111111111111"
PROJECT_ID = "0123456789abcdef0123456789abcdef"
SUFFIX = "x" * 12

UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b")


def record_jobs(heat: Heat, jobs: Sequence[Job]) -> list[dict[str, Json]]:
    """Record all the cases with as few stacks as possible."""
    recorder = Recorder(heat)
    granted, refused = screen(heat, jobs)
    print(f"{len(granted)} previews granted, {len(refused)} refused", file=sys.stderr)
    for job in refused:
        alone = Bundle(job.version)
        alone.add(job)
        recorder.run(alone)
    work = bundles(granted)
    for number, bundle in enumerate(work, 1):
        print(f"{number}/{len(work)} {bundle.version}: {len(bundle.jobs)} cases", file=sys.stderr)
        recorder.run(bundle)
    return recorder.entries


def screen(heat: Heat, jobs: Sequence[Job]) -> tuple[list[Job], list[Job]]:
    """Part the cases by whether a preview of each alone is granted, which costs no stack."""
    granted: list[Job] = []
    refused: list[Job] = []
    for job in jobs:
        bundle = Bundle(job.version)
        bundle.add(job)
        answer = heat.call("POST", "/stacks/preview", bundle.request())
        (granted if answer.status == 200 else refused).append(job)
    return granted, refused


class Recorder:
    """Puts bundles to the service and collects the entries."""

    def __init__(self, heat: Heat) -> None:
        self.heat = heat
        self.entries: list[dict[str, Json]] = []

    def clean(self, value: Json, stack_id: str = "") -> Json:
        """Replace what differs from one recording to the next."""
        if isinstance(value, str):
            text = value
            if stack_id:
                text = text.replace(stack_id, STACK_ID)
            text = text.replace(self.heat.project, PROJECT_ID)
            text = UUID.sub(lambda match: match[0] if match[0] == STACK_ID else OTHER_ID, text)
            text = re.sub(rf"\b({STACK}-[A-Za-z0-9_]+)-[a-z2-7]{{12}}\b", rf"\1-{SUFFIX}", text)
            text = re.sub(r"\b0x[0-9a-f]{8,16}\b", "0x0", text)
            return re.sub(r"\{('[^'{}]*'(?:, '[^'{}]*')+)\}", sort_set, text)
        if isinstance(value, dict):
            return {
                self.clean(key, stack_id): self.clean(item, stack_id) for key, item in value.items()
            }
        if isinstance(value, list):
            return [self.clean(item, stack_id) for item in value]
        return value

    def note(
        self, job: Job, verdict: str, answer: Json, resources: Json, stack_id: str = ""
    ) -> None:
        """Keep one entry."""
        entry = {"file": job.file, "name": job.name, "version": job.version, "verdict": verdict}
        entry["value" if verdict == "value" else "message"] = self.clean(answer, stack_id)
        if resources:
            entry["resources"] = self.clean(resources, stack_id)
        self.entries.append(entry)

    def run(self, bundle: Bundle) -> None:
        """Record a bundle, dividing it as long as one of its cases spoils the rest."""
        single = len(bundle.jobs) == 1
        answer = self.heat.create(bundle.request())
        if answer.status != 201:
            if single:
                self.note(bundle.jobs[0], "refused", answer.message, None)
                self.entries[-1]["status"] = answer.status
            else:
                self.divide(bundle)
            return
        stack_id = str(answer.body["stack"]["id"])
        try:
            good = self.read(bundle, stack_id)
        finally:
            self.heat.delete(stack_id)
        if not good:
            self.divide(bundle)

    def divide(self, bundle: Bundle) -> None:
        """Record both halves."""
        for half in bundle.halves():
            self.run(half)

    def read(self, bundle: Bundle, stack_id: str) -> bool:
        """Note the outputs of a stack; False asks to divide the bundle."""
        single = len(bundle.jobs) == 1
        status = self.heat.settle(stack_id)
        answer = self.heat.call("GET", f"/stacks/{STACK}/{stack_id}")
        if answer.status != 200 or status != "CREATE_COMPLETE":
            if not single:
                return False
            reason = (
                answer.message
                if answer.status != 200
                else answer.body["stack"]["stack_status_reason"]
            )
            self.note(bundle.jobs[0], "error", reason, None, stack_id)
            return True
        outputs = {item["output_key"]: item for item in answer.body["stack"]["outputs"]}
        resources = self.resources(bundle, stack_id, outputs)
        for label, job in zip(bundle.labels(), bundle.jobs, strict=True):
            item = outputs[label]
            own = {name: resources[name] for name in job.section("resources") if name in resources}
            if item.get("output_error"):
                self.note(job, "error", item["output_error"], own, stack_id)
            else:
                self.note(job, "value", item["output_value"], own, stack_id)
        return True

    def resources(
        self, bundle: Bundle, stack_id: str, outputs: Mapping[str, Json]
    ) -> dict[str, Json]:
        """Reference and attributes of every resource that exists."""
        found: dict[str, Json] = {}
        for name in bundle.resources():
            answer = self.heat.call("GET", f"/stacks/{STACK}/{stack_id}/resources/{name}")
            if answer.status == 404:
                continue
            if answer.status != 200:
                raise Trouble(f"reading the resource {name}: {answer.status} {answer.message}")
            shown = answer.body["resource"]
            reference = outputs.get(f"reference.{name}", {}).get(
                "output_value", shown["physical_resource_id"]
            )
            found[name] = {"reference": reference, "attributes": shown.get("attributes") or {}}
        return found


def sort_set(match: re.Match[str]) -> str:
    """Put the members of a printed set in order."""
    return "{" + ", ".join(sorted(match[1].split(", "))) + "}"
