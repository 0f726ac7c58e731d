"""User data: what a guest is given at its first boot, in the format that the template chooses."""

import email
import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from typing import Any, Final
from urllib.parse import quote

from hotplate.resources.openstack.nova.server.guest_scripts import (
    BOOTHOOK,
    CLOUD_CONFIG,
    PART_HANDLER,
    RUN_USER_DATA,
)

RAW: Final = "RAW"
HEAT_CFNTOOLS: Final = "HEAT_CFNTOOLS"
SOFTWARE_CONFIG: Final = "SOFTWARE_CONFIG"
_FOLDERS: Final = ("/var/lib/heat-cfntools", "/var/lib/cloud/data")


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the message that cloud-init takes apart; ``kind`` is its sub-type of text."""

    name: str
    kind: str
    text: str

    def mime(self) -> MIMEText:
        """Return it as it stands in the message."""
        made = MIMEText(self.text, self.kind, "us-ascii" if self.text.isascii() else "utf-8")
        if self.name:
            made.add_header("Content-Disposition", f'attachment; filename="{self.name}"')
        return made


_PREPARING: Final = (
    Part("cloud-config", "cloud-config", CLOUD_CONFIG),
    Part("boothook.sh", "cloud-boothook", BOOTHOOK),
    Part("part-handler.py", "part-handler", PART_HANDLER),
)


def user_data(form: str, text: str, metadata: Mapping[str, Any], token: str) -> str:
    """Return user data as Nova takes it, nothing if there is none. Pure.

    ``metadata`` is what the guest finds in cfn-init-data. ``token`` is a text that who wrote the
    user data cannot know: no line of theirs can end a part.
    """
    if form == RAW:
        made = text
    elif form == SOFTWARE_CONFIG and (ignition := _ignition(text)) is not None:
        made = json.dumps(_with_metadata(ignition, metadata))
    else:
        parts = _cfntools(text) if form == HEAT_CFNTOOLS else _software(text)
        made = _message((*parts, *_init_data(metadata)), token)
    return b64encode(made.encode()).decode() if made else ""


def _cfntools(text: str) -> tuple[Part, ...]:
    return (
        *_PREPARING,
        Part("cfn-userdata", "x-cfninitdata", text),
        Part("loguserdata.py", "x-shellscript", RUN_USER_DATA),
    )


def _software(text: str) -> tuple[Part, ...]:
    message = email.message_from_string(text)
    if message.is_multipart():
        return (*_PREPARING, *_parts_of(message))
    return (*_PREPARING, Part("", "plain", text))


def _parts_of(message: Message) -> Iterator[Part]:
    for part in message.walk():
        if part.is_multipart():
            continue
        content = part.get_payload(decode=True)
        text = content.decode(errors="replace") if isinstance(content, bytes) else str(content)
        yield Part(part.get_filename() or "", part.get_content_subtype(), text)


def _init_data(metadata: Mapping[str, Any]) -> tuple[Part, ...]:
    if not metadata:
        return ()
    return (Part("cfn-init-data", "x-cfninitdata", json.dumps(metadata)),)


def _message(parts: Sequence[Part], token: str) -> str:
    boundary = f"==============={token.replace('-', '')}=="
    made = MIMEMultipart(boundary=boundary, _subparts=[each.mime() for each in parts])
    return made.as_string()


def _ignition(text: str) -> dict[str, Any] | None:
    """Return user data for Ignition, which takes no messages; None if it is something else."""
    try:
        found = json.loads(text)
    except ValueError:
        return None
    has_version = isinstance(found, dict) and isinstance(found.get("ignition"), dict)
    return found if has_version and found["ignition"].get("version") else None


def _with_metadata(ignition: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    if not metadata:
        return dict(ignition)
    address = f"data:,{quote(json.dumps(metadata))}"
    files = [
        {
            "path": f"{folder}/cfn-init-data",
            "mode": 0o640,
            "contents": {"source": address},
        }
        for folder in _FOLDERS
    ]
    storage = dict(ignition.get("storage") or {})
    return {
        **ignition,
        "storage": {**storage, "files": [*(storage.get("files") or ()), *files]},
    }
