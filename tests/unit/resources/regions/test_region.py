"""Which server a context means, and what it is told of us."""

import ssl
from pathlib import Path
from typing import Any

import pytest

from hotplate.resources import ResourceFailed
from hotplate.resources.regions import Access, Region, Regions


def private(folder: Path, name: str, text: str, mode: int = 0o600) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def access(region: Region, project: str = "mine", **context: Any) -> Access:
    return Regions({"north": region}).access(project, {"region_name": "north", **context})


def test_the_project_goes_into_the_address() -> None:
    for word in ("%(project_id)s", "%(tenant_id)s"):
        found = access(Region(f"http://far:1/v1/{word}/"), project="a/b")
        assert found.url == "http://far:1/v1/a%2Fb"
    assert found.token == ""


def test_a_token_is_read_when_it_is_needed_and_never_shown(tmp_path: Path) -> None:
    file = private(tmp_path, "token", "first\n")
    region = Region("http://far/v1/p", file, {"ann": private(tmp_path, "ann", "hers")})
    assert access(region).token == "first"
    file.write_text("second")
    assert access(region).token == "second"
    assert access(region, credential_secret_id="ann").token == "hers"
    assert "second" not in repr(access(region))


def test_a_token_that_others_can_read_is_not_used(tmp_path: Path) -> None:
    with pytest.raises(ResourceFailed, match="0600"):
        access(Region("http://far", private(tmp_path, "token", "x", 0o644)))
    with pytest.raises(ResourceFailed, match="cannot be read"):
        access(Region("http://far", tmp_path / "nowhere"))


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ({"region_name": "nroth"}, 'no region "nroth" for this project; did you mean "north"'),
        ({"region_name": "x"}, "known are north"),
        ({"credential_secret_id": "y"}, 'has no credential "y"'),
        ({"insecure": True}, "ask the operator to allow it"),
        ({"ca_cert": "nonsense"}, "certificates to trust cannot be read"),
    ],
)
def test_what_the_operator_has_not_set_up_is_refused(context: dict[str, Any], words: str) -> None:
    with pytest.raises(ResourceFailed, match=words):
        access(Region("https://far"), **context)


def test_a_region_may_be_for_some_projects_only() -> None:
    region = Region("http://far", projects=("yours",))
    assert access(region, project="yours").url == "http://far"
    with pytest.raises(ResourceFailed, match="there are none"):
        access(region)


def test_certificates_are_verified_unless_the_operator_lets_a_template_choose() -> None:
    assert isinstance(access(Region("https://far")).verify, ssl.SSLContext)
    assert access(Region("https://far", allow_insecure=True), insecure=True).verify is False
