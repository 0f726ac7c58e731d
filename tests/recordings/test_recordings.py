"""Every story still asks what was recorded, and makes the same of the answers."""

import asyncio
import re
from pathlib import Path

import pytest

from tests.recordings import recording
from tests.recordings.recording import FOLDER, NEUTRAL_CLOUD, Exchange, exchange, load, save
from tests.recordings.stage import play
from tests.recordings.stories import STORIES
from tests.recordings.wires import DoesNotFit, PlayingWire

AGAIN = "make cloud, then: python -m tests.cloud.record"


@pytest.mark.parametrize("name", STORIES)
def test_a_story_fits_its_recording(name: str) -> None:
    recorded = STORIES[name]
    asyncio.run(play(name, recorded.story, recorded.user))


def test_every_recording_has_a_story() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == set(STORIES), AGAIN


@pytest.mark.parametrize("name", STORIES)
def test_no_recording_has_a_secret(name: str) -> None:
    text = (FOLDER / f"{name}.json").read_text()
    assert "gAAAA" not in text
    assert "BEGIN" not in text


def test_no_recording_has_a_path_of_the_machine_it_was_taken_on() -> None:
    for path in FOLDER.glob("*.json"):
        named = re.findall(
            r"(?<![\w.:-])/(?:root|home|usr|tmp|var|opt)/[^\s\"\\]*", path.read_text()
        )
        assert [each for each in named if not each.startswith(f"{NEUTRAL_CLOUD}/")] == [], path


def test_a_recording_names_a_neutral_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "FOLDER", tmp_path)
    answer = b'{"url": "file:///home/me/cloud/var/image", "text": "File \\"/home/me/cloud/x.py\\""}'
    made = exchange("GET", "http://s/x", {}, b"", 0, (200, {}, answer))
    save("story", [made], Path("/home/me/cloud"))
    assert load("story")[0].answer == {
        "url": f"file://{NEUTRAL_CLOUD}/var/image",
        "text": f'File "{NEUTRAL_CLOUD}/x.py"',
    }


def ask(wire: PlayingWire, method: str, path: str, body: bytes = b"") -> int:
    return asyncio.run(wire.send(method, f"http://s{path}", {}, body, 1)).status


def kept(method: str, path: str, after: int, status: int, body: bytes = b"") -> Exchange:
    return exchange(method, f"http://s{path}", {}, body, after, (status, {}, b""))


def test_another_request_does_not_fit() -> None:
    wire = PlayingWire([kept("POST", "/networks", 0, 201, b'{"a": 1}')])
    with pytest.raises(DoesNotFit, match="not recorded:\nPOST http://s/networks"):
        ask(wire, "POST", "/networks", b'{"a": 2}')
    with pytest.raises(DoesNotFit, match="no longer asked for"):
        wire.finish()
    assert ask(wire, "POST", "/networks", b'{"a": 1}') == 201
    wire.finish()


def test_a_change_does_not_fit_twice_but_a_poll_does() -> None:
    wire = PlayingWire([kept("GET", "/x", 0, 200), kept("DELETE", "/x", 0, 204)])
    assert [ask(wire, "GET", "/x"), ask(wire, "GET", "/x"), ask(wire, "DELETE", "/x")] == [
        *(200, 200, 204),
    ]
    with pytest.raises(DoesNotFit):
        ask(wire, "DELETE", "/x")


def test_what_came_after_a_change_is_not_seen_before() -> None:
    exchanges = [kept("GET", "/x", 0, 200), kept("DELETE", "/x", 0, 204), kept("GET", "/x", 1, 404)]
    wire = PlayingWire(exchanges)
    assert [ask(wire, method, "/x") for method in ("GET", "GET", "DELETE", "GET")] == [
        *(200, 200, 204, 404),
    ]
    wire.finish()
    with pytest.raises(DoesNotFit, match="before what it was recorded after"):
        ask(PlayingWire(exchanges[2:]), "GET", "/x")


def test_times_may_differ() -> None:
    wire = PlayingWire([kept("GET", "/servers?changes-since=2026-01-01T00:00:00Z", 0, 200)])
    assert ask(wire, "GET", "/servers?changes-since=2027-02-02T01%3A01%3A01Z") == 200


def test_passwords_and_tokens_are_left_out() -> None:
    said = (201, {"x-subject-token": "t"}, b'{"token": {}}')
    found = exchange("POST", "http://k/v3/auth/tokens", {}, b'{"auth": "pw"}', 0, said)
    assert (found.body, found.headers["x-subject-token"]) == ("left out", "left out")


def test_recordings_can_be_read() -> None:
    assert all(load(name) for name in STORIES)
