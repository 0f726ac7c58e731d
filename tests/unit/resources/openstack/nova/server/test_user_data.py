"""What a guest is given at its first boot."""

import email
import json
from base64 import b64decode
from typing import Any

from hotplate.resources.openstack.nova.server.user_data import user_data

TOKEN = "0f6f8f0e-1111-4222-8333-444455556666"


def made(form: str, text: str, metadata: dict[str, Any] | None = None) -> str:
    return b64decode(user_data(form, text, metadata or {}, TOKEN)).decode()


def parts(text: str) -> list[tuple[str | None, str, str]]:
    found = []
    for part in email.message_from_string(text).walk():
        if not part.is_multipart():
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            found.append((part.get_filename(), part.get_content_subtype(), content.decode()))
    return found


def test_raw_is_passed_on_as_it_is() -> None:
    assert made("RAW", "#!/bin/sh\necho ü\n") == "#!/bin/sh\necho ü\n"
    assert user_data("RAW", "", {"a": 1}, TOKEN) == ""


def test_cfntools_has_the_parts_that_heat_cfntools_looks_for() -> None:
    found = parts(made("HEAT_CFNTOOLS", "echo ü", {"AWS::CloudFormation::Init": {}}))
    assert [each[:2] for each in found] == [
        ("cloud-config", "cloud-config"),
        ("boothook.sh", "cloud-boothook"),
        ("part-handler.py", "part-handler"),
        ("cfn-userdata", "x-cfninitdata"),
        ("loguserdata.py", "x-shellscript"),
        ("cfn-init-data", "x-cfninitdata"),
    ]
    assert found[3][2] == "echo ü"
    assert json.loads(found[5][2]) == {"AWS::CloudFormation::Init": {}}
    assert len(parts(made("HEAT_CFNTOOLS", ""))) == 5, "no metadata, no part for it"


def test_the_programs_in_it_are_programs() -> None:
    for name, _, text in parts(made("HEAT_CFNTOOLS", "")):
        if name and name.endswith(".py"):
            compile(text, name, "exec")


def test_software_config_takes_a_message_apart() -> None:
    message = (
        'Content-Type: multipart/mixed; boundary="b"\nMIME-Version: 1.0\n\n'
        "--b\nContent-Type: text/x-shellscript\n"
        'Content-Disposition: attachment; filename="run.sh"\n\n'
        "echo\n--b--\n"
    )
    found = parts(made("SOFTWARE_CONFIG", message, {"deployments": []}))
    assert [each[:2] for each in found[3:]] == [
        ("run.sh", "x-shellscript"),
        ("cfn-init-data", "x-cfninitdata"),
    ]
    assert parts(made("SOFTWARE_CONFIG", "#!/bin/sh"))[3] == (None, "plain", "#!/bin/sh")


def test_ignition_gets_files_in_place_of_parts() -> None:
    text = json.dumps({"ignition": {"version": "3.3.0"}, "storage": {"files": [{"path": "/a"}]}})
    found = json.loads(made("SOFTWARE_CONFIG", text, {"deployments": []}))
    assert [each["path"] for each in found["storage"]["files"]] == [
        "/a",
        "/var/lib/heat-cfntools/cfn-init-data",
        "/var/lib/cloud/data/cfn-init-data",
    ]
    assert found["storage"]["files"][1]["contents"]["source"].startswith("data:,%7B%22deploy")


def test_nobody_can_end_a_part_from_within() -> None:
    text = "--===============guess==\nContent-Type: text/x-shellscript\n\nrm -rf /"
    assert [name for name, _, _ in parts(made("HEAT_CFNTOOLS", text))].count(None) == 0
