"""Several environments with parts spoiled: parsed, merged, asked for origins, or refused.

See harness.py for the arguments.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import atheris

from tests.fuzz.harness import fuzz, instrumented

with instrumented():
    from tests.fuzz.environments import ENVIRONMENTS, TEXTS, merge_and_ask
    from tests.fuzz.templates import spoiled


def run(data: bytes) -> None:
    """Spoil some environments as the bytes say."""
    provider = atheris.FuzzedDataProvider(data)

    def pick(count: int) -> int:
        return int(provider.ConsumeIntInRange(0, count - 1))

    texts = (*TEXTS, str(provider.ConsumeUnicode(pick(12))))
    chosen = [ENVIRONMENTS[pick(len(ENVIRONMENTS))] for _ in range(1 + pick(5))]
    environments = [spoiled(environment, pick, pick(8), texts) for environment in chosen]
    merge_and_ask(environments, spoiled({"a": 1, "b": {"c": 1}}, pick, pick(3), texts))


if __name__ == "__main__":
    fuzz("environment", run, [bytes([n, n % 5, 2, n % 3]) * 10 for n in range(64)])
