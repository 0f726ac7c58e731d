"""A golden case put to Hotplate's own template language."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotplate.document import InvalidDocument, from_data
from hotplate.template import (
    BoundTemplate,
    ResolveError,
    ResourceData,
    compile_template,
    parameter_values,
)
from tests.yaml_files import read_yaml

HERE = Path(__file__).parent
PROJECT = "0123456789abcdef0123456789abcdef"
STACK = "golden"
STACK_ID = "00000000-0000-4000-8000-000000000000"

_PSEUDO = {
    "OS::stack_name": STACK,
    "OS::stack_id": STACK_ID,
    "OS::project_id": PROJECT,
    "AWS::StackName": STACK,
    "AWS::StackId": f"arn:openstack:heat::{PROJECT}:stacks/{STACK}/{STACK_ID}",
    "AWS::Region": "ap-southeast-1",
}


@dataclass(frozen=True)
class Verdict:
    """What became of an expression: ``value``, ``error`` when resolved, ``refused`` before."""

    kind: str
    value: Any = None
    message: str = ""


def load_cases() -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (path.stem, case["name"]): case
        for path in sorted((HERE / "expressions").glob("*.yaml"))
        for case in read_yaml(path)
    }


def template_of(case: dict[str, Any], version: str) -> dict[str, Any]:
    """Return the template with the expression as its only output."""
    style, _, date = version.partition("-")
    if style not in ("cfn", "heat"):
        template: dict[str, Any] = {"heat_template_version": version}
        template["outputs"] = {"result": {"value": case["expression"]}}
        sections = {name: name for name in ("parameters", "conditions", "resources")}
    else:
        key = "AWSTemplateFormatVersion" if style == "cfn" else "HeatTemplateFormatVersion"
        template = {key: date, "Outputs": {"result": {"Value": case["expression"]}}}
        sections = {
            "parameters": "Parameters",
            "conditions": "Conditions",
            "resources": "Resources",
            "mappings": "Mappings",
        }
    for name, section in sections.items():
        if name in case:
            template[section] = case[name]
    return template


def judge(case: dict[str, Any], version: str, resources: dict[str, Any]) -> Verdict:
    """Resolve the expression with what Heat's resources were when it was recorded."""
    data = {
        name: ResourceData(resource["reference"], resource["attributes"])
        for name, resource in resources.items()
    }
    try:
        template = compile_template(from_data(template_of(case, version), "golden"))
        values = parameter_values(template, case.get("values", {}), pseudo=_PSEUDO)
        bound = BoundTemplate(template, values, files=case.get("files", {}))
    except InvalidDocument as error:
        return Verdict("refused", message=str(error))
    try:
        return Verdict("value", bound.output("result", data))
    except ResolveError as error:
        return Verdict("error", message=str(error))
