"""The regions that a configuration names."""

from pathlib import Path
from typing import Any

import pytest

from hotplate.resources.regions import Region, RemoteClouds
from hotplate.server.refusal import CannotStart
from hotplate.server.regions import regions_of, remote_clouds_of

FILE = Path("hotplate.toml")


def test_a_region_is_read_as_it_is_written() -> None:
    given = {
        "url": "https://far/v1/%(project_id)s",
        "token_file": "/etc/token",
        "credentials": {"ann": "/etc/ann"},
        "ca_file": "/etc/ca.pem",
        "allow_insecure": True,
        "projects": ["p"],
        "patience": 5,
    }
    assert regions_of(FILE, {"far": given}) == {
        "far": Region(
            "https://far/v1/%(project_id)s",
            Path("/etc/token"),
            {"ann": Path("/etc/ann")},
            Path("/etc/ca.pem"),
            True,
            ("p",),
            5,
        )
    }
    assert regions_of(FILE, {"far": {"url": "http://far"}})["far"] == Region("http://far")


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ([], r"write \[regions.NAME\]"),
        ({"far": 1}, r"write \[regions.far\]"),
        ({"far": {}}, "regions.far.url must be the address"),
        ({"far": {"url": "ftp://x"}}, "regions.far.url must be the address"),
        ({"far": {"url": "http://u:p@x"}}, "regions.far.url must be the address"),
        ({"far": {"uri": "http://x"}}, "there is no setting regions.far.uri; known are url"),
        ({"far": {"url": "http://x", "projects": [1]}}, "must be a list of texts"),
        ({"far": {"url": "http://x", "credentials": {"a": 1}}}, "must be a table of file names"),
        ({"far": {"url": "http://x", "patience": -1}}, "below 0"),
        ({"far": {"url": "http://x", "allow_insecure": 1}}, "must be true or false"),
    ],
)
def test_nonsense_is_refused(table: Any, words: str) -> None:
    with pytest.raises(CannotStart, match=words):
        regions_of(FILE, table)


def test_settings_for_all_clouds_stand_beside_the_regions() -> None:
    table = {"far": {"url": "http://far"}, "remote_auth_urls": ["https://k:5000/v3"]}
    assert list(regions_of(FILE, table)) == ["far"]
    assert remote_clouds_of(FILE, table) == RemoteClouds(("https://k:5000/v3",), False)
    assert remote_clouds_of(FILE, {"allow_insecure": True}) == RemoteClouds(None, True)
    assert remote_clouds_of(FILE, {"remote_auth_urls": []}) == RemoteClouds((), False)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"remote_auth_urls": "https://k"}, "must be a list of Keystones"),
        ({"remote_auth_urls": ["k:5000"]}, "must be a list of Keystones"),
        ({"remote_auth_urls": [7]}, "must be a list of Keystones"),
        ({"remote_auth_urls": ["https://u:p@k"]}, "must be a list of Keystones"),
        ({"allow_insecure": "yes"}, "allow_insecure must be true or false"),
    ],
)
def test_nonsense_for_all_clouds_is_refused(table: Any, words: str) -> None:
    with pytest.raises(CannotStart, match=words):
        remote_clouds_of(FILE, table)
