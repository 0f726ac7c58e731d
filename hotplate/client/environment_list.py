"""Files that list environment files, for stacks that need many of them."""

import os
from urllib.parse import urljoin, urlsplit

from hotplate.client.files import url_of
from hotplate.client.reader import read_url
from hotplate.document import InvalidDocument, parse


def listed_environments(name: str) -> list[str]:
    """Return the names of environments that a file lists, in its order.

    One name to a line, or a YAML list; ``#`` begins a comment. Relative names start at the folder
    of the list. A name may come twice. Raises OSError, in plain words.
    """
    try:
        text = read_url(url_of(name)).decode()
    except UnicodeDecodeError:
        raise OSError("it is not text in UTF-8") from None
    return [_placed(name, entry) for entry in _entries(text, name)]


def _entries(text: str, name: str) -> list[str]:
    lines = [line.partition(" #")[0].strip() for line in text.splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if not lines or not lines[0].startswith(("- ", "[", "---")):
        return lines
    try:
        data = parse(text, name).data
    except InvalidDocument as fault:
        raise OSError(str(fault.problems[0])) from None
    if not isinstance(data, list) or not all(isinstance(entry, str) for entry in data):
        raise OSError("it is no list of names")
    return [str(entry) for entry in data]


def _placed(name: str, entry: str) -> str:
    """Return an entry as the user could have named it on the command line."""
    if urlsplit(name).scheme in ("http", "https"):
        address = urljoin(name, entry)
        if urlsplit(address).scheme not in ("http", "https"):
            raise OSError(f'a list from the network cannot name the file "{entry}" of this machine')
        return address
    if urlsplit(entry).scheme:
        return entry
    if urlsplit(name).scheme:
        return urljoin(name, entry)
    return os.path.join(os.path.dirname(name), entry)
