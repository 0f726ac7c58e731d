"""The story for which stored environments were asked: TripleO's overcloud.

An overcloud is made with many environment files: those that come with TripleO, among them one for
network isolation, and the user's own. When a newer TripleO ships a changed default, the user wants
that change, and neither to remember the other files nor to lose what was set in them.
"""

import json
from typing import Any

from tests.api.conftest import Api
from tests.api.trees import VERSION, changed, listed, made

OVERCLOUD = (
    VERSION
    + """
parameters:
  NtpServer: {type: string}
  TimeZone: {type: string, default: UTC}
resources:
  Compute:
    type: OS::Heat::ResourceGroup
    properties: {count: 2, resource_def: {type: OS::TripleO::Compute}}
  Clock:
    type: OS::Heat::TestResource
    properties: {value: {list_join: [" ", [{get_param: NtpServer}, {get_param: TimeZone}]]}}
"""
)
COMPUTE = (
    VERSION
    + """
parameters:
  NtpServer: {type: string}
resources:
  Port: {type: OS::TripleO::Compute::Port}
  Server: {type: OS::Heat::TestResource, properties: {value: {get_param: NtpServer}}}
"""
)
NO_PORT = VERSION + "resources: {None: {type: OS::Heat::None}}\n"
ISOLATED_PORT = VERSION + "resources: {Isolated: {type: OS::Heat::TestResource}}\n"

DEFAULTS = """\
resource_registry:
  OS::TripleO::Compute: compute.yaml
  OS::TripleO::Compute::Port: no_port.yaml
parameter_defaults:
  NtpServer: default.ntp.example
  TimeZone: UTC
"""
NETWORK_ISOLATION = """\
resource_registry:
  OS::TripleO::Compute::Port: isolated_port.yaml
"""
USERS = """\
parameter_defaults:
  NtpServer: ntp.mine.example
"""
NEWER_DEFAULTS = DEFAULTS.replace("default.ntp", "newer.ntp").replace("UTC", "Europe/Prague")


def test_a_changed_default_is_picked_up_and_the_users_later_file_still_wins(api: Api) -> None:
    sent: dict[str, Any] = {
        "template": OVERCLOUD,
        "files": {
            "compute.yaml": COMPUTE,
            "no_port.yaml": NO_PORT,
            "isolated_port.yaml": ISOLATED_PORT,
            "defaults.yaml": DEFAULTS,
            "network-isolation.yaml": NETWORK_ISOLATION,
            "user.yaml": USERS,
        },
        "environment_files": ["defaults.yaml", "network-isolation.yaml", "user.yaml"],
    }
    overcloud = made(api, "overcloud", sent)
    assert clock(api, overcloud) == "ntp.mine.example UTC"
    assert servers(api, overcloud) == ["ntp.mine.example"] * 2
    before = listed(api, overcloud, nested_depth="MAX")

    # The one file that has changed, and nothing else: no template, no list, no other file.
    changed(api, overcloud, {"files": {"defaults.yaml": NEWER_DEFAULTS}})

    assert clock(api, overcloud) == "ntp.mine.example Europe/Prague"
    assert servers(api, overcloud) == ["ntp.mine.example"] * 2
    ports = listed(api, overcloud, nested_depth="MAX", name="Isolated")
    assert len(ports) == 2
    assert not listed(api, overcloud, nested_depth="MAX", name="None")
    # Nothing was replaced on the way.
    after = listed(api, overcloud, nested_depth="MAX")
    same = "physical_resource_id"
    assert [item[same] for item in after] == [item[same] for item in before]

    environment = api.get(f"{overcloud}/environment", params={"origins": True}).json()
    assert environment["environment_files"] == sent["environment_files"]
    origins = {tuple(each["path"]): each for each in environment["origins"]}
    ntp = origins["parameter_defaults", "NtpServer"]
    assert (ntp["file"], ntp["line"]) == ("user.yaml", 2)
    assert [(each["file"], each["value"]) for each in ntp["overrode"]] == [
        ("defaults.yaml", "newer.ntp.example")
    ]
    zone = origins["parameter_defaults", "TimeZone"]
    assert (zone["file"], zone["line"], zone["overrode"]) == ("defaults.yaml", 6, [])


def test_a_default_that_is_listed_again_does_not_override_the_user(api: Api) -> None:
    """As TripleO's own client would send it, with the name in the list."""
    sent = {
        "template": VERSION + "parameters: {NtpServer: {type: string}}\n"
        "resources: {Clock: {type: OS::Heat::TestResource, properties: "
        "{value: {get_param: NtpServer}}}}\n",
        "files": {
            "defaults.yaml": json.dumps({"parameter_defaults": {"NtpServer": "old"}}),
            "user.yaml": USERS,
        },
        "environment_files": ["defaults.yaml", "user.yaml"],
    }
    path = made(api, "again", sent)
    newer = json.dumps({"parameter_defaults": {"NtpServer": "new"}})
    changed(api, path, {"files": {"defaults.yaml": newer}, "environment_files": ["defaults.yaml"]})
    assert clock(api, path) == "ntp.mine.example"
    # Only without the user's own word the default counts.
    changed(api, path, {"files": {"user.yaml": "{}"}})
    assert clock(api, path) == "new"


def clock(api: Api, path: str) -> str:
    (item,) = listed(api, path, name="Clock", with_detail=True)
    value: str = item["attributes"]["output"]
    return value


def servers(api: Api, path: str) -> list[str]:
    items = listed(api, path, nested_depth="MAX", name="Server", with_detail=True)
    return [item["attributes"]["output"] for item in items]
