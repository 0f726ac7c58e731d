"""Every function in every template version: what Heat lists, and what it makes of each use."""

import json
import re
from collections.abc import Callable, Mapping, Sequence

from tests.golden.cases import Job, is_hot, version_keys
from tests.golden.heat import Heat, Json, Trouble
from tests.golden.recorder import record_jobs

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
