"""A file that lists environment files."""

from pathlib import Path

import pytest

from hotplate.client import environment_list
from hotplate.client.environment_list import listed_environments


@pytest.mark.parametrize(
    "text",
    ["a.yaml\nb c.yaml\n", "# all\n\n  a.yaml  # one\nb c.yaml", "- a.yaml\n- b c.yaml\n",
     '["a.yaml", "b c.yaml"]', "---\n- a.yaml\n- b c.yaml\n"],
)  # fmt: skip
def test_names_come_in_their_order_below_the_folder_of_the_list(tmp_path: Path, text: str) -> None:
    (tmp_path / "list").write_text(text, encoding="utf-8")
    found = listed_environments(str(tmp_path / "list"))
    assert found == [str(tmp_path / "a.yaml"), str(tmp_path / "b c.yaml")]


def test_a_name_may_come_twice_and_may_be_an_address_or_a_whole_path(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("/x/a\nhttps://example.com/e\n/x/a\n", encoding="utf-8")
    assert listed_environments(str(tmp_path / "list")) == ["/x/a", "https://example.com/e", "/x/a"]
    assert listed_environments((tmp_path / "list").as_uri())[0] == "file:///x/a"


def test_an_empty_list_lists_nothing(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("# nothing yet\n", encoding="utf-8")
    assert listed_environments(str(tmp_path / "list")) == []


@pytest.mark.parametrize("content", [b"- {a: b}\n", b"- 1\n", b"- [\n", b"\xff\xfe"])
def test_what_is_no_list_of_names_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "list").write_bytes(content)
    with pytest.raises(OSError, match=r"it is no list|UTF-8|list"):
        listed_environments(str(tmp_path / "list"))


def test_a_list_from_the_network_names_what_is_beside_it_and_nothing_of_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = b"a.yaml\n/top.yaml\n"
    monkeypatch.setattr(environment_list, "read_url", lambda url: text)
    assert listed_environments("https://example.com/envs/list") == [
        "https://example.com/envs/a.yaml",
        "https://example.com/top.yaml",
    ]
    text = b"file:///etc/passwd\n"
    with pytest.raises(OSError, match="of this machine"):
        listed_environments("https://example.com/envs/list")
