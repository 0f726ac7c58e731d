"""Which texts a document may hold."""


def fault_of_string(text: str) -> str:
    """Return why no database could store this text, or an empty text if all is well."""
    if "\0" in text:
        return "a text contains the character NUL, which cannot be stored"
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return "a text contains half of a surrogate pair, which is not a character"
    return ""
