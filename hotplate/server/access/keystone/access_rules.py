"""Which requests an application credential with access rules is good for."""

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

from hotplate.server.access.keystone.token import AccessRule


def allows(rules: Iterable[AccessRule], services: Collection[str], method: str, path: str) -> bool:
    """Return whether one of the rules is about a request to one of the services."""
    return any(
        rule.service in services and rule.method == method and _pattern(rule.path).fullmatch(path)
        for rule in rules
    )


@lru_cache(maxsize=1024)
def _pattern(path: str) -> re.Pattern[str]:
    """Return what fits: ``*`` and ``{name}`` one part of the path, ``**`` any number of them."""
    parts = re.split(r"(\*\*|\*|\{[^/{}]*\})", path)
    written = (
        ".*" if part == "**" else "[^/]+" if number % 2 else re.escape(part)
        for number, part in enumerate(parts)
    )
    return re.compile("".join(written), re.DOTALL)
