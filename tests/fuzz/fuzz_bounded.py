"""YAQL expressions and patterns out of pieces and raw text: they end, with a value or an error.

See harness.py for the arguments.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import atheris

from tests.fuzz.harness import fuzz, instrumented

with instrumented():
    from tests.fuzz.queries import (
        DATA,
        EXPRESSIONS,
        PATTERN_PIECES,
        QUERY_PIECES,
        SUBJECTS,
        evaluate,
        search,
    )


def run(data: bytes) -> None:
    """The first byte chooses between query and pattern, raw text and pieces."""
    provider = atheris.FuzzedDataProvider(data)

    def pick(count: int) -> int:
        return int(provider.ConsumeIntInRange(0, count - 1))

    def text(pieces: tuple[str, ...]) -> str:
        if pick(4) == 0:
            return str(provider.ConsumeUnicode(pick(200)))
        return "".join(pieces[pick(len(pieces))] for _ in range(1 + pick(24)))

    if pick(3):
        expression = EXPRESSIONS[pick(len(EXPRESSIONS))] if pick(2) else text(QUERY_PIECES)
        if pick(2):
            expression = f"{expression}{text(QUERY_PIECES)}"
        evaluate(expression, DATA)
    else:
        search(text(PATTERN_PIECES), SUBJECTS[pick(len(SUBJECTS))], (0, 2, 8, 16)[pick(4)])


if __name__ == "__main__":
    fuzz("bounded", run, [bytes([n, 255 - n, 3, n % 11, 7 * n % 256]) * 10 for n in range(128)])
