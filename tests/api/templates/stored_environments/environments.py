"""Stacks with stored environments, and what can be asked of them."""

import json
from itertools import count
from typing import Any

from tests.api.conftest import Api
from tests.api.trees import VERSION, made

TEMPLATE = (
    VERSION
    + """
parameters:
  p: {type: string, default: from the template}
  q: {type: string, default: from the template}
  labels: {type: json, default: {}}
  names: {type: comma_delimited_list, default: []}
  size: {type: number, default: 0}
  flag: {type: boolean, default: false}
  secret: {type: string, hidden: true, default: nothing}
resources:
  thing:
    type: OS::Heat::TestResource
    properties: {value: {list_join: ["-", [{get_param: p}, {get_param: secret}]]}}
outputs:
  p: {value: {get_param: p}}
  q: {value: {get_param: q}}
  labels: {value: {get_param: labels}}
"""
)
INNER_TEMPLATE = (
    VERSION
    + """
parameters:
  inner: {type: string, hidden: true, default: x}
  passed: {type: string, hidden: true, default: x}
  plain: {type: string, default: x}
resources:
  leaf:
    type: OS::Heat::TestResource
    properties:
      value: {list_join: [" ", [{get_param: inner}, {get_param: plain}]]}
      client_name: {get_param: passed}
"""
)
EMPTY: dict[str, Any] = {
    "parameters": {},
    "parameter_defaults": {},
    "resource_registry": {},
    "event_sinks": [],
    "encrypted_param_names": [],
}
numbers = count()
"""Stacks are called by them, so that no two have the same name."""


def values(**parameters: Any) -> str:
    return json.dumps({"parameters": parameters})


AB = {"a": values(p="a", q="a"), "b": values(p="b")}


def body(*names: str, files: dict[str, str], **more: Any) -> dict[str, Any]:
    return {"template": TEMPLATE, "files": files, "environment_files": list(names), **more}


def new(api: Api, *names: str, files: dict[str, str], **more: Any) -> str:
    return made(api, f"stack-{next(numbers)}", body(*names, files=files, **more))


def environment(api: Api, path: str, **query: Any) -> dict[str, Any]:
    answer = api.get(f"{path}/environment", params=query)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def in_effect(api: Api, path: str, name: str = "p") -> Any:
    """Return the value with which a stack works."""
    return api.get(f"{path}/outputs/{name}").json()["output"]["output_value"]


def refusal(api: Api, sent: dict[str, Any], method: str = "POST", path: str = "/stacks") -> str:
    sent = {"stack_name": "refused", **sent} if method == "POST" else sent
    answer = api.request(method, path, json=sent)
    assert answer.status_code == 400, answer.text
    message: str = answer.json()["error"]["message"]
    return message
