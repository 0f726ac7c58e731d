"""httpx, imported without the parts that are not needed here."""

import sys

# The package pulls in the code of its own command, and with it half of rich, unless that is
# missing; the command of hotplate begins in half the time without it.
_COMMAND = "httpx._main"
if "httpx" not in sys.modules and _COMMAND not in sys.modules:
    sys.modules[_COMMAND] = None  # type: ignore[assignment]
    import httpx

    del sys.modules[_COMMAND]
else:
    import httpx

__all__ = ["httpx"]
