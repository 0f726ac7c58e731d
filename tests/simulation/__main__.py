"""Plays many seeds: python -m tests.simulation --seeds 20000 --start 0.

Every seed has a flat and a nested run; both are played unless one is named.
"""

import argparse
import logging
import sys
import time
import traceback
from functools import partial
from multiprocessing import Pool, cpu_count

from tests.simulation.elsewhere import ElsewhereRun
from tests.simulation.exclusive import ExclusiveRun
from tests.simulation.externals import ExternalRun
from tests.simulation.freezing import FrozenRun
from tests.simulation.hooks import HookedRun
from tests.simulation.instant import InstantRun
from tests.simulation.marks import MarkedRun
from tests.simulation.retried import RetriedRun
from tests.simulation.runs import Run
from tests.simulation.signals import SignalledRun


def play(
    seed: int,
    *,
    stormy: bool = False,
    nested: bool = False,
    hooked: bool = False,
    paced: bool = False,
    signalled: bool = False,
    external: bool = False,
    marked: bool = False,
    frozen: bool = False,
    elsewhere: bool = False,
    exclusive: bool = False,
    retried: bool = False,
    instant: bool = False,
    large: bool = False,
) -> tuple[int, str]:
    """The seed and what went wrong, if anything."""
    # Workers that are taken for dead say so; here that is the weather.
    logger = logging.getLogger("hotplate")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        kind: type[Run] = SignalledRun if signalled else HookedRun if hooked else Run
        if external or marked:
            kind = ExternalRun if external else MarkedRun
        if frozen:
            kind = FrozenRun
        if elsewhere or exclusive:
            kind = ElsewhereRun if elsewhere else ExclusiveRun
        if retried or instant:
            kind = RetriedRun if retried else InstantRun
        kind(seed, stormy, nested, paced, large).go()
    except BaseException as error:
        return seed, "".join(traceback.format_exception(error))
    finally:
        logger.setLevel(level)
    return seed, ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--processes", type=int, default=cpu_count())
    parser.add_argument("--show", type=int, default=1, help="failures to print in full")
    parser.add_argument("--stormy", action="store_true", help="let more go wrong than usual")
    parser.add_argument("--hooked", action="store_true", help="let resources wait at hooks")
    parser.add_argument(
        "--signalled", action="store_true", help="let signals come and scale groups"
    )
    parser.add_argument("--paced", action="store_true", help="let groups go in batches")
    parser.add_argument("--external", action="store_true", help="let others have objects, too")
    parser.add_argument("--marked", action="store_true", help="let resources become unhealthy")
    parser.add_argument("--frozen", action="store_true", help="stop processes with calls in hand")
    parser.add_argument(
        "--elsewhere", action="store_true", help="let work go on elsewhere until it is stopped"
    )
    parser.add_argument(
        "--exclusive", action="store_true", help="let objects have keys that only one can have"
    )
    parser.add_argument(
        "--retried", action="store_true", help="let objects come up broken and be made anew"
    )
    parser.add_argument("--instant", action="store_true", help="let resources be nothing but rows")
    parser.add_argument(
        "--large", action="store_true", help="let traversals be written in portions"
    )
    shape = parser.add_mutually_exclusive_group()
    shape.add_argument("--flat", action="store_true", help="only runs without nested stacks")
    shape.add_argument("--nested", action="store_true", help="only runs with nested stacks")
    arguments = parser.parse_args()
    seeds = range(arguments.start, arguments.start + arguments.seeds)
    failed: list[str] = []
    with Pool(arguments.processes) as pool:
        for nested in (False, True):
            if (arguments.flat and nested) or (arguments.nested and not nested):
                continue
            shape_name = "nested" if nested else "flat"
            began = time.monotonic()
            played = partial(
                play,
                stormy=arguments.stormy,
                nested=nested,
                hooked=arguments.hooked,
                paced=arguments.paced,
                signalled=arguments.signalled,
                external=arguments.external,
                marked=arguments.marked,
                frozen=arguments.frozen,
                elsewhere=arguments.elsewhere,
                exclusive=arguments.exclusive,
                retried=arguments.retried,
                instant=arguments.instant,
                large=arguments.large,
            )
            for seed, trouble in pool.imap_unordered(played, seeds, chunksize=8):
                if trouble:
                    failed.append(f"{shape_name} {seed}")
                    lines = trouble.splitlines()
                    last = next((line for line in lines if "Error" in line or "Viol" in line), "")
                    print(f"{shape_name} {seed}: {last[:300]}", flush=True)
                    if len(failed) <= arguments.show:
                        print(trouble, flush=True)
            minutes = (time.monotonic() - began) / 60
            print(f"{len(seeds)} {shape_name} runs in {minutes:.1f} min", flush=True)
    print(f"failing: {', '.join(sorted(failed))}" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
