"""Real templates with parts spoiled: compiled, bound, resolved and validated, or refused.

See harness.py for the arguments.
"""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import atheris
import yaml

from tests.fuzz.harness import corpus_files, fuzz, instrumented

with instrumented():
    from tests.fuzz.templates import GIVEN, TEXTS, base_templates, compile_and_resolve, spoiled


def _corpus() -> list[Any]:
    found: list[Any] = []
    for path in corpus_files():
        try:
            data = yaml.load(path.read_text(), Loader=yaml.CBaseLoader)
        except (yaml.YAMLError, UnicodeDecodeError):
            continue
        if isinstance(data, dict):
            found.append(data)
    return found


TEMPLATES = [*base_templates(), *_corpus()]


def run(data: bytes) -> None:
    """Spoil one template as the bytes say."""
    provider = atheris.FuzzedDataProvider(data)

    def pick(count: int) -> int:
        return int(provider.ConsumeIntInRange(0, count - 1))

    template = TEMPLATES[pick(len(TEMPLATES))]
    own = provider.ConsumeUnicode(pick(12))
    template = spoiled(template, pick, 1 + pick(12), (*TEXTS, str(own)))
    given = spoiled({"parameters": GIVEN}, pick, pick(2)).get("parameters")
    compile_and_resolve(template, given if isinstance(given, dict) else {})


if __name__ == "__main__":
    # A seed names the template by its last byte, and changes little.
    fuzz("template", run, [bytes([n, 0, n % 7, n, 3]) * 8 for n in range(64)])
