"""Marked secrets, sent through the API in every way that a secret can go."""

import json
import time
from collections.abc import Callable
from typing import Any

import httpx

PATIENCE = 60

TEMPLATE = """
heat_template_version: wallaby
parameters:
  text: {type: string, hidden: true}
  listed: {type: comma_delimited_list, hidden: true}
  mapped: {type: json, hidden: true}
  number: {type: number, hidden: true}
  filed: {type: string, hidden: true}
  defaulted: {type: string, hidden: true}
  written: {type: string, hidden: true, default: %(written)s}
resources:
  a_text: {type: OS::Heat::Value, properties: {value: {get_param: text}}}
  derived:
    type: OS::Heat::Value
    properties:
      value: {list_join: ["-", [{get_attr: [a_text, value]}, {get_param: [listed, 0]}]]}
  a_map: {type: OS::Heat::Value, properties: {type: json, value: {get_param: mapped}}}
  a_number: {type: OS::Heat::Value, properties: {value: {get_param: number}}}
  from_file: {type: OS::Heat::Value, properties: {value: {get_param: filed}}}
  by_default: {type: OS::Heat::Value, properties: {value: {get_param: defaulted}}}
  from_template: {type: OS::Heat::Value, properties: {value: {get_param: written}}}
  literal:
    type: OS::Heat::Value
    metadata: {note: %(metadata)s}
    properties: {value: %(literal)s}
  child: {type: child.yaml, properties: {given: %(nested)s}}
  group:
    type: OS::Heat::ResourceGroup
    properties:
      count: 2
      resource_def: {type: OS::Heat::Value, properties: {value: %(grouped)s}}
  random: {type: OS::Heat::RandomString, properties: {length: 24}}
  config:
    type: OS::Heat::SoftwareConfig
    properties: {config: %(configured)s, options: {o: %(option)s}}
  handle: {type: OS::Heat::WaitConditionHandle}
outputs:
  random: {value: {get_attr: [random, value]}}
  derived: {value: {get_attr: [derived, value]}}
"""
CHILD = """
heat_template_version: wallaby
parameters:
  given: {type: string, hidden: true}
resources:
  inner: {type: OS::Heat::Value, properties: {value: {get_param: given}}}
  fixed: {type: OS::Heat::Value, properties: {value: %(child)s}}
outputs:
  out: {value: {get_attr: [inner, value]}}
"""
SMALL = """
heat_template_version: wallaby
parameters:
  text: {type: string, hidden: true, constraints: [{length: {min: 8}}]}
resources:
  held:
    type: OS::Heat::TestResource
    properties: {value: {get_param: text}, wait_secs: 0.2}
"""
TELLING = """
heat_template_version: wallaby
parameters:
  text: {type: string, hidden: true}
resources:
  kept: {type: OS::Heat::Value, properties: {value: {get_param: text}}}
  told: {type: OS::Heat::Value, properties: {type: number, value: {get_attr: [kept, value]}}}
"""
FLOW = """
version: '2.0'
flow:
  input: [given, kept: %(flow_default)s]
  output: {shown: <%% $.heard %%>}
  tasks:
    one:
      action: std.echo output=<%% $.given %%>
      publish: {heard: <%% task().result %%>, more: %(flow_published)s}
      on-success: two
    two: {action: std.noop}
"""


class Ways:
    """Sends each secret on its way; ``sent`` are those that went, by the name of the way."""

    def __init__(self, url: str, project: str = "project", mark: str = "Zq") -> None:
        self.mark = mark
        """What its secrets begin with."""

        self.sent: dict[str, str] = {}
        self.path = ""
        """Of the stack with most of them."""

        self._heat = httpx.Client(base_url=f"{url}/v1/{project}", timeout=PATIENCE)
        self._mistral = httpx.Client(
            base_url=f"{url}/v2", timeout=PATIENCE, headers={"X-Project-Id": project}
        )

    def secret(self, way: str) -> str:
        """Return a text that nothing else contains."""
        number = len(self.sent) + 10
        digits = "".join(str(ord(each)) for each in self.mark)
        found = (
            f"{number}7364{digits}{number}"
            if way == "number"
            else f"{self.mark}{number}-{way}-Xw{number}"
        )
        return self.sent.setdefault(way, found)

    def go(self) -> None:
        """Send them all, and wait until everything has ended."""
        self.stack()
        self._changes()
        self._software()
        self._workflows()

    def close(self) -> None:
        """End the connections."""
        self._heat.close()
        self._mistral.close()

    def stack(self) -> None:
        """Make, signal, snapshot, restore and patch a stack with most of them."""
        names = ("written", "metadata", "literal", "nested", "grouped", "configured", "option")
        body = {
            "stack_name": "ways",
            "template": TEMPLATE % {name: self.secret(name) for name in names},
            "files": {
                "child.yaml": CHILD % {"child": self.secret("child")},
                "env.yaml": json.dumps(
                    {
                        "parameters": {"filed": self.secret("filed")},
                        "parameter_defaults": {"defaulted": self.secret("defaulted")},
                    }
                ),
            },
            "environment_files": ["env.yaml"],
            "parameters": {
                "text": self.secret("text"),
                "listed": f"{self.secret('listed')},b",
                "mapped": {"a": [self.secret("mapped")]},
                "number": self.secret("number"),
            },
        }
        path = self.path = self.made(body)
        self.sent["random"] = self._ok(self._heat.get(f"{path}/outputs/random"))["output"][
            "output_value"
        ]
        self._ok(
            self._heat.post(
                f"{path}/resources/handle/signal",
                json={"data": self.secret("signal"), "id": "1", "status": "SUCCESS"},
            )
        )
        snapshot = self._ok(self._heat.post(f"{path}/snapshots", json={}))["id"]
        self._ended(path)
        self._ok(self._heat.post(f"{path}/snapshots/{snapshot}/restore"))
        self._ended(path)
        self.change("patched")

    def change(self, way: str) -> None:
        """Patch the stack with another secret."""
        parameters = {"text": self.secret(way)}
        self._ok(self._heat.request("PATCH", self.path, json={"parameters": parameters}))
        self._ended(self.path)

    def _changes(self) -> None:
        path = self.made(
            {"stack_name": "small", "template": SMALL, "parameters": {"text": self.secret("first")}}
        )
        self._heat.put(
            f"{path}/preview",
            json={"template": SMALL, "parameters": {"text": self.secret("previewed")}},
        )
        for way in ("overtaken", "overtaking"):
            body = {"template": SMALL, "parameters": {"text": self.secret(way)}}
            self._ok(self._heat.put(path, json=body))
        self._ended(path)
        failing = SMALL.replace("wait_secs: 0.2", "fail: true")
        body = {"template": failing, "parameters": {"text": self.secret("failed")}}
        self._ok(self._heat.put(path, json=body))
        self._ended(path, "UPDATE_FAILED")
        body = {"template": TELLING, "parameters": {"text": self.secret("in a reason")}}
        self.made({"stack_name": "telling", **body}, "CREATE_FAILED")
        body = {"template": SMALL, "parameters": {"text": self.secret("validated")}}
        body["template"] = SMALL.replace("min: 8", "min: 80")
        assert self._heat.post("/validate", json=body).status_code == 400
        body = {"template": SMALL, "parameters": {"text": self.secret("adopted")}}
        adopted = self.made({"stack_name": "given_away", **body})
        data = self._ok(self._heat.delete(f"{adopted}/abandon"))
        self.made({"stack_name": "taken", "adopt_stack_data": json.dumps(data)}, "ADOPT_COMPLETE")

    def _software(self) -> None:
        config = self._ok(
            self._heat.post(
                "/software_configs",
                json={
                    "name": "c",
                    "config": self.secret("config of its own"),
                    "inputs": [{"name": "i", "default": self.secret("input default")}],
                    "options": {"o": self.secret("option of its own")},
                },
            )
        )["software_config"]["id"]
        deployment = self._ok(
            self._heat.post(
                "/software_deployments",
                json={
                    "config_id": config,
                    "server_id": "server",
                    "input_values": {"i": self.secret("deployment input")},
                    "status": "IN_PROGRESS",
                },
            )
        )["software_deployment"]["id"]
        self._ok(
            self._heat.put(
                f"/software_deployments/{deployment}",
                json={
                    "output_values": {"o": self.secret("deployment output")},
                    "status": "COMPLETE",
                },
            )
        )

    def _workflows(self) -> None:
        text = FLOW % {way: self.secret(way) for way in ("flow_default", "flow_published")}
        self._ok(self._mistral.post("/workflows", content=text))
        self._ok(
            self._mistral.post(
                "/environments",
                json={"name": "e", "variables": {"v": self.secret("workflow environment")}},
            )
        )
        execution = self._ok(
            self._mistral.post(
                "/executions",
                json={
                    "workflow_name": "flow",
                    "input": {"given": self.secret("workflow input")},
                    "params": {"env": {"e": self.secret("workflow params")}},
                },
            )
        )["id"]
        self._until(
            lambda: self._ok(self._mistral.get(f"/executions/{execution}"))["state"] == "SUCCESS"
        )
        self._ok(
            self._mistral.post(
                "/cron_triggers",
                json={
                    "name": "t",
                    "workflow_name": "flow",
                    "pattern": "0 0 1 1 *",
                    "workflow_input": {"given": self.secret("trigger input")},
                    "workflow_params": {"env": {"p": self.secret("trigger params")}},
                },
            )
        )
        self._ok(
            self._mistral.post(
                "/action_executions",
                json={
                    "name": "std.echo",
                    "input": json.dumps({"output": self.secret("lone action")}),
                    "params": json.dumps({"save_result": True}),
                },
            )
        )

    def made(self, body: dict[str, Any], state: str = "CREATE_COMPLETE") -> str:
        """Make a stack and return its path when it has ended."""
        found = self._ok(self._heat.post("/stacks", json=body))["stack"]
        path = f"/stacks/{body['stack_name']}/{found['id']}"
        self._ended(path, state)
        return path

    def _ended(self, path: str, state: str = "") -> None:
        def is_over() -> bool:
            stack = self._ok(self._heat.get(path))["stack"]
            status: str = stack["stack_status"]
            if status.endswith("_IN_PROGRESS"):
                return False
            assert status == state or (not state and status.endswith("_COMPLETE")), stack
            return True

        self._until(is_over)

    def _until(self, is_over: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not is_over():
            assert time.monotonic() < end, "it takes too long"
            time.sleep(0.05)

    def _ok(self, answer: httpx.Response) -> Any:
        assert answer.is_success, answer.text
        is_json = "json" in answer.headers.get("content-type", "")
        return answer.json() if is_json and answer.content.strip() else None
