"""`If-Match`: change a stack only if nothing has begun since it was read."""

from hotplate.api.http.endpoint import Call
from hotplate.api.http.faults import bad_request


def expected_sequence(call: Call) -> int | None:
    """Return the number that the stack's ETag had for the caller; None for any. Raises Fault."""
    given = call.request.headers.get("if-match", "").strip()
    if given in ("", "*"):
        return None
    number = given.removeprefix("W/").strip('"')
    if not number.isascii() or not number.isdigit() or len(number) > 9:
        raise bad_request(f"the header If-Match must be the ETag of the stack, not {given[:40]}")
    return int(number)
