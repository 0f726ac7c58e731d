"""std.ssh and std.ssh_proxied: a command on another machine. Off unless the operator allows it.

The ssh program of this machine does it, without prompting: with a private key that
the task gives, or those of the user that the server runs as.
"""

import asyncio
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hotplate.workflow.actions.action import REQUIRED, Action, Caller, Outcome, failed
from hotplate.workflow.actions.settings import ActionSettings
from hotplate.workflow.machine import Result

_COMMON = {"cmd": REQUIRED, "host": REQUIRED, "username": REQUIRED}


def shell_actions(settings: ActionSettings) -> list[Action]:
    """Return the actions that run commands elsewhere."""

    async def perform(given: Mapping[str, Any], caller: Caller) -> Outcome:
        hosts = given["host"] if isinstance(given["host"], list) else [given["host"]]
        results: list[Any] = []
        try:
            async with asyncio.timeout(settings.longest_seconds):
                for host in hosts:
                    code, output, errors = await _run(given, str(host))
                    if given.get("return_result_on_error"):
                        results.append({"stdout": output, "stderr": errors, "exit_code": code})
                    elif code:
                        return failed(f"the command failed on {host} with {code}: {errors[-500:]}")
                    else:
                        results.append(output)
        except TimeoutError:
            return failed(f"the command took more than {settings.longest_seconds:g} seconds")
        except (OSError, ValueError) as error:
            return failed(f"the command could not be run: {error}")
        return Result(value=results if len(results) > 1 else results[0])

    keys = {"password": "", "private_key_filename": None, "private_key": None}
    return [
        Action(
            "std.ssh",
            "Runs a command on other machines.",
            {**_COMMON, **keys, "return_result_on_error": False},
            perform=perform,
        ),
        Action(
            "std.ssh_proxied",
            "Runs a command on another machine by way of a third one.",
            {
                **_COMMON,
                "private_key_filename": None,
                "gateway_host": REQUIRED,
                "gateway_username": None,
                "password": None,
                "proxy_command": None,
                "private_key": None,
            },
            perform=perform,
        ),
    ]


async def _run(given: Mapping[str, Any], host: str) -> tuple[int, str, str]:
    if given.get("password") or given.get("proxy_command") or given.get("private_key_filename"):
        raise ValueError("give a private_key; passwords, files and proxy commands are not taken")
    names = [host, str(given["username"]), str(given.get("gateway_host") or "")]
    names.append(str(given.get("gateway_username") or ""))
    if any(name.startswith("-") or set(name) & set(" ,\n") for name in names):
        raise ValueError("a host or user name is not one")
    with tempfile.TemporaryDirectory(prefix="hotplate-ssh-") as folder:
        command = ["ssh", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=accept-new"]
        if given.get("private_key"):
            key = Path(folder) / "key"
            key.touch(mode=0o600)
            key.write_text(str(given["private_key"]).rstrip() + "\n")
            command += ["-i", str(key), "-o", "IdentitiesOnly=yes"]
        if names[2]:
            gateway = f"{names[3] or names[1]}@{names[2]}"
            command += ["-J", gateway]
        process = await asyncio.create_subprocess_exec(
            *command,
            "-l",
            names[1],
            "--",
            host,
            str(given["cmd"]),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            output, errors = await process.communicate()
        except BaseException:
            process.kill()
            await process.wait()
            raise
    return process.returncode or 0, output.decode(errors="replace"), errors.decode(errors="replace")
