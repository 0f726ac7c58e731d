"""The real command in a pseudo-terminal: what a person sees and types."""

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.acceptance.command.shop import write_shop
from tests.acceptance.command.terminal import Terminal, piped, terminal
from tests.acceptance.serving import serving

COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:3\d|9\d|38;[\d;]+)m")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_shop(tmp_path)
    return tmp_path


def fits(shown: Terminal) -> str:
    """The screen, which no line has left and no traceback has reached."""
    text = shown.text()
    assert "Traceback" not in text
    assert all(len(line) <= shown.screen.columns for line in text.splitlines())
    return text


def frames(shown: Terminal) -> Iterator[str]:
    """Pictures of the screen until the command ends."""
    while shown.read(0.05):
        yield "\n".join(shown.screen.display)


@pytest.mark.parametrize("columns", [80, 200])
def test_a_stack_comes_up_before_the_eyes_changes_and_goes(home: Path, columns: int) -> None:
    slowly = ("--parameter", "pace=1")
    with terminal("up", "app.yaml", *slowly, home=home, columns=columns) as shown:
        plan = shown.until("Create app? [y/N]")
        assert "Plan for the new stack app: 7 to create" in plan
        assert re.search(r"\+ create +web\.0\.server +OS::Heat::TestResource", plan)
        shown.type("y\n")
        seen = list(frames(shown))
        assert shown.end() == 0
        text = fits(shown)
    running = [frame for frame in seen if "slowest: " in frame]
    assert any("▶ network" in frame and "4 waiting" in frame for frame in running)
    assert any(re.search(r"web +.*4 running", frame) for frame in running), running
    assert any(re.search(r"app  creating .* \d/7 ", frame) for frame in running)
    assert re.search(r"✓ web +.*4 done", text)
    assert "7/7  100%" in text
    assert "app: CREATE_COMPLETE after" in text
    assert "word: one" in text
    assert b"\x1b[32m" in shown.raw

    new = (*slowly, "-e", "new.env.yaml")
    with terminal("up", "app.yaml", *new, home=home, columns=columns) as shown:
        plan = shown.until("Update app? [y/N]")
        assert "3 to update in place, 2 to replace, 2 unchanged" in plan
        assert re.search(r"± replace +web\.1\.server", plan)
        assert "update_replace_value: old → new" in plan
        assert "cannot be made in place" in plan
        shown.type("y\n")
        assert shown.end() == 0
        text = fits(shown)
        assert "2 unchanged" in text
        assert "UPDATE_COMPLETE" in text

    with terminal("down", "app", home=home, columns=columns) as shown:
        list_ = shown.until("[y/N]")
        assert re.search(r"= kept +kept +", list_)
        assert list_.index("web.0.server") < list_.index("  network")
        shown.type("y\n")
        assert shown.end() == 0
        assert re.search(r"✓ kept .* kept", fits(shown))
        assert "app: DELETE_COMPLETE" in fits(shown)


def test_no_means_no(home: Path) -> None:
    with terminal("up", "app.yaml", home=home) as shown:
        shown.until("[y/N]")
        shown.type("n\n")
        assert shown.end() == 5
        assert "nothing was changed" in fits(shown)
    assert "no stacks yet" in piped("ls", home=home).stderr


def test_ctrl_c_at_the_question_means_no(home: Path) -> None:
    with terminal("up", "app.yaml", home=home) as shown:
        shown.until("[y/N]")
        shown.type("\x03")
        assert shown.end() == 5
        assert "nothing was changed" in fits(shown)
    with terminal("up", "app.yaml", home=home) as shown:
        shown.until("[y/N]")
        shown.process.terminate()
        assert shown.end() == -15
    assert "no stacks yet" in piped("ls", home=home).stderr


def test_a_plan_that_is_old_by_the_time_of_the_answer_is_not_carried_out(home: Path) -> None:
    database = f"sqlite:///{home / 'moved.db'}"
    with serving(database=database) as served:
        where = ("--parameter", "pace=0", "--url", served.url)
        assert piped("up", "app.yaml", "--yes", *where, home=home).returncode == 0
        new = ("-e", "new.env.yaml", "--only-if-unchanged")
        with terminal("up", "app.yaml", *new, *where, home=home) as shown:
            shown.until("Update app? [y/N]")
            other = ("--parameter", "word=two")
            assert piped("up", "app.yaml", "--yes", *other, *where, home=home).returncode == 0
            shown.type("y\n")
            assert shown.end() == 5
            assert "read it again, with `hotplate preview`" in " ".join(fits(shown).split())
        found = piped("outputs", "app", "word", "--url", served.url, home=home)
        assert found.stdout == "two\n"
        with terminal("down", "app", "--only-if-unchanged", *where[2:], home=home) as shown:
            shown.until("[y/N]")
            assert piped("up", "app.yaml", "--yes", *where, home=home).returncode == 0
            shown.type("y\n")
            assert shown.end() == 5
        assert "UPDATE_COMPLETE" in piped("ls", "--url", served.url, home=home).stdout


def test_what_takes_too_long_has_an_exit_code_of_its_own(home: Path) -> None:
    arguments = ("up", "app.yaml", "--yes", "--parameter", "pace=300", "--timeout", "1")
    with terminal(*arguments, home=home) as shown:
        shown.until("▶ network")
        with sqlite3.connect(home / ".local" / "share" / "hotplate" / "hotplate.db") as database:
            database.execute("update stack set deadline = 1.0 where deadline is not null")
        assert shown.end() == 4
        text = fits(shown)
        assert "app: CREATE_FAILED" in text
        assert "Timed out" in text


def test_a_failure_shows_its_own_words_first_and_can_be_repaired(home: Path) -> None:
    arguments = ("up", "app.yaml", "--yes", "--parameter", "broken=true")
    with terminal(*arguments, home=home) as shown:
        assert shown.end() == 1
        text = fits(shown)
    told = text[text.index("app: CREATE_FAILED") :]
    assert told.index("Test Resource failed server") < told.index("at web.0.server")
    assert "hotplate retry app" in told
    assert "hotplate why app web.0.server" in told
    with terminal("retry", "app", home=home) as shown:
        assert shown.end() == 1
        assert "app: UPDATE_FAILED" in fits(shown)
    with terminal("why", "app", "web.0.server", home=home) as shown:
        assert shown.end() == 0
        assert "← Test Resource failed server" in fits(shown)
    with terminal("up", "app.yaml", "--yes", home=home) as shown:
        assert shown.end() == 0
        assert "UPDATE_COMPLETE" in fits(shown)


def test_ctrl_c_pauses_where_there_is_no_server_and_attach_goes_on(home: Path) -> None:
    with terminal("up", "app.yaml", "--yes", "--parameter", "pace=2", home=home) as shown:
        shown.until("▶ network")
        shown.type("\x03")
        assert shown.end() == 130
        assert "paused; `hotplate attach app` continues" in fits(shown)
    assert "CREATE_IN_PROGRESS" in piped("ls", home=home).stdout
    with terminal("attach", "app", home=home) as shown:
        shown.until("creating")
        assert shown.end() == 0
        assert "app: CREATE_COMPLETE" in fits(shown)


def test_ctrl_c_detaches_from_a_server_which_goes_on(home: Path) -> None:
    database = f"sqlite:///{home / 'served.db'}"
    with serving(database=database) as served:
        where = ("--url", served.url)
        arguments = ("up", "app.yaml", "--yes", "--parameter", "pace=1", *where)
        with terminal(*arguments, home=home) as shown:
            shown.until("▶ network")
            shown.type("\x03")
            assert shown.end() == 130
            text = fits(shown)
            assert "detached, the server goes on; `hotplate attach app` follows it again" in (
                " ".join(text.split())
            )
        # The server has left its address beside the database: no need to name it.
        with terminal("attach", "app", "--database", database, home=home) as shown:
            assert shown.end() == 0
            assert "app: CREATE_COMPLETE" in fits(shown)
        done = piped("down", "app", "--yes", "--detach", *where, home=home)
        assert (done.returncode, done.stderr) == (0, "")
        assert "`hotplate attach app` follows it" in done.stdout


def test_no_color_means_none(home: Path) -> None:
    with terminal("up", "app.yaml", "--yes", home=home, NO_COLOR="1") as shown:
        assert shown.end() == 0
        assert "✓ network" in fits(shown)
    assert not COLOUR.search(shown.raw)


def test_a_terminal_that_knows_no_lines_gets_plain_signs(home: Path) -> None:
    arguments = ("up", "app.yaml", "--yes")
    with terminal(
        *arguments, home=home, LC_ALL="C", PYTHONCOERCECLOCALE="0", PYTHONUTF8="0"
    ) as shown:
        assert shown.end() == 0
        assert "+ network" in fits(shown)
    assert shown.raw.isascii()
