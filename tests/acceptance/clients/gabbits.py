"""Play the API tests of Heat's test plugin: python -m tests.acceptance.clients.gabbits ENDPOINT.

Prints how many requests were made, then what went wrong. A process of its own, because gabbi
leaves its connections open.
"""

import os
import sys
import unittest
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from gabbi import driver, fixture


def folder() -> Path:
    """Where the files are; found without importing the plugin, which wants a configured tempest."""
    spec = find_spec("heat_tempest_plugin")
    assert spec is not None
    assert spec.origin is not None
    return Path(spec.origin).parent / "tests" / "api" / "gabbits"


def _fixtures() -> ModuleType:
    """The plugin's fixture of that name asks Keystone for a token; here any token will do."""

    class AuthenticationFixture(fixture.GabbiFixture):  # type: ignore[misc]
        pass

    module = ModuleType("fixtures")
    module.AuthenticationFixture = AuthenticationFixture  # type: ignore[attr-defined]
    return module


def main(endpoint: str) -> int:
    os.environ |= {"OS_TOKEN": "any", "PREFIX": "gabbi"}
    suite = driver.build_tests(
        str(folder()),
        unittest.TestLoader(),
        host="",
        url=endpoint,
        fixture_module=_fixtures(),
        test_loader_name="gabbits",
    )
    result = unittest.TestResult()
    suite.run(result)
    print(result.testsRun)
    wrong = [*result.failures, *result.errors, *result.skipped]
    for test, text in wrong:
        print(f"{test}: {text}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
