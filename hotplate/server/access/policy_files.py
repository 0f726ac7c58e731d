"""The policy files: `policy.yaml`, and those of `policy.d` beside it in the order of their names.

What a later one says of a rule counts.
"""

import logging
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import yaml

from hotplate.policy import BadRule, Policy, Written, parse_rule
from hotplate.server.refusal import nonsense

_log = logging.getLogger("hotplate.server")

_ENDINGS: Final = (".yaml", ".yml", ".json")
_LARGEST: Final = 1024 * 1024


class PolicyFiles:
    """Where the policy stands, and what it says. All methods read files; they block."""

    def __init__(self, file: Path, types: Callable[[], frozenset[str]] = frozenset) -> None:
        self._file = file
        self._folder = file.parent / "policy.d"
        self._types = types

    def files(self) -> list[Path]:
        """Return the files that there are, the later ones count."""
        more: Iterable[Path] = ()
        if self._folder.is_dir():
            more = sorted(each for each in self._folder.iterdir() if each.suffix in _ENDINGS)
        return [*([self._file] if self._file.exists() else []), *more]

    def read(self) -> Policy:
        """Return the policy. Raises CannotStart."""
        changes: dict[str, Written] = {}
        for file in self.files():
            changes.update(_rules(file))
        return Policy.of(changes)

    def load(self) -> Policy:
        """Return the policy; what nothing asks about is logged. Raises CannotStart."""
        found = self.read()
        for name in found.unknown(self._types):
            _log.warning(
                "a policy file has a rule that nothing asks about",
                extra={"rule": name, "file": found.written[name].file},
            )
        return found


def _rules(file: Path) -> dict[str, Written]:
    try:
        text = file.read_text(encoding="utf-8")
        if len(text) > _LARGEST:
            raise nonsense(f"the policy {file} is larger than {_LARGEST} characters")
        document: Any = yaml.safe_load(text)
    except OSError as error:
        raise nonsense(f"the policy {file} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, yaml.YAMLError) as error:
        words = " ".join(str(error).split())
        raise nonsense(f"the policy {file} cannot be read: {words}") from None
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise nonsense(f'the policy {file} is no map; write lines like "stacks:create": "role:x"')
    found: dict[str, Written] = {}
    for name, expression in document.items():
        try:
            parse_rule(expression)
        except BadRule as error:
            raise nonsense(f'{file}: the rule "{name}" cannot be read: {error}') from None
        found[str(name)] = Written(expression, str(file))
    return found
