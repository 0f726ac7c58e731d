"""How values are named in problems."""

_LONGEST = 60


def kind_of(value: object) -> str:
    """Return what a value is: ``a map``, ``a list``, ``a text``, ..."""
    kinds = {dict: "a map", list: "a list", str: "a text", bool: "a boolean"}
    return "nothing" if value is None else kinds.get(type(value), "a number")


def quoted(value: object) -> str:
    """Return a text in quotes, shortened if it is long; of another value, what it is."""
    if not isinstance(value, str):
        return kind_of(value)
    return f'"{value}"' if len(value) <= _LONGEST else f'"{value[:_LONGEST]}..."'
