"""Any text as a document: it is read or refused, and what is read agrees with PyYAML.

See harness.py for the arguments.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.fuzz.harness import corpus_files, fuzz, instrumented

with instrumented():
    from tests.fuzz.documents import SEEDS, read


if __name__ == "__main__":
    fuzz(
        "document",
        read,
        [*(seed.encode() for seed in SEEDS), *(path.read_bytes() for path in corpus_files())],
    )
