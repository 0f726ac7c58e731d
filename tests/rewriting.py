"""Bytecode of the tests, written once before the processes of a test run need it.

Each of them would rewrite the assertions of every module otherwise, all at the same time: in a
fresh clone that costs more than all else that collecting does.
"""

import compileall
import os
import sys
from collections.abc import Iterator, Sequence
from multiprocessing import get_context
from pathlib import Path

import pytest
from _pytest.assertion import rewrite

_PACKAGE = Path(__file__).parents[1] / "hotplate"


def write_bytecode(config: pytest.Config) -> None:
    """Write what is missing or older than its source, if several processes are about to start."""
    if sys.dont_write_bytecode or not config.getoption("numprocesses", None):
        return
    compileall.compile_dir(_PACKAGE, quiet=2, workers=0)
    stale = [path for path in _modules(config) if rewrite._read_pyc(path, _cache(path)) is None]
    if not stale:
        return
    fork, share = get_context("fork"), os.cpu_count() or 1
    writers = [
        fork.Process(target=_write, args=(config, stale[first::share])) for first in range(share)
    ]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()


def _modules(config: pytest.Config) -> Iterator[Path]:
    """Yield the modules of the tests in the folders that are asked for."""
    elsewhere = [config.rootpath / each for each in config.getini("norecursedirs")]
    for folder in map(Path, config.args):
        for pattern in ("test_*.py", "conftest.py"):
            for path in folder.resolve().rglob(pattern):
                if not any(path.is_relative_to(each) for each in elsewhere):
                    yield path


def _cache(path: Path) -> Path:
    return rewrite.get_cache_dir(path) / f"{path.stem}{rewrite.PYC_TAIL}"


def _write(config: pytest.Config, paths: Sequence[Path]) -> None:
    state = config.stash[rewrite.assertstate_key]
    for path in paths:
        source_hash, code = rewrite._rewrite_test(path, config)
        _cache(path).parent.mkdir(parents=True, exist_ok=True)
        rewrite._write_pyc(state, code, source_hash, _cache(path))
