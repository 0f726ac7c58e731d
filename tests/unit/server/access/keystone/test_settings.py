from pathlib import Path

import pytest

from hotplate.server.configuration import configure
from hotplate.server.refusal import CannotStart

TABLE = """
[keystone]
auth_url = "https://keystone/v3"
username = "hotplate"
password = "pw"
project_name = "service"
region_name = "R1"
"""
VARIABLES = {
    "OS_AUTH_URL": "https://keystone/v3",
    "OS_USERNAME": "hotplate",
    "OS_PASSWORD": "pw",
    "OS_PROJECT_NAME": "service",
}


def written(folder: Path, text: str, mode: int = 0o600) -> Path:
    file = folder / "hotplate.toml"
    file.write_text(text, encoding="utf-8")
    file.chmod(mode)
    return file


def test_the_table_names_the_servers_own_user(tmp_path: Path) -> None:
    text = f'{TABLE}www_authenticate_uri = "https://public/v3"\nremember_seconds = 5\n'
    found = configure({}, {"HOME": str(tmp_path)}, written(tmp_path, text))
    assert found.auth == "keystone"
    assert found.keystone is not None
    assert found.keystone.service_user.auth["username"] == "hotplate"
    assert found.keystone.service_user.region == "R1"
    assert found.keystone.www_authenticate_uri == "https://public/v3"
    assert found.keystone.remember_seconds == 5
    assert found.keystone.service_token_roles == ("service",)


def test_the_variables_name_it_too_and_then_no_stack_is_made_by_that_user(tmp_path: Path) -> None:
    found = configure({"auth": "keystone"}, {"HOME": str(tmp_path), **VARIABLES})
    assert found.keystone is not None
    assert found.keystone.service_user.auth["username"] == "hotplate"
    assert found.keystone.www_authenticate_uri == "https://keystone/v3"
    assert found.os_cloud is None


def test_a_cloud_of_clouds_yaml_names_it_too(tmp_path: Path) -> None:
    clouds = tmp_path / "clouds.yaml"
    clouds.write_text("clouds: {own: {auth: {auth_url: https://k, username: me, password: pw}}}")
    environ = {"HOME": str(tmp_path), "OS_CLIENT_CONFIG_FILE": str(clouds)}
    file = written(tmp_path, '[keystone]\ncloud = "own"\n')
    found = configure({}, environ, file)
    assert found.keystone is not None
    assert found.keystone.service_user.auth["username"] == "me"
    flagged = configure({"auth": "keystone", "os_cloud": "own"}, environ)
    assert flagged.keystone is not None
    assert flagged.os_cloud is None


def test_the_password_may_stand_in_a_file_of_its_own(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("pw\n")
    secret.chmod(0o600)
    text = TABLE.replace('password = "pw"', f'password_file = "{secret}"')
    found = configure({}, {"HOME": str(tmp_path)}, written(tmp_path, text, 0o644))
    assert found.keystone is not None
    assert found.keystone.service_user.auth["password"] == "pw"
    secret.chmod(0o644)
    with pytest.raises(CannotStart, match="chmod 0600"):
        configure({}, {"HOME": str(tmp_path)}, written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "mode", "words"),
    [
        (TABLE, 0o644, "holds a password and has mode 0644"),
        (f"{TABLE}usrname = 1\n", 0o600, "no setting keystone.usrname; did you mean"),
        (f"{TABLE}remember_seconds = 61\n", 0o600, "is above 60"),
        (f"{TABLE}insecure = 1\n", 0o600, "must be true or false"),
        (f'{TABLE}service_token_roles = "service"\n', 0o600, "must be a list of texts"),
        ("[keystone]\nremember_seconds = 5\n", 0o600, "needs the server's own user of Keystone"),
    ],
)
def test_a_table_that_is_wrong_is_refused(tmp_path: Path, text: str, mode: int, words: str) -> None:
    with pytest.raises(CannotStart, match=words):
        configure({}, {"HOME": str(tmp_path)}, written(tmp_path, text, mode))


def test_tokens_of_a_file_do_not_count_beside_keystone(tmp_path: Path) -> None:
    with pytest.raises(CannotStart, match="--auth keystone takes no tokens"):
        configure({"auth": "keystone", "auth_tokens": "t"}, {"HOME": str(tmp_path), **VARIABLES})
