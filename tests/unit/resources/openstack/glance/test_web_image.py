"""What is wrong with an image, and what an update of one asks for."""

from collections.abc import Mapping
from typing import Any

import pytest

from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.glance.image_states import IMPORTED
from hotplate.resources.openstack.glance.patch import patch
from hotplate.resources.openstack.glance.web_image import WebImage
from hotplate.resources.openstack.states import Progress

GIVEN = {"location": "http://h/i", "container_format": "bare", "disk_format": "raw"}


@pytest.mark.parametrize(
    ("properties", "fault"),
    [
        ({}, ""),
        ({"container_format": "ami", "disk_format": "ami"}, ""),
        ({"container_format": "ami", "disk_format": "raw"}, "do not go together"),
        ({"container_format": "ari", "disk_format": "aki"}, "do not go together"),
        ({"members": ["p"], "visibility": "shared"}, ""),
        ({"members": ["p"]}, "only if visibility is shared"),
    ],
)
def test_what_does_not_go_together(properties: Mapping[str, Any], fault: str) -> None:
    kind = WebImage()
    said = kind.validate(kind.convert({**GIVEN, **properties}))
    assert fault in said
    assert bool(said) == bool(fault)


def test_an_id_cannot_be_used_twice() -> None:
    kind = WebImage()
    assert "same id" in kind.replacement_refusal({"id": "a"}, {"id": "a", "name": "n"})
    assert not kind.replacement_refusal({"id": "a"}, {"id": "b"})
    assert not kind.replacement_refusal({"id": None}, {"id": None})


def changed(old: Mapping[str, Any], new: Mapping[str, Any]) -> CloudResource:
    kind = WebImage()
    before, after = kind.convert({**GIVEN, **old}), kind.convert({**GIVEN, **new})
    nothing: Any = None
    return CloudResource(nothing, nothing, nothing, after, before)


def test_a_patch_has_what_changes_and_nothing_else() -> None:
    it = changed(
        {"architecture": "arm", "extra_properties": {"a/b": 1, "gone": "x"}, "tags": ["t"]},
        {"os_distro": "debian", "extra_properties": {"a/b": True, "new": "y"}},
    )
    found = {"architecture": "arm", "a/b": "1", "gone": "x", "tags": ["t"], "owner": "p"}
    assert patch(it, found) == [
        {"op": "remove", "path": "/architecture"},
        {"op": "add", "path": "/os_distro", "value": "debian"},
        {"op": "replace", "path": "/tags", "value": []},
        {"op": "replace", "path": "/a~1b", "value": "true"},
        {"op": "remove", "path": "/gone"},
        {"op": "add", "path": "/new", "value": "y"},
    ]
    made = {"os_distro": "debian", "tags": [], "a/b": "true", "new": "y", "owner": "p"}
    assert not patch(it, made), "a call that was made already needs no other"


def test_a_failed_download_is_not_waited_for() -> None:
    assert IMPORTED.progress({"status": "queued"}) is Progress.GOING_ON
    failed = {"status": "queued", "os_glance_failed_import": "store"}
    assert IMPORTED.progress(failed) is Progress.FAILED
    assert IMPORTED.progress({"status": "active"}) is Progress.ENDED
