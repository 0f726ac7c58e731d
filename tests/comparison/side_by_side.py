"""All cases of a test run, played once and side by side: a case spends its time waiting."""

from __future__ import annotations

import json
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.comparison.ours import hotplate
from tests.comparison.play import Case, play
from tests.comparison.service import Service
from tests.shared_process import locked

_AT_ONCE = 12


@dataclass(frozen=True, slots=True)
class Played:
    """What became of a case: a picture for each step, or why it could not be played."""

    pictures: dict[str, Any]
    failure: str = ""


def played(folder: Path, cases: Sequence[Case]) -> dict[str, Played]:
    """Return what became of each case.

    The first process that comes plays them; others with the same folder wait and are told.
    """
    with locked(folder):
        results = folder / "played.json"
        if not results.exists():
            results.write_text(json.dumps(_played_now(cases)), encoding="utf-8")
    found = json.loads(results.read_text(encoding="utf-8"))
    return {name: Played(**each) for name, each in found.items()}


def _played_now(cases: Sequence[Case]) -> dict[str, dict[str, Any]]:
    with hotplate() as service, ThreadPoolExecutor(_AT_ONCE) as pool:
        # The longest stories first: at the end nobody waits for one of them alone.
        ordered = sorted(cases, key=lambda case: -len(case.steps))
        results = pool.map(lambda case: _result(service, case), ordered)
        return dict(zip((case.name for case in ordered), results, strict=True))


def _result(service: Service, case: Case) -> dict[str, Any]:
    try:
        return {"pictures": play(service, case)}
    except Exception:
        return {"pictures": {}, "failure": traceback.format_exc()}
