"""Fixtures: files in a folder, and the real command in it."""

import os
from pathlib import Path

import pytest

from tests.acceptance import warm_command
from tests.acceptance.command.template_validate.validation import Answer, Validate, Write


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(name: str, content: str | bytes) -> None:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    return write_file


@pytest.fixture
def validate(tmp_path: Path) -> Validate:
    def run(*arguments: str) -> Answer:
        done = warm_command.run(["template", "validate", *arguments], os.environ, tmp_path)
        return Answer(done.returncode, done.stdout, done.stderr.splitlines())

    return run
