"""Templates and environments that other people wrote compile."""

import os
from pathlib import Path

import pytest

from hotplate.document import parse
from hotplate.environment import parse as parse_environment
from hotplate.template import compile_template

_VERSIONS = ("heat_template_version", "AWSTemplateFormatVersion", "HeatTemplateFormatVersion")


def corpus_files() -> list[Path]:
    folder = os.environ.get("HOTPLATE_CORPUS")
    if not folder:
        return []
    suffixes = (".yaml", ".template")
    return sorted(path for path in Path(folder).rglob("*") if path.suffix in suffixes)


FILES = corpus_files()


def test_the_corpus_is_there() -> None:
    if not os.environ.get("HOTPLATE_CORPUS"):
        assert not os.environ.get("CI"), "HOTPLATE_CORPUS must name the corpus"
        pytest.skip("set HOTPLATE_CORPUS to a folder of templates to try them")
    assert len(FILES) >= 88


@pytest.mark.parametrize("path", FILES, ids=[path.name for path in FILES])
def test_a_file_of_the_corpus_compiles(path: Path) -> None:
    document = parse(path.read_text(), path.name)
    assert isinstance(document.data, dict)
    if any(version in document.data for version in _VERSIONS):
        compile_template(document)
    else:
        parse_environment(document)
