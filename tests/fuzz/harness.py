"""What all fuzzers share: their arguments, their seeds, and what counts as a finding.

    python tests/fuzz/fuzz_document.py [seconds] [options of libFuzzer]

Without a number a fuzzer runs for ten minutes. It stops at the first crash, hang or growth of
memory, and leaves the input in ``build/fuzz``. To look at that input again, name the file as the
only argument. If HOTPLATE_CORPUS names a folder, all small files below it are seeds as well.

HOTPLATE_FUZZ_SURVEY=1 does not stop at exceptions and slow inputs, but writes down each new kind,
and says at the end how many there were.
"""

import os
import resource
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parents[2]
LONGEST_INPUT = 64 * 1024
SLOW_SECONDS = 8.0
"""An input may need several operations; each of them should end within three."""
_MEGABYTE = 1024 * 1024
_OPTIONS = {
    "-max_total_time": "600",
    "-timeout": "30",  # of the clock on the wall; processor time is judged below
    "-rss_limit_mb": "1200",
    "-max_len": str(LONGEST_INPUT),
    "-print_final_stats": "1",
    "-verbosity": "0",
}


@contextmanager
def instrumented() -> Iterator[None]:
    """Import inside it what the fuzzer shall see the branches of."""
    with atheris.instrument_imports(include=["hotplate", "yaql"]):
        yield


def corpus_files() -> list[Path]:
    """The files that HOTPLATE_CORPUS gives, small ones only."""
    root = os.environ.get("HOTPLATE_CORPUS")
    files = sorted(Path(root).rglob("*")) if root else []
    return [path for path in files if path.is_file() and path.stat().st_size <= LONGEST_INPUT]


def fuzz(name: str, target: Callable[[bytes], None], seeds: Iterable[bytes]) -> None:
    """Run the target until the time is over; anything it raises is a finding."""
    folder = ROOT / "build" / "fuzz" / name
    corpus = folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for index, seed in enumerate(seeds):
        (corpus / f"seed-{index:05}").write_bytes(seed)
    arguments = sys.argv[1:]
    files = [argument for argument in arguments if Path(argument).is_file()]
    options = {**_OPTIONS, "-artifact_prefix": f"{folder}/"}
    for argument in arguments:
        if argument.isdigit():
            options["-max_total_time"] = argument
        elif argument.startswith("-"):
            key, _, value = argument.partition("=")
            options[key] = value
    flags = [f"{key}={value}" for key, value in options.items()]
    survey = os.environ.get("HOTPLATE_FUZZ_SURVEY")
    guarded = _surveyed(target, folder) if survey else _timed(target)
    atheris.Setup([sys.argv[0], *flags, *(files or [str(corpus)])], guarded)
    atheris.Fuzz()


class TooSlow(Exception):
    """One input took more time than a request may."""


class TooLarge(Exception):
    """One input took more memory than a request may."""


def _timed(target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    def run(data: bytes) -> None:
        started, size = time.process_time(), _peak()
        target(data)
        seconds, grown = time.process_time() - started, _peak() - size
        if seconds > SLOW_SECONDS:
            raise TooSlow(f"{seconds:.1f} s")
        if grown > 500 * _MEGABYTE:
            raise TooLarge(f"{grown // _MEGABYTE} MB")

    return run


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def _surveyed(target: Callable[[bytes], None], folder: Path) -> Callable[[bytes], None]:
    known: dict[str, int] = {}
    timed = _timed(target)

    def run(data: bytes) -> None:
        try:
            timed(data)
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)
            last = frames[-1]
            kind = f"{type(error).__name__} {Path(last.filename).name}:{last.lineno}"
            known[kind] = known.get(kind, 0) + 1
            if known[kind] <= 3:
                number = known[kind]
                place = folder / f"found-{kind.replace(' ', '-').replace(':', '-')}-{number}"
                place.write_bytes(data)
                if known[kind] == 1:
                    print(f"FOUND {kind}", flush=True)
                    traceback.print_exc()

    return run
