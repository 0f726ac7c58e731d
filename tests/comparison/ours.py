"""Play cases on a `hotplate serve` and print where it is not like Heat.

python -m tests.comparison.ours [NAME ...]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.acceptance.serving import serving
from tests.comparison.difference import differences, read_decisions
from tests.comparison.play import Case, play, read_cases
from tests.comparison.record import RECORDED, read
from tests.comparison.service import Service

_PROJECT = "0123456789abcdef" * 2


@contextmanager
def hotplate() -> Iterator[Service]:
    """A server of our own for the length of a block; another one is the region RegionOne to it."""
    with (
        TemporaryDirectory(prefix="hotplate-") as name,
        serving() as other,
        serving("--config", _configuration(Path(name), other.url)) as served,
    ):
        service = Service(served.endpoint(_PROJECT), "token", pause=0.2, settling=0.2)
        try:
            yield service
        finally:
            service.close()


def _configuration(folder: Path, url: str) -> str:
    token, settings = folder / "token", folder / "hotplate.toml"
    token.touch(mode=0o600)
    token.write_text("token", encoding="utf-8")
    lines = (
        "[regions.RegionOne]",
        f'url = "{url}/v1/%(project_id)s"',
        f'token_file = "{token}"',
        "allow_insecure = true",
    )
    settings.write_text("\n".join(lines), encoding="utf-8")
    return str(settings)


def main(names: list[str]) -> int:
    """Print the differences that nobody has decided; return the exit code."""
    cases = read_cases()
    wanted = names or [name for name in cases if Path(RECORDED, f"{name}.json").exists()]
    decisions = read_decisions()
    left = 0

    with hotplate() as service, ThreadPoolExecutor(4) as pool:

        def played(case: Case) -> list[str]:
            try:
                found = differences(case.name, read(case.name), play(service, case))
            except Exception as fault:
                return [f"{case.name}: {fault!r}"]
            left = [each for each in found if not any(d.covers(each) for d in decisions)]
            # What stays for several steps is told once.
            told = {
                (each.place.partition(".")[2], str(each.heat), str(each.ours)): each
                for each in reversed(left)
            }
            return [str(each) for each in left if each in told.values()]

        for found in pool.map(played, [cases[name] for name in wanted]):
            left += len(found)
            for each in found:
                print(each)
    print(f"{left} differences")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
