"""Values that differ only in kind are different, in updates and in what they are shown as."""

import json
from typing import Any

from tests.api.conftest import Api
from tests.api.trees import changed, made


def body(value: Any) -> dict[str, Any]:
    """One value as a property, in a group's members with batches, and in metadata."""
    member = {"type": "OS::Heat::Value", "properties": {"value": {"inner": [value]}}}
    group = {"count": 2, "resource_def": member}
    policy = {"rolling_update": {"max_batch_size": 1}}
    template = {
        "heat_template_version": "2021-04-16",
        "resources": {
            "one": {**member, "metadata": {"kind": value}},
            "group": {
                "type": "OS::Heat::ResourceGroup",
                "properties": group,
                "update_policy": policy,
            },
        },
        "outputs": {
            "one": {"value": {"get_attr": ["one", "value", "inner", 0]}},
            "group": {"value": {"get_attr": ["group", "value", "inner", 0]}},
        },
    }
    return {"template": template}


def test_one_true_and_one_point_zero_are_three_values(api: Api) -> None:
    path = made(api, "kinds", body(1))
    for value in (True, 1.0, 1, False, 0):
        changed(api, path, body(value), put=True)
        outputs = api.get(path).json()["stack"]["outputs"]
        found = {each["output_key"]: json.dumps(each["output_value"]) for each in outputs}
        assert found == {"one": json.dumps(value), "group": json.dumps([value, value])}
        metadata = api.get(f"{path}/resources/one/metadata").json()["metadata"]
        assert json.dumps(metadata) == json.dumps({"kind": value})
