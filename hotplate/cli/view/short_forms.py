"""Short forms of values, types and times."""

import json
import sys
from typing import Any

from hotplate.cli.progress.progress import State

_LONGEST = 60
SIGNS = {
    State.UNTOUCHED: "·",
    State.WAITING: "○",
    State.RUNNING: "▶",
    State.DONE: "✓",
    State.FAILED: "✗",
    State.STOPPED: "■",
}
_PLAIN_SIGNS = {
    State.UNTOUCHED: "-",
    State.WAITING: "o",
    State.RUNNING: ">",
    State.DONE: "+",
    State.FAILED: "x",
    State.STOPPED: "#",
}
STYLES = {
    State.UNTOUCHED: "dim",
    State.WAITING: "dim",
    State.RUNNING: "cyan",
    State.DONE: "green",
    State.FAILED: "bold red",
    State.STOPPED: "yellow",
}


def can_draw() -> bool:
    """Whether standard output takes lines and signs that are not ASCII."""
    try:
        "├✓█".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def signs() -> dict[State, str]:
    """Return the sign of each state, as the terminal can show it."""
    return SIGNS if can_draw() else _PLAIN_SIGNS


def short_type(name: str) -> str:
    """Return a type without the folders of its file."""
    return name.rsplit("/", 1)[-1] if "://" in name else name


def shown_value(value: Any, longest: int = _LONGEST) -> str:
    """Return a value in one line of bounded length."""
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    text = " ".join(text.split())
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def shown_seconds(seconds: float) -> str:
    """Return a length of time: 0.4s, 12s, 3:07, 1:02:03."""
    if seconds < 10:
        return f"{max(seconds, 0):.1f}s"
    whole = int(seconds)
    if whole < 60:
        return f"{whole}s"
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def counted(number: int, word: str) -> str:
    """Return "1 resource" or "3 resources"."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def printable(text: str) -> str:
    """Return a text that cannot move the cursor or ring: what templates say is not trusted."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)
