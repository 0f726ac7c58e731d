"""Play a case on a service and take a picture after each step."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.comparison.files import serving_files
from tests.comparison.picture import Words, picture
from tests.comparison.service import DELETED, Refused, Service
from tests.yaml_files import read_yaml

CASES = Path(__file__).resolve().parent / "cases"
_BESIDE = {"parameters", "environment", "files", "until", "outputs"}
_ACTIONS = ("check", "suspend", "resume")


@dataclass(frozen=True, slots=True)
class Case:
    """A template and what is done with its stack, one step after the other."""

    name: str
    template: Mapping[str, Any]
    steps: tuple[Mapping[str, Any], ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, Any] = field(default_factory=dict)
    served: Mapping[str, Any] = field(default_factory=dict)
    """Files that are sent under an address, and can be fetched from it; $SERVED is where."""

    def titles(self) -> list[str]:
        """Return what the steps are called: their number and their verb."""
        return [f"{number} {_verb(step)}" for number, step in enumerate(self.steps, 1)]


def read_cases() -> dict[str, Case]:
    """Return every case by its name, that of its file."""
    return {path.stem: _read(path) for path in sorted(CASES.glob("*.yaml"))}


def play(service: Service, case: Case) -> dict[str, Any]:
    """Return a picture for each step of a case. The stack is gone afterwards."""
    # Letters alone: a digit could belong to the name of a member.
    suffix = "".join(chr(ord("a") + int(digit, 16)) for digit in uuid4().hex[:8])
    playing = _Playing(service, case, f"case{suffix}")
    with serving_files({name: _text(each) for name, each in case.served.items()}) as address:
        playing.served = address
        try:
            return {
                title: playing.step(step)
                for title, step in zip(case.titles(), case.steps, strict=True)
            }
        finally:
            playing.end()


class _Playing:
    served = ""

    def __init__(self, service: Service, case: Case, name: str) -> None:
        self._service = service
        self._name = name
        self._id = ""
        self._template = copy.deepcopy(dict(case.template))
        self._parameters = dict(case.parameters)
        self._environment = dict(case.environment)
        self._files = {
            **case.files,
            **{f"$SERVED/{name}": case.served[name] for name in case.served},
        }
        self._words = Words(name, service.project)

    def step(self, step: Mapping[str, Any]) -> dict[str, Any]:
        """Take a step and return the picture of what it led to."""
        verb = _verb(step)
        before = (self._template, self._parameters, self._environment, self._files)
        self._parameters = self._parameters | step.get("parameters", {})
        self._environment = _patched(self._environment, step.get("environment", {}))
        self._files = self._files | step.get("files", {})
        try:
            self._act(verb, step[verb] or {})
        except Refused as refusal:
            # The next step is about what there is.
            self._template, self._parameters, self._environment, self._files = before
            return {"refused": refusal.status, "message": self._words.plain(refusal.message)}
        self._wait(step.get("until", {}), step.get("outputs", {}))
        return picture(self._service, self._name, self._id, self._words)

    def end(self) -> None:
        """Delete the stack if it is still there."""
        if not self._id:
            return
        if self._service.stack(self._name, self._id)["stack_status"] != DELETED:
            self._ask("DELETE")
            self._wait({}, {})

    def _act(self, verb: str, given: Mapping[str, Any]) -> None:
        if verb == "create":
            body = self._body() | {"stack_name": self._name, **given}
            self._id = self._service.create(body)
        elif verb == "update":
            self._template = _patched(self._template, given)
            self._ask("PUT", body=self._body())
        elif verb == "signal":
            self._signal(given["to"], given.get("details"))
            self._service.settle()
        elif verb == "unhealthy":
            found = self._service.by_path(self._name, self._id)[given["resource"]]
            body = {"mark_unhealthy": True, "resource_status_reason": "seen by the case"}
            self._service.ask("PATCH", f"/stacks/{found.stack}/resources/{found.name}", body)
        elif verb in _ACTIONS:
            self._ask("POST", "/actions", {verb: None})
        elif verb == "delete":
            self._ask("DELETE")
        elif verb != "wait":
            raise ValueError(f"no step is called {verb}")

    def _signal(self, path: str, details: Any) -> None:
        """Signal a resource, given by its path."""
        found = self._service.by_path(self._name, self._id)[path]
        self._service.ask("POST", f"/stacks/{found.stack}/resources/{found.name}/signal", details)

    def _ask(self, method: str, path: str = "", body: Mapping[str, Any] | None = None) -> None:
        self._service.ask(method, f"/stacks/{self._name}/{self._id}{path}", body)

    def _body(self) -> dict[str, Any]:
        template = json.dumps(self._template).replace("$SERVED", self.served)
        return {
            "template": json.loads(template),
            "parameters": self._parameters,
            "environment": self._environment,
            "files": {
                name.replace("$SERVED", self.served): _text(each)
                for name, each in self._files.items()
            },
        }

    def _wait(self, statuses: Mapping[str, str], outputs: Mapping[str, Any]) -> None:
        """Wait for statuses of resources and values of outputs; without any, until all rests."""
        name, stack_id = self._name, self._id
        if outputs:
            self._service.until(lambda: self._gives(outputs), str(dict(outputs)))
        if not statuses:
            self._service.until(lambda: self._service.is_at_rest(name, stack_id), "the end")
            return

        def are_there() -> bool:
            found = self._service.by_path(name, stack_id)
            return all(
                path in found and found[path].row["resource_status"] == status
                for path, status in statuses.items()
            )

        self._service.until(are_there, str(dict(statuses)))
        # In progress is said before anything is done.
        self._service.settle()

    def _gives(self, outputs: Mapping[str, Any]) -> bool:
        found = {
            each["output_key"]: each.get("output_value")
            for each in self._service.stack(self._name, self._id).get("outputs") or ()
        }
        return all(found.get(name) == value for name, value in outputs.items())


def _verb(step: Mapping[str, Any]) -> str:
    verbs = set(step) - _BESIDE
    if len(verbs) != 1:
        raise ValueError(f"a step has one verb, not {sorted(verbs)}")
    return verbs.pop()


def _text(file: Any) -> str:
    return file if isinstance(file, str) else json.dumps(file)


def _patched(value: Any, patch: Any) -> Any:
    """Return a value with a patch: maps are merged, null removes a key, the rest is replaced."""
    if not isinstance(patch, Mapping) or not isinstance(value, Mapping):
        return copy.deepcopy(patch)
    merged = dict(value)
    for key, item in patch.items():
        if item is None:
            merged.pop(key, None)
        else:
            merged[key] = _patched(merged[key], item) if key in merged else copy.deepcopy(item)
    return merged


def _read(path: Path) -> Case:
    data = read_yaml(path)
    data.pop("what")
    steps = tuple({each: None} if isinstance(each, str) else each for each in data.pop("steps"))
    return Case(path.stem, data.pop("template"), steps, **data)
