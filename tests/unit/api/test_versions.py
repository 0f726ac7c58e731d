"""The version in an address, or in the Accept header."""

import pytest

from hotplate.api.versions import Version, wanted_version

ACCEPT = "text/html, application/vnd.openstack.orchestration-v1;q=0.5"


@pytest.mark.parametrize(
    ("path", "accept", "version"),
    [
        ("/v1/p/stacks", "", Version("/v1", "/p/stacks", is_known=True)),
        ("/v1.0/p", "", Version("/v1.0", "/p", is_known=True)),
        ("/v1", "", Version("/v1", "/", is_known=True)),
        ("/v2/p", "", Version("/v2", "/p", is_known=True, is_of_workflows=True)),
        ("/v3/p", "", Version("/v3", "/p", is_known=False)),
        ("/v1.1/p", "", Version("/v1.1", "/p", is_known=False)),
        ("/", "", Version("", "/", is_known=False)),
        ("/versions", "", Version("", "/", is_known=False)),
        ("/p/stacks", ACCEPT, Version("", "/p/stacks", is_known=True)),
        ("/p/stacks", "application/json", None),
        ("/v1x/p", "", None),
    ],
)
def test_the_version_that_is_wanted(path: str, accept: str, version: Version | None) -> None:
    assert wanted_version(path, accept) == version
