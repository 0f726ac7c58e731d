"""Templates for the stories: groups in groups, a gate that waits, files that can fail."""

import json
from typing import Any

SERVER = {
    "heat_template_version": "wallaby",
    "parameters": {"content": {"type": "string"}},
    "resources": {
        "disk": {"type": "Hotplate::Directory::File", "properties": {"content": "disk"}},
        "server": {
            "type": "Hotplate::Directory::File",
            "properties": {
                "content": {"get_param": "content"},
                "tags": {"disk": {"get_resource": "disk"}},
            },
        },
    },
}


def shop(content: str = "one", kind: str = "file", size: int = 2) -> dict[str, Any]:
    """Return a recipe: behind a gate, a database and a group of servers, each a nested stack."""
    resources: dict[str, Any] = {
        "handle": {"type": "OS::Heat::WaitConditionHandle"},
        "gate": {
            "type": "OS::Heat::WaitCondition",
            "properties": {"handle": {"get_resource": "handle"}, "timeout": 3600},
        },
        "database": {
            "type": "Hotplate::Directory::File",
            "depends_on": "gate",
            "properties": {"kind": kind, "content": "database"},
        },
        "web": {
            "type": "OS::Heat::ResourceGroup",
            "depends_on": "database",
            "properties": {
                "count": size,
                "resource_def": {"type": "server.yaml", "properties": {"content": content}},
            },
        },
    }
    template = {
        "heat_template_version": "wallaby",
        "description": "A small shop",
        "parameters": {
            "size": {"type": "number", "default": 1, "description": "How many"},
            "password": {"type": "string", "hidden": True, "default": "hush"},
        },
        "resources": resources,
        "outputs": {"database": {"value": {"get_resource": "database"}, "description": "Its file"}},
    }
    return {
        "template": template,
        "files": {
            "server.yaml": json.dumps(SERVER),
            "base.yaml": "parameters:\n  size: 2\n",
            "site.yaml": "parameters:\n  size: 3\n",
        },
        "environment_files": ["base.yaml", "site.yaml"],
    }


PLAIN = {
    "heat_template_version": "wallaby",
    "resources": {
        "word": {"type": "OS::Heat::RandomString"},
        "group": {
            "type": "OS::Heat::ResourceGroup",
            "properties": {"count": 2, "resource_def": {"type": "OS::Heat::None"}},
        },
    },
}
"""Done in a moment."""
