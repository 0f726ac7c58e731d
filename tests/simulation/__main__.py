"""Plays many seeds: python -m tests.simulation --seeds 20000 --start 0."""

import argparse
import sys
import time
import traceback
from functools import partial
from multiprocessing import Pool, cpu_count

from tests.simulation.runs import run


def play(seed: int, stormy: bool = False) -> tuple[int, str]:
    """The seed and what went wrong, if anything."""
    try:
        run(seed, stormy)
    except BaseException as error:
        return seed, "".join(traceback.format_exception(error))
    return seed, ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--processes", type=int, default=cpu_count())
    parser.add_argument("--show", type=int, default=1, help="failures to print in full")
    parser.add_argument("--stormy", action="store_true", help="let more go wrong than usual")
    arguments = parser.parse_args()
    seeds = range(arguments.start, arguments.start + arguments.seeds)
    began = time.monotonic()
    failed: list[int] = []
    with Pool(arguments.processes) as pool:
        played = partial(play, stormy=arguments.stormy)
        for seed, trouble in pool.imap_unordered(played, seeds, chunksize=8):
            if trouble:
                failed.append(seed)
                last = next((s for s in trouble.splitlines() if "Error" in s or "Viol" in s), "")
                print(f"seed {seed}: {last[:300]}", flush=True)
                if len(failed) <= arguments.show:
                    print(trouble, flush=True)
    minutes = (time.monotonic() - began) / 60
    print(f"{len(seeds)} seeds in {minutes:.1f} min, {len(seeds) / minutes:.0f} seeds/minute")
    print(f"failing: {sorted(failed)}" if failed else "all passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
