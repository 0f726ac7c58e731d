"""Outputs that are too large for one answer."""

from typing import Any

from hotplate.api.http.endpoint import is_small, json_bytes, off_loop


async def within(outputs: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Return outputs as they are shown, without the values that would make them too large.

    The first ones that fit into ``most`` bytes stay; each of the others tells its size.
    """
    if is_small(outputs):
        return outputs
    return await off_loop(lambda: _within(outputs, most))


def _within(outputs: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    found, total = [], 0
    for each in outputs:
        size = len(json_bytes(each.get("output_value")))
        if total + size <= most:
            total += size
            found.append(each)
            continue
        error = (
            f"The value has {size} bytes, and an answer shows at most {most} of all outputs; ask "
            "for one output alone, or make it smaller."
        )
        found.append({**each, "output_value": None, "output_error": error})
    return found
