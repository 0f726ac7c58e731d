"""Which texts a document may hold, and places in a text."""

from typing import Final

HALF_A_PAIR: Final = "a text contains half of a surrogate pair, which is not a character"


def line_and_column(text: str, offset: int) -> tuple[int, int]:
    """Return where the character with this index stands, counted from 1."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def fault_of_string(text: str) -> str:
    """Return why no database could store this text, or an empty text if all is well."""
    if "\0" in text:
        return "a text contains the character NUL, which cannot be stored"
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return HALF_A_PAIR
    return ""
