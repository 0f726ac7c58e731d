"""OS::Heat::CloudConfig and OS::Heat::MultipartMime."""

import asyncio
import email
from typing import Any

import pytest
import yaml

from hotplate.model import SoftwareConfig
from hotplate.resources.heat.software.cloud_config import CloudConfig, MultipartMime
from hotplate.resources.resource_type import Done, ResourceFailed, ResourceType
from hotplate.software import ConfigDraft
from tests.unit.resources.acting import StillWorld, resource

CREATION_TOKEN = "0f6f8f0e-1111-4222-8333-444455556666"
OTHER = "11111111-2222-4333-8444-555555555555"


class Kept:
    """Configs in memory; one of them is there from the beginning."""

    def __init__(self, config: Any = "#!/bin/sh") -> None:
        self.other = SoftwareConfig(OTHER, "p", "o", "script", config, (), (), {}, 1.0)
        self.drafts: dict[str, ConfigDraft] = {}

    async def keep_config(self, project: str, config_id: str, draft: ConfigDraft) -> None:
        self.drafts.setdefault(config_id, draft)

    async def forget_config(self, project: str, config_id: str) -> None:
        self.drafts.pop(config_id, None)

    async def find_config(self, project: str, config_id: str) -> SoftwareConfig | None:
        return self.other if config_id == OTHER else None


def created(kind: ResourceType, kept: Kept, **given: Any) -> str:
    """Return the text of a new config, after a second try that changed nothing."""
    it = resource(kind, given, world=StillWorld({"software": kept}))
    done = asyncio.run(kind.create(it))
    assert asyncio.run(kind.create(it)) == done
    text = kept.drafts[CREATION_TOKEN].config
    assert done == Done(CREATION_TOKEN, CREATION_TOKEN, {"config": text})
    return str(text)


def parts(text: str) -> list[tuple[str, str | None, str]]:
    message = email.message_from_string(text)
    assert message.is_multipart()
    found = []
    for part in message.walk():
        if not part.is_multipart():
            content = part.get_payload(decode=True)
            assert isinstance(content, bytes)
            found.append((part.get_content_type(), part.get_filename(), content.decode()))
    return found


def test_a_map_becomes_a_text_for_cloud_init() -> None:
    kept = Kept()
    config = {"users": [{"name": "jörg"}], "packages": ["a", "b"]}
    text = created(CloudConfig(), kept, cloud_config=config)
    first, _, rest = text.partition("\n")
    assert first == "#cloud-config"
    assert yaml.safe_load(rest) == config
    assert kept.drafts[CREATION_TOKEN].group == "Heat::Ungrouped"
    assert kept.drafts[CREATION_TOKEN].name == "app-it-0f6f8f0e1111"


def test_it_goes_when_it_is_deleted() -> None:
    kept = Kept()
    created(CloudConfig(), kept, cloud_config={})
    it = resource(CloudConfig(), physical_id=CREATION_TOKEN, world=StillWorld({"software": kept}))
    assert asyncio.run(CloudConfig().delete(it)) == Done()
    assert not kept.drafts


def test_texts_and_configs_become_the_parts_of_a_message() -> None:
    kept = Kept()
    given = [
        {"config": "plain text"},
        {"config": OTHER, "subtype": "x-shellscript", "filename": "run.sh"},
        {"config": "grüße", "filename": "part-handler.py"},
        {"config": CREATION_TOKEN},
    ]
    text = created(MultipartMime(), kept, parts=given, group="g")
    assert parts(text) == [
        ("text/plain", None, "plain text"),
        ("text/x-shellscript", "run.sh", "#!/bin/sh"),
        ("text/part-handler", "part-handler.py", "grüße"),
        ("text/plain", None, CREATION_TOKEN),
    ]
    assert kept.drafts[CREATION_TOKEN].group == "g"


def test_a_message_is_taken_apart() -> None:
    inner = [{"config": "one", "subtype": "x-one"}, {"config": "zwölf", "filename": "two.txt"}]
    message = created(MultipartMime(), Kept(), parts=inner)
    text = created(
        MultipartMime(),
        Kept(message),
        parts=[{"config": OTHER, "type": "multipart"}, {"config": "x", "type": "multipart"}],
    )
    assert parts(text) == [
        ("text/x-one", None, "one"),
        ("text/two", "two.txt", "zwölf"),
    ]


def test_no_parts_make_an_empty_message() -> None:
    assert "multipart/mixed" in created(MultipartMime(), Kept())


def test_a_config_that_is_a_map_cannot_be_a_part() -> None:
    with pytest.raises(ResourceFailed, match="is not a text"):
        created(MultipartMime(), Kept({"a": 1}), parts=[{"config": OTHER}])


def test_a_message_in_a_charset_that_nobody_knows_fails() -> None:
    message = (
        'Content-Type: multipart/mixed; boundary="b"\n\n'
        '--b\nContent-Type: text/plain; charset="nothing"\n\nx\n--b--\n'
    )
    with pytest.raises(ResourceFailed, match='unknown charset "nothing"'):
        created(MultipartMime(), Kept(), parts=[{"config": message, "type": "multipart"}])
