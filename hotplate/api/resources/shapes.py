"""Schemas of what the API answers about trees of resources."""

from typing import Final

from hotplate.api.http.fields import Schema
from hotplate.api.http.shapes import listed, record, reference, text
from hotplate.api.resources.documents import RESOURCE
from hotplate.api.stacks.documents import SUMMARY

TREE: Final = reference("Tree")

COMPONENTS: Final[dict[str, Schema]] = {
    "Tree": {
        "allOf": [
            SUMMARY,
            record(
                {
                    "resources": listed(
                        {"allOf": [RESOURCE, record({}, {"stack": TREE, "hook": text()})]}
                    )
                }
            ),
        ]
    },
}
"""Schemas by the names that others refer to them by; some contain themselves."""
