"""What `hotplate template validate` answers, and the templates that many tests give to it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

VERSION = "heat_template_version: wallaby\n"
NUMBERS = VERSION + "parameters: {n: {type: number}, m: {type: number, default: 1}}\n"


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    problems: list[str]

    @property
    def data(self) -> Any:
        return json.loads(self.out)


Validate = Callable[..., Answer]
Write = Callable[[str, str | bytes], None]
