from pathlib import Path

import pytest

from hotplate.server.address import Address
from hotplate.server.configuration import configure
from hotplate.server.refusal import CannotStart

HOME = {"HOME": "/home/me"}


def written(folder: Path, text: str) -> Path:
    file = folder / "hotplate.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_without_anything_one_user_on_one_machine_is_served() -> None:
    found = configure({}, {"HOME": "/nowhere"})
    assert found.listen == Address("127.0.0.1", 8004)
    assert found.database == "sqlite:////nowhere/.local/share/hotplate/hotplate.db"
    assert (found.auth, found.objects, found.host_names) == ("none", None, ())


def test_state_goes_where_the_desktop_says() -> None:
    found = configure({}, {"XDG_DATA_HOME": "/data", **HOME})
    assert found.database == "sqlite:////data/hotplate/hotplate.db"


def test_a_flag_beats_the_environment_and_that_beats_the_file(tmp_path: Path) -> None:
    text = '[server]\nlisten = "127.0.0.1:1"\ndatabase = "sqlite:///f"\nlog_level = "error"\n'
    environ = {"HOTPLATE_LISTEN": "127.0.0.1:2", "HOTPLATE_DATABASE": "sqlite:///e", **HOME}
    flags = {"listen": "127.0.0.1:3", "database": None}
    found = configure(flags, environ, written(tmp_path, text))
    assert found.listen.port == 3
    assert found.database == "sqlite:///e"
    assert found.log_level == "error"


def test_the_file_is_found_in_its_usual_place_or_where_the_environment_says(tmp_path: Path) -> None:
    (tmp_path / "hotplate").mkdir()
    file = written(tmp_path / "hotplate", '[server]\nlisten = "127.0.0.1:7"\n')
    usual = configure({}, {"XDG_CONFIG_HOME": str(tmp_path), **HOME})
    named = configure({}, {"HOTPLATE_CONFIG": str(file), **HOME})
    assert usual.listen.port == named.listen.port == 7


def test_limits_are_set_in_the_file(tmp_path: Path) -> None:
    text = '[limits]\nmost_stacks = 5\nhidden_tags = ["x"]\ncan_adopt = false\n'
    limits = configure({}, HOME, written(tmp_path, text)).limits
    assert (limits.most_stacks, limits.hidden_tags, limits.can_adopt) == (5, ("x",), False)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[server]\nlisen = 'x'\n", 'no setting server.lisen; did you mean "listen"?'),
        ("[servers]\n", 'no setting servers; did you mean "server"?'),
        ("[server]\nlisten = 8004\n", "server.listen must be a text"),
        ("[server]\nhost_names = 'a'\n", "server.host_names must be a list of texts"),
        ("[limits]\nmost_stacks = true\n", "limits.most_stacks must be a whole number"),
        ("[limits]\nmost_stacks = -1\n", "limits.most_stacks is below 0"),
        ("server = 1\n", "write \\[server\\]"),
        ("[server\n", "is not TOML"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(CannotStart, match=words.replace("?", r"\?")) as fault:
        configure({}, HOME, written(tmp_path, text))
    assert fault.value.code == 2


def test_a_file_that_is_named_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="cannot be read: No such file"):
        configure({}, HOME, tmp_path / "missing.toml")


def test_tokens_mean_that_they_are_asked_for() -> None:
    assert configure({"auth_tokens": "/t"}, HOME).auth == "token-file"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"auth": "token-file"}, "needs the file"),
        ({"auth": "none", "auth_tokens": "/t"}, "takes no tokens"),
        ({"auth": "kerberos"}, 'auth: "kerberos" is not one of none, token-file, keystone'),
        ({"listen": "0.0.0.0:80"}, "lets every machine"),
        ({"log_level": "loud"}, "is not one of debug"),
    ],
)
def test_what_makes_no_sense_is_refused(flags: dict[str, str], words: str) -> None:
    with pytest.raises(CannotStart, match=words):
        configure(flags, HOME)


def test_other_machines_are_let_in_with_tokens_or_when_it_is_said() -> None:
    everywhere = {"listen": "0.0.0.0:80"}
    assert not configure({**everywhere, "auth_tokens": "/t"}, HOME).is_open_to_others
    said = configure(everywhere, {"HOTPLATE_ALLOW_REMOTE_WITHOUT_AUTH": "yes", **HOME})
    assert said.is_open_to_others


def test_a_switch_is_true_or_false() -> None:
    with pytest.raises(CannotStart, match="neither true nor false"):
        configure({}, {"HOTPLATE_ALLOW_REMOTE_WITHOUT_AUTH": "maybe", **HOME})


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://plate.example.org", "https://plate.example.org"),
        ("http://10.0.0.1:8004/", "http://10.0.0.1:8004"),
        ("https://example.org/plate/v1/", "https://example.org/plate"),
        ("", ""),
    ],
)
def test_the_address_that_others_are_told(text: str, url: str) -> None:
    found = configure({"public_url": text, "host_names": ("a",)}, HOME)
    assert found.public_url == url
    assert len(found.names) == (2 if text else 1)


@pytest.mark.parametrize(
    "text",
    ["plate.example.org", "ftp://x", "http://", "http://x:port", "http://x?y", "http://me@x"],
)
def test_an_address_that_leads_nowhere_is_refused(text: str) -> None:
    with pytest.raises(CannotStart, match="--public-url"):
        configure({"public_url": text}, HOME)


@pytest.mark.parametrize(
    "text",
    [
        '[server]\ndatabase = "postgresql://me:hush@db/hotplate"\n',
        '[workflows.mistral]\nurl = "http://m"\npassword = "hush"\n',
    ],
)
def test_a_configuration_with_a_password_is_for_nobody_else(tmp_path: Path, text: str) -> None:
    file = written(tmp_path, text)
    file.chmod(0o644)
    with pytest.raises(CannotStart, match="holds a password and has mode 0644") as refused:
        configure({}, HOME, file)
    assert "hush" not in str(refused.value)
    file.chmod(0o600)
    configure({}, HOME, file)


def test_a_configuration_without_secrets_may_be_read_by_others(tmp_path: Path) -> None:
    file = written(tmp_path, '[server]\ndatabase = "postgresql://db/hotplate"\n')
    file.chmod(0o644)
    assert configure({}, HOME, file).database == "postgresql://db/hotplate"


def test_the_broker_is_named_in_the_file_or_the_environment_and_its_password_is_not_shown(
    tmp_path: Path,
) -> None:
    file = written(tmp_path, '[server]\nbroker = "amqp://me:hunter2@rabbit/v"\n')
    file.chmod(0o600)
    found = configure({}, HOME, file)
    assert found.broker == "amqp://me:hunter2@rabbit/v"
    assert "hunter2" not in repr(found)
    assert configure({}, {"HOTPLATE_BROKER": "amqps://r", **HOME}).broker == "amqps://r"
    file.chmod(0o644)
    with pytest.raises(CannotStart, match="holds a password"):
        configure({}, HOME, file)


@pytest.mark.parametrize("url", ["http://me:hunter2@rabbit", "rabbit", "amqp://", "amqp://h:x"])
def test_what_is_no_address_of_a_broker_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(CannotStart, match="not the URL of a RabbitMQ") as fault:
        configure({}, {"HOTPLATE_BROKER": url, **HOME})
    assert "hunter2" not in str(fault.value)
