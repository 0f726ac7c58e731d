"""The test cloud: `python -m tests.cloud.box up|down|reset|status|install|env|smoke`.

up, down and reset take names of services; without any they mean all of them. env prints the
OS_* variables of a user (demo) for `eval`.
"""

import os
import subprocess
import sys
from collections.abc import Iterable

from tests.cloud.box import installation
from tests.cloud.box.control import down, reset, up
from tests.cloud.box.places import LOG, SERVICES, credentials, url
from tests.cloud.box.processes import Broken, answers, memory_of, process_of


def status() -> None:
    """Print who runs, and the memory of each."""
    total = 0
    for name in ("db", *SERVICES):
        process = process_of(name)
        memory = memory_of(process) if process else 0
        total += memory
        is_up = process and (name == "db" or answers(name))
        address = "" if name == "db" else url(name)
        print(f"{name:10} {'up' if is_up else 'down':5} {memory:5} MB  {address}")
    print(f"total {total} MB; logs are in {LOG}")


def main(command: str = "", *names: str) -> None:
    """Do what the command line says."""
    if unknown := set(names) - set(SERVICES) - {"demo", "alt", "admin"}:
        raise Broken(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(SERVICES)}")
    match command:
        case "up":
            _ready(up(names))
        case "down":
            down(names)
        case "reset":
            _ready(reset(names))
        case "status":
            status()
        case "install":
            installation.install()
        case "env":
            for name, text in credentials(*names).items():
                print(f"export {name}={text}")
        case "smoke":
            up(names)
            direct = {**os.environ, "no_proxy": "127.0.0.1"}
            steps = [sys.executable, "-m", "tests.cloud.box.smoke", *names]
            subprocess.run(steps, check=True, env=direct)
        case _:
            raise Broken(__doc__ or "")


def _ready(services: Iterable[str]) -> None:
    installation.say(f"ready: {' '.join(services)}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except Broken as error:
        sys.exit(str(error))
