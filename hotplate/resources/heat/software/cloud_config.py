"""OS::Heat::CloudConfig and OS::Heat::MultipartMime: configs that cloud-init understands."""

import email
from abc import ABC, abstractmethod
from collections.abc import Mapping
from email.message import Message
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from pathlib import PurePosixPath
from typing import Any, ClassVar
from uuid import UUID

import yaml

from hotplate.resources.capabilities import Adoptable, Showable
from hotplate.resources.heat.software.software_config import GROUP, SERVICE, Configs, kept_config
from hotplate.resources.property import Property, PropertyKind
from hotplate.resources.resource_type import (
    Creation,
    Done,
    Resource,
    ResourceFailed,
    Result,
)
from hotplate.resources.support import Support
from hotplate.software import ConfigDraft
from hotplate.template.constraint import AllowedValues


class _MadeText(Showable, Adoptable, ABC):
    """A config whose text is made from the properties. Any change makes a new config."""

    support = Support(version="2014.1")
    # The id is the creation token, and what is kept under it stays: a second creation makes
    # nothing new.
    creation = Creation.REPEATABLE
    attributes = {"config": "the text"}
    attribute_kinds = {"config": PropertyKind.STRING}

    @abstractmethod
    async def text(self, resource: Resource) -> str:
        """Return the text; the same whenever it is asked for. Raises ResourceFailed."""

    async def create(self, resource: Resource) -> Result:
        text = await self.text(resource)
        draft = ConfigDraft(
            name=resource.physical_name,
            group=resource.properties.get("group") or "Heat::Ungrouped",
            config=text,
        )
        await _configs(resource).keep_config(resource.project, resource.creation_token, draft)
        return Done(resource.creation_token, resource.creation_token, {"config": text})

    async def show(self, resource: Resource) -> Done:
        found = await kept_config(resource)
        return Done(found.id, found.id, {"config": str(found.config)})

    async def live_properties(self, resource: Resource) -> Mapping[str, Any]:
        # The text does not tell what it was made of, so managing it makes a new one.
        return dict.fromkeys(self.properties) if resource.is_external else {}

    async def delete(self, resource: Resource) -> Result:
        if resource.physical_id is not None:
            await _configs(resource).forget_config(resource.project, resource.physical_id)
        return Done()


class CloudConfig(_MadeText):
    """A map that is kept as a text which cloud-init takes for its configuration."""

    name = "OS::Heat::CloudConfig"
    properties: ClassVar[Mapping[str, Property]] = {
        "cloud_config": Property(PropertyKind.MAP, description="the configuration")
    }

    async def text(self, resource: Resource) -> str:
        dumped = yaml.safe_dump(
            resource.properties["cloud_config"], default_flow_style=False, allow_unicode=True
        )
        return f"#cloud-config\n{dumped}"


class MultipartMime(_MadeText):
    """Several configs in one message."""

    name = "OS::Heat::MultipartMime"
    properties: ClassVar[Mapping[str, Property]] = {
        "parts": Property(
            PropertyKind.LIST,
            default=[],
            items=Property(
                PropertyKind.MAP,
                schema={
                    "config": Property(required=True, description="a text, or the id of a config"),
                    "filename": Property(description="the name of the part"),
                    "type": Property(
                        default="text",
                        constraints=(AllowedValues(("text", "multipart")),),
                        description="whether it is a message whose parts are taken one by one",
                    ),
                    "subtype": Property(description="the kind of text"),
                },
            ),
            description="the parts of the message",
        ),
        "group": GROUP,
    }

    async def text(self, resource: Resource) -> str:
        parts: list[MIMEText] = []
        for entry in resource.properties["parts"]:
            content = await config_text(resource, entry["config"])
            if entry["type"] == "multipart":
                parts.extend(_taken_apart(content))
            else:
                parts.append(_part(content, entry["subtype"], entry["filename"]))
        # Who wrote the parts did not know the creation token, so no line of theirs can end one.
        boundary = f"==============={resource.creation_token.replace('-', '')}=="
        message = MIMEMultipart(boundary=boundary, _subparts=parts)
        return message.as_string()


async def config_text(resource: Resource, given: str) -> str:
    """Return the text that is meant by a text or the id of a config.

    An id that no config has is a text like any other.
    """
    if not _is_uuid(given):
        return given
    found = await _configs(resource).find_config(resource.project, given)
    if found is None:
        return given
    if not isinstance(found.config, str):
        raise ResourceFailed(f"the config {given} is not a text")
    return found.config


def _is_uuid(text: str) -> bool:
    try:
        return str(UUID(text)).replace("-", "") == text.lower().replace("-", "")
    except ValueError:
        return False


def _taken_apart(text: str) -> list[MIMEText]:
    """Return the parts of a message, whatever their encoding; of one that has none, nothing."""
    message = email.message_from_string(text)
    if not message.is_multipart():
        return []
    return [
        _part(_decoded(part), part.get_content_subtype(), part.get_filename())
        for part in message.walk()
        if not part.is_multipart()
    ]


def _decoded(part: Message) -> str:
    content = part.get_payload(decode=True)
    charset = part.get_content_charset("utf-8")
    try:
        return content.decode(charset, "replace") if isinstance(content, bytes) else str(content)
    except LookupError:
        raise ResourceFailed(
            f'a part of the message is in the unknown charset "{charset}"'
        ) from None


def _part(text: str, subtype: str | None, filename: str | None) -> MIMEText:
    subtype = subtype or (PurePosixPath(filename).stem if filename else "") or "plain"
    part = MIMEText(text, subtype, "us-ascii" if text.isascii() else "utf-8")
    if filename:
        part.add_header("Content-Disposition", "attachment", filename=filename)
    return part


def _configs(resource: Resource) -> Configs:
    configs: Configs = resource.world.service(SERVICE)
    return configs
