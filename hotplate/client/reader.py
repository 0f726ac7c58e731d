"""Reading one file or address on behalf of the user who named it."""

import http.client
import urllib.error
import urllib.request
from urllib.parse import urlsplit

MOST_BYTES = 16 * 1024 * 1024
_SECONDS = 30.0
_SCHEMES = ("file", "http", "https")


def read_url(url: str, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the content of a ``file``, ``http`` or ``https`` address.

    Raises OSError, in plain words, if it cannot be read or is larger than ``most_bytes``.
    """
    scheme = urlsplit(url).scheme
    if scheme not in _SCHEMES:
        raise OSError(f"cannot read {scheme or 'relative'} addresses, only {', '.join(_SCHEMES)}")
    try:
        if scheme == "file":
            content = _read_file(url, most_bytes)
        else:
            with urllib.request.urlopen(url, timeout=_SECONDS) as answer:  # noqa: S310 (checked above)
                content = answer.read(most_bytes + 1)
    except urllib.error.HTTPError as error:
        error.close()
        raise OSError(f"the server answers {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise OSError(str(error.reason)) from None
    except (http.client.HTTPException, ValueError) as error:
        raise OSError(str(error) or type(error).__name__) from None
    if len(content) > most_bytes:
        raise OSError(f"it is larger than {most_bytes} bytes")
    return content


def path_of(url: str) -> str:
    """Return the path in the file system that a ``file`` address names."""
    parts = urlsplit(url)
    return urllib.request.url2pathname(parts.path + (f"?{parts.query}" if parts.query else ""))


def _read_file(url: str, most_bytes: int) -> bytes:
    if urlsplit(url).netloc not in ("", "localhost"):
        raise OSError("a file address cannot name another machine")
    try:
        with open(path_of(url), "rb") as file:
            return file.read(most_bytes + 1)
    except FileNotFoundError:
        raise OSError("there is no such file") from None
    except IsADirectoryError:
        raise OSError("it is a directory") from None
    except PermissionError:
        raise OSError("it may not be read") from None
