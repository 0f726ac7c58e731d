"""Several commands on one stack: who gives way, and what each of them says of it."""

import json
import subprocess
from pathlib import Path

from tests.acceptance.command.shop import write_shop
from tests.acceptance.command.terminal import COMMAND, environment, piped, terminal
from tests.acceptance.serving import serving


def test_an_overtaken_update_says_by_whom_and_a_busy_stack_is_not_taken_unasked(
    tmp_path: Path,
) -> None:
    home = tmp_path
    write_shop(home)
    with serving(database=f"sqlite:///{home / 'shared.db'}") as served:
        where = ("--url", served.url)
        fast = ("up", "app.yaml", "--yes", "--parameter", "pace=0", *where)
        assert piped(*fast, home=home).returncode == 0
        # It waits at a hook, so it is busy until somebody takes over.
        held = "resource_registry: {resources: {network: {hooks: pre-update}}}\n"
        (home / "held.env.yaml").write_text(held, encoding="utf-8")
        slow = ("up", "app.yaml", "--yes", "-e", "held.env.yaml", "--parameter", "pace=0.1")
        with subprocess.Popen(
            [COMMAND, *slow, *where, "--output", "json"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            cwd=home,
            env=environment(home),
        ) as first:
            assert first.stdout is not None
            while "paused until Hook" not in (line := first.stdout.readline()):
                assert line, first.stderr

            refused = piped(*fast, home=home)
            assert refused.returncode == 5
            assert "app is busy: UPDATE_IN_PROGRESS" in refused.stderr
            assert "--take-over takes its place" in refused.stderr

            with terminal("up", "app.yaml", *fast[3:], home=home) as shown:
                shown.until("take over from what it is doing? [y/N]")
                shown.type("n\n")
                assert shown.end() == 5

            taken = piped(*fast, "--take-over", home=home)
            assert (taken.returncode, taken.stderr) == (0, "")
            assert "UPDATE_COMPLETE" in taken.stdout
            out, _ = first.communicate(timeout=60)
            assert first.returncode == 6
        result = json.loads(out.splitlines()[-1])
        assert (result["type"], result["exit_code"]) == ("result", 6)
        assert result["overtaken_by"]["action"] == "UPDATE"
        assert result["overtaken_by"]["user"] == "admin"
