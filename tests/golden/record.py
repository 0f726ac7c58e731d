#!/usr/bin/env python3
"""Put the golden cases to a running Heat and write down what it answers.

The service is found through the usual ``OS_*`` variables (a password, Keystone
v3).  Every request uses one stack, always called
``golden``, so that the name can be part of a recorded value; the stack is
deleted again after each step.  See README.md beside this file.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import sys
import time
import urllib.parse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).resolve().parent
CASES = HERE / "expressions"
RECORDED = HERE / "recorded"

STACK = "golden"
RESULT = "result"
BATCH = 48
RESOURCE_BATCH = 24

STACK_ID = "00000000-0000-4000-8000-000000000000"
OTHER_ID = "11111111-1111-4111-8111-111111111111"
PROJECT_ID = "0123456789abcdef0123456789abcdef"
SUFFIX = "x" * 12

UUID = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b")

CASE_KEYS = frozenset(
    [
        "name",
        "versions",
        "parameters",
        "values",
        "conditions",
        "mappings",
        "resources",
        "files",
        "expression",
    ]
)
SECTIONS = ("parameters", "conditions", "mappings", "resources")

Json = Any


class Trouble(Exception):
    """The recording cannot go on."""


# ---------------------------------------------------------------- the service


@dataclass
class Answer:
    """Status and parsed body of one HTTP answer."""

    status: int
    body: Json

    @property
    def message(self) -> str:
        """Text of the fault, empty when there is none."""
        if isinstance(self.body, dict):
            error = self.body.get("error")
            if isinstance(error, dict):
                return str(error.get("message") or "")
        return "" if self.status < 400 else str(self.body)


def _exchange(
    method: str, url: str, headers: Mapping[str, str], body: Json = None
) -> tuple[Answer, dict[str, str]]:
    """Send one request; the answer's headers come back with lower-case names."""
    parts = urllib.parse.urlsplit(url)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=300)
    try:
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        fixed = {"Content-Type": "application/json", "Accept": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        connection.request(method, target, body=data, headers={**fixed, **headers})
        reply = connection.getresponse()
        raw = reply.read()
    finally:
        connection.close()
    try:
        parsed = json.loads(raw) if raw else None
    except ValueError:
        parsed = raw.decode("utf-8", "replace")
    sent = {name.lower(): value for name, value in reply.getheaders()}
    return Answer(reply.status, parsed), sent


class Heat:
    """The few calls of the orchestration API that are needed here."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self.token = ""
        self.project = ""
        self.endpoint = ""
        self._login(environ)

    def _login(self, environ: Mapping[str, str]) -> None:
        domain = environ.get("OS_USER_DOMAIN_ID", "default")
        project_domain = environ.get("OS_PROJECT_DOMAIN_ID", "default")
        try:
            identity = {
                "methods": ["password"],
                "password": {
                    "user": {
                        "name": environ["OS_USERNAME"],
                        "password": environ["OS_PASSWORD"],
                        "domain": {"id": domain},
                    }
                },
            }
            scope = {
                "project": {"name": environ["OS_PROJECT_NAME"], "domain": {"id": project_domain}}
            }
            url = environ["OS_AUTH_URL"].rstrip("/") + "/auth/tokens"
        except KeyError as missing:
            raise Trouble(f"{missing.args[0]} is not set") from missing
        answer, headers = _exchange(
            "POST", url, {}, {"auth": {"identity": identity, "scope": scope}}
        )
        if answer.status != 201:
            raise Trouble(f"no token: {answer.status} {answer.message}")
        token = answer.body["token"]
        self.token = headers["x-subject-token"]
        self.project = token["project"]["id"]
        region = environ.get("OS_REGION_NAME")
        for service in token["catalog"]:
            if service["type"] != "orchestration":
                continue
            for endpoint in service["endpoints"]:
                if endpoint["interface"] == "public" and region in (None, endpoint["region"]):
                    self.endpoint = endpoint["url"].rstrip("/")
        if not self.endpoint:
            raise Trouble("the catalog has no public orchestration endpoint")

    def call(self, method: str, path: str, body: Json = None) -> Answer:
        """One request relative to the project's endpoint."""
        return _exchange(method, self.endpoint + path, {"X-Auth-Token": self.token}, body)[0]

    def create(self, body: Json) -> Answer:
        """Ask for the stack; the name is free only a moment after a deletion completes."""
        for _ in range(50):
            answer = self.call("POST", "/stacks", body)
            if answer.status != 409:
                return answer
            time.sleep(0.2)
        raise Trouble(f"a stack {STACK} exists already: {answer.message}")

    def settle(self, stack_id: str) -> str:
        """Wait until no action is under way and give the stack's status."""
        while True:
            answer = self.call("GET", f"/stacks/{STACK}/{stack_id}?resolve_outputs=false")
            if answer.status == 404:
                return "DELETE_COMPLETE"
            if answer.status != 200:
                raise Trouble(f"reading the stack: {answer.status} {answer.message}")
            status = str(answer.body["stack"]["stack_status"])
            if not status.endswith("_IN_PROGRESS"):
                return status
            time.sleep(0.1)

    def delete(self, stack_id: str) -> None:
        """Delete the stack and wait for it."""
        answer = self.call("DELETE", f"/stacks/{STACK}/{stack_id}")
        if answer.status not in (204, 404):
            raise Trouble(f"deleting the stack: {answer.status} {answer.message}")
        if self.settle(stack_id) != "DELETE_COMPLETE":
            raise Trouble("the stack could not be deleted")


# ------------------------------------------------------------------ the cases


@dataclass(frozen=True)
class Job:
    """One case for one template version."""

    file: str
    name: str
    version: str
    case: Mapping[str, Json] = field(hash=False, compare=False)

    def section(self, name: str) -> dict[str, Json]:
        """A section of the case, empty when it is not given."""
        return dict(self.case.get(name) or {})

    @property
    def alone(self) -> bool:
        """Whether the case declares a pseudo parameter, which others may read."""
        return any("::" in name for name in self.section("parameters"))

    @property
    def hot(self) -> bool:
        """Whether the version belongs to the HOT family."""
        return is_hot(self.version)


def is_hot(version: str) -> bool:
    """Whether the version belongs to the HOT family."""
    return not version.startswith(("cfn-", "heat-"))


def load_cases(files: Sequence[Path]) -> list[Job]:
    """Read the case files; a malformed case stops the recording."""
    jobs: list[Job] = []
    for path in files:
        seen: set[str] = set()
        for raw in yaml.safe_load(path.read_text(encoding="utf-8")):
            unknown = set(raw) - CASE_KEYS
            if unknown or not {"name", "versions", "expression"} <= set(raw):
                raise Trouble(f"{path.name}: {raw.get('name')}: bad keys {sorted(unknown)}")
            if raw["name"] in seen:
                raise Trouble(f"{path.name}: {raw['name']} occurs twice")
            seen.add(raw["name"])
            require_text_keys(raw, f"{path.name}: {raw['name']}")
            jobs.extend(Job(path.stem, raw["name"], version, raw) for version in raw["versions"])
    return jobs


def require_text_keys(value: Json, where: str) -> None:
    """JSON knows only text keys: refuse others, which it would change silently."""
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise Trouble(f"{where}: the key {key!r} is not text")
            require_text_keys(item, where)
    elif isinstance(value, list):
        for item in value:
            require_text_keys(item, where)
    elif not isinstance(value, (str, int, float, type(None))):
        raise Trouble(f"{where}: {value!r} cannot be written as JSON")


def version_keys(version: str) -> tuple[str, str]:
    """Key and value which state the version in a template."""
    if version.startswith("cfn-"):
        return "AWSTemplateFormatVersion", version.removeprefix("cfn-")
    if version.startswith("heat-"):
        return "HeatTemplateFormatVersion", version.removeprefix("heat-")
    return "heat_template_version", version


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


# -------------------------------------------------------------- the recording


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


def sort_set(match: re.Match[str]) -> str:
    """Put the members of a printed set in order."""
    return "{" + ", ".join(sorted(match[1].split(", "))) + "}"


# ------------------------------------------------------ functions and versions

Use = tuple[Json, dict[str, Json]]

_PARAMETER = {"parameters": {"p": {"type": "string", "default": "v"}}}
_CFN_PARAMETER = {"parameters": {"p": {"Type": "String", "Default": "v"}}}
_RESOURCE = {"resources": {"r": {"type": "OS::Heat::Value", "properties": {"value": "v"}}}}
_CFN_RESOURCE = {"resources": {"r": {"Type": "OS::Heat::Value", "Properties": {"value": "v"}}}}

# The least correct use of each function: expression and sections, for HOT and for CFN.
MINIMAL: dict[str, Callable[[bool], Use]] = {
    "get_param": lambda hot: ({"get_param": "p"}, _PARAMETER if hot else _CFN_PARAMETER),
    "get_resource": lambda hot: ({"get_resource": "r"}, _RESOURCE if hot else _CFN_RESOURCE),
    "get_attr": lambda hot: ({"get_attr": ["r", "value"]}, _RESOURCE if hot else _CFN_RESOURCE),
    "get_file": lambda hot: ({"get_file": "f"}, {"files": {"f": "text"}}),
    "str_replace": lambda hot: ({"str_replace": {"template": "a", "params": {"a": "b"}}}, {}),
    "str_replace_strict": lambda hot: (
        {"str_replace_strict": {"template": "a", "params": {"a": "b"}}},
        {},
    ),
    "str_replace_vstrict": lambda hot: (
        {"str_replace_vstrict": {"template": "a", "params": {"a": "b"}}},
        {},
    ),
    "list_join": lambda hot: ({"list_join": [",", ["a", "b"]]}, {}),
    "str_split": lambda hot: ({"str_split": [",", "a,b"]}, {}),
    "repeat": lambda hot: ({"repeat": {"template": "%v%", "for_each": {"%v%": ["a"]}}}, {}),
    "digest": lambda hot: ({"digest": ["sha256", "a"]}, {}),
    "map_merge": lambda hot: ({"map_merge": [{"a": "b"}]}, {}),
    "map_replace": lambda hot: ({"map_replace": [{"a": "b"}, {"keys": {"a": "c"}}]}, {}),
    "yaql": lambda hot: ({"yaql": {"expression": "$.data.a", "data": {"a": 1}}}, {}),
    "if": lambda hot: ({"if": [True, "a", "b"]}, {}),
    "filter": lambda hot: ({"filter": [["a"], ["a", "b"]]}, {}),
    "make_url": lambda hot: ({"make_url": {"scheme": "http", "host": "h"}}, {}),
    "list_concat": lambda hot: ({"list_concat": [["a"], ["b"]]}, {}),
    "list_concat_unique": lambda hot: ({"list_concat_unique": [["a"], ["a"]]}, {}),
    "contains": lambda hot: ({"contains": ["a", ["a"]]}, {}),
    "equals": lambda hot: ({"equals": ["a", "a"]}, {}),
    "not": lambda hot: ({"not": False}, {}),
    "and": lambda hot: ({"and": [True, True]}, {}),
    "or": lambda hot: ({"or": [True, False]}, {}),
    "Ref": lambda hot: ({"Ref": "p"}, _PARAMETER if hot else _CFN_PARAMETER),
    "Fn::GetAtt": lambda hot: ({"Fn::GetAtt": ["r", "value"]}, _RESOURCE if hot else _CFN_RESOURCE),
    "Fn::FindInMap": lambda hot: (
        {"Fn::FindInMap": ["m", "k", "v"]},
        {} if hot else {"mappings": {"m": {"k": {"v": "x"}}}},
    ),
    "Fn::GetAZs": lambda hot: ({"Fn::GetAZs": ""}, {}),
    "Fn::Select": lambda hot: ({"Fn::Select": ["0", ["a"]]}, {}),
    "Fn::Join": lambda hot: ({"Fn::Join": [",", ["a", "b"]]}, {}),
    "Fn::Split": lambda hot: ({"Fn::Split": [",", "a,b"]}, {}),
    "Fn::Replace": lambda hot: ({"Fn::Replace": [{"a": "b"}, "a"]}, {}),
    "Fn::Base64": lambda hot: ({"Fn::Base64": "a"}, {}),
    "Fn::MemberListToMap": lambda hot: (
        {"Fn::MemberListToMap": ["Name", "Value", [".member.0.Name=a", ".member.0.Value=b"]]},
        {},
    ),
    "Fn::If": lambda hot: ({"Fn::If": [True, "a", "b"]}, {}),
    "Fn::Equals": lambda hot: ({"Fn::Equals": ["a", "a"]}, {}),
    "Fn::Not": lambda hot: ({"Fn::Not": [False]}, {}),
    "Fn::And": lambda hot: ({"Fn::And": [True, True]}, {}),
    "Fn::Or": lambda hot: ({"Fn::Or": [True, False]}, {}),
}

FACADES = {"resource_facade": "metadata", "Fn::ResourceFacade": "Metadata"}

# Condition functions which need an answer that is true or false.
CONDITIONS: dict[str, Callable[[bool], Use]] = {
    **MINIMAL,
    "get_param": lambda hot: (
        {"get_param": "p"},
        {"parameters": {"p": {"type": "boolean", "default": True}}},
    ),
    "Ref": lambda hot: (
        {"Ref": "p"},
        {"parameters": {"p": {"type": "boolean", "default": True}}}
        if hot
        else {"parameters": {"p": {"Type": "Boolean", "Default": True}}},
    ),
    "yaql": lambda hot: ({"yaql": {"expression": "$.data", "data": True}}, {}),
    "Fn::FindInMap": lambda hot: (
        {"Fn::FindInMap": ["m", "k", "v"]},
        {} if hot else {"mappings": {"m": {"k": {"v": True}}}},
    ),
}


def short_version(full: str) -> str:
    """`heat_template_version.2013-05-23` as the cases write it."""
    family, _, date = full.partition(".")
    prefix = {"AWSTemplateFormatVersion": "cfn-", "HeatTemplateFormatVersion": "heat-"}
    return prefix.get(family, "") + date


def listed_functions(heat: Heat, full: str, conditions: bool) -> list[str]:
    """The names which the service lists for a version."""
    query = "?with_condition_func=true" if conditions else ""
    answer = heat.call("GET", f"/template_versions/{full}/functions{query}")
    if answer.status != 200:
        raise Trouble(f"listing functions of {full}: {answer.status} {answer.message}")
    return sorted(item["functions"] for item in answer.body["template_functions"])


def template_versions(heat: Heat) -> list[dict[str, Json]]:
    """The versions which the service lists."""
    answer = heat.call("GET", "/template_versions")
    if answer.status != 200:
        raise Trouble(f"listing versions: {answer.status} {answer.message}")
    return list(answer.body["template_versions"])


def require_fresh(heat: Heat) -> None:
    """Stop when the engine has already been asked for condition functions.

    A Heat engine process which was asked once for them counts them among the
    ordinary functions from then on, in the listing and in templates alike.
    There may be several such processes, hence several questions.
    """
    for _ in range(12):
        if "equals" in listed_functions(heat, "heat_template_version.2021-04-16", conditions=False):
            raise Trouble(
                "this engine was asked for condition functions before; restart it and record again"
            )


def record_functions(heat: Heat) -> dict[str, Json]:
    """Names per version as the service lists them; afterwards the engine is not fresh any more."""
    items = template_versions(heat)
    plain = {
        item["version"]: listed_functions(heat, item["version"], conditions=False) for item in items
    }
    result: dict[str, Json] = {}
    for item in items:
        both = listed_functions(heat, item["version"], conditions=True)
        result[short_version(item["version"])] = {
            "aliases": sorted(short_version(alias) for alias in item.get("aliases", [])),
            "condition_functions": [name for name in both if name not in plain[item["version"]]],
            "functions": plain[item["version"]],
            "name": item["version"],
            "type": item["type"],
        }
    return result


def judge(entry: Mapping[str, Json], literal: Json) -> str:
    """How a single use fared: accepted, literal, error or refused."""
    if entry["verdict"] != "value":
        return str(entry["verdict"])
    return "literal" if entry["value"] == literal else "accepted"


def facade_job(version: str, function: str) -> Job:
    """A parent whose child, in the version asked for, looks at its facade."""
    key, date = version_keys(version)
    hot = key == "heat_template_version"
    call = {function: FACADES[function]}
    child = {key: date, "outputs" if hot else "Outputs": {"o": {"value" if hot else "Value": call}}}
    name = re.sub(r"\W", "", f"nested{version}{function}")
    case = {
        "expression": {"get_attr": [name, "o"]},
        "resources": {name: {"type": f"{name}.yaml", "metadata": {"a": "b"}}},
        "files": {f"{name}.yaml": json.dumps(child)},
    }
    return Job(version, function, "2021-04-16", case)


def record_matrix(heat: Heat, versions: Sequence[str]) -> dict[str, Json]:
    """Try every function in every version, as the value of an output."""
    jobs: list[Job] = []
    for version in versions:
        for function, use in MINIMAL.items():
            expression, sections = use(is_hot(version))
            jobs.append(Job("", function, version, {"expression": expression, **sections}))
    expressions = {(job.version, job.name): job.case["expression"] for job in jobs}
    result: dict[str, dict[str, str]] = {version: {} for version in versions}
    for entry in record_jobs(heat, jobs):
        place = (entry["version"], entry["name"])
        result[place[0]][place[1]] = judge(entry, expressions[place])
    for entry in record_jobs(
        heat, [facade_job(version, name) for version in versions for name in FACADES]
    ):
        name = entry["name"]
        verdict = judge(entry, {name: FACADES[name]})
        result[entry["file"]][name] = "error" if entry.get("value", "") is None else verdict
    return result


def record_conditions(heat: Heat, versions: Sequence[str]) -> dict[str, Json]:
    """Try every function in every version, as the definition of a condition."""
    jobs: list[Job] = []
    for version in versions:
        hot = is_hot(version)
        for number, (function, use) in enumerate(CONDITIONS.items()):
            definition, sections = use(hot)
            name = f"c{number}"
            case = {
                "expression": {"if" if hot else "Fn::If": [name, "yes", "no"]},
                "conditions": {name: definition},
            }
            jobs.append(Job("", function, version, {**sections, **case}))
    result: dict[str, dict[str, str]] = {version: {} for version in versions}
    for entry in record_jobs(heat, jobs):
        result[entry["version"]][entry["name"]] = judge(entry, None)
    return result


# --------------------------------------------------------------- command line


def write(name: str, content: Json) -> None:
    """Write one recorded file in the fixed form."""
    text = json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False)
    (RECORDED / name).write_text(text + "\n", encoding="utf-8")


def read(name: str) -> Json:
    """A recorded file, None when there is none yet."""
    path = RECORDED / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def record_expressions(heat: Heat, only: Sequence[str], *, reverse: bool) -> None:
    """Record the cases of all files, or of the named ones."""
    files = [path for path in sorted(CASES.glob("*.yaml")) if not only or path.stem in only]
    present = {path.stem for path in CASES.glob("*.yaml")}
    chosen = {path.stem for path in files}
    jobs = load_cases(files)
    recorded = record_jobs(heat, jobs[::-1] if reverse else jobs)
    old = read("expressions.json") or []
    kept = [entry for entry in old if entry["file"] in present - chosen]
    entries = kept + recorded
    entries.sort(key=lambda entry: (entry["file"], entry["name"], entry["version"]))
    write("expressions.json", entries)
    counts: dict[str, int] = {}
    for entry in entries:
        counts[entry["verdict"]] = counts.get(entry["verdict"], 0) + 1
    print(f"{len(entries)} entries: {counts}")


def main() -> int:
    """Record what the command line asks for."""
    parser = argparse.ArgumentParser(
        description="Record the answers of a running Heat to the golden cases."
    )
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="FILE", help="case files to record, without .yaml"
    )
    parser.add_argument(
        "--reverse",
        action="store_true",
        help="put the cases into other company; the recording must come out the same",
    )
    parser.add_argument(
        "--part",
        choices=["expressions", "functions", "matrix", "conditions"],
        action="append",
        help="what to record; everything when not given",
    )
    options = parser.parse_args()
    parts = options.part or ["expressions", "functions", "matrix", "conditions"]
    RECORDED.mkdir(exist_ok=True)
    try:
        heat = Heat(os.environ)
        require_fresh(heat)
        versions = sorted(short_version(item["version"]) for item in template_versions(heat))
        if "expressions" in parts:
            record_expressions(heat, options.only, reverse=options.reverse)
        if "matrix" in parts:
            write("function_matrix.json", record_matrix(heat, versions))
        if "conditions" in parts:
            write("condition_matrix.json", record_conditions(heat, versions))
        if "functions" in parts:
            write("functions.json", record_functions(heat))
    except Trouble as trouble:
        print(f"record: {trouble}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
