"""Where words go: text for people, JSON lines for programs."""

import json
import os
import shutil
import sys
import textwrap
from typing import Any

import click

FORMS = ("text", "json")


class Output:
    """One command's way to speak.

    In the form of text, answers go to standard output and remarks to standard error. In the form
    of JSON every line of standard output is an object with a ``type``, and nothing else is said.
    """

    def __init__(self, form: str = "text") -> None:
        self.is_json = form == "json"
        # Colours are left out by click where there is no terminal.
        self.color = False if os.environ.get("NO_COLOR") else None

    @property
    def is_live(self) -> bool:
        """Whether the output is a terminal that can be drawn upon."""
        return not self.is_json and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"

    @property
    def width(self) -> int | None:
        """Columns of the terminal, None if there is none."""
        return shutil.get_terminal_size().columns if sys.stdout.isatty() else None

    def say(self, text: str = "") -> None:
        """Write a line of the answer."""
        if not self.is_json:
            click.echo(text, color=self.color)

    def say_wrapped(self, text: str, **style: Any) -> None:
        """Write a sentence of the answer; where the terminal ends it goes on below."""
        for line in _broken(text, self.width):
            self.say(click.style(line, **style) if style else line)

    def note(self, text: str) -> None:
        """Write a remark beside the answer."""
        if not self.is_json:
            sys.stdout.flush()
            width = shutil.get_terminal_size().columns if sys.stderr.isatty() else None
            for line in _broken(text, width):
                click.echo(line, err=True, color=self.color)

    def record(self, record_type: str, **fields: Any) -> None:
        """Write an object for a program."""
        if self.is_json:
            line = json.dumps({"type": record_type, **fields}, default=str, ensure_ascii=False)
            click.echo(line.encode("utf-8", "replace"))
            sys.stdout.flush()

    def error(self, text: str, code: int, hint: str = "", **fields: Any) -> None:
        """Say why the command ends."""
        self.record("error", message=text, hint=hint, exit_code=code, **fields)
        self.note(f"{click.style('hotplate', fg='red')}: {text}{f'; {hint}' if hint else ''}")


def _broken(text: str, width: int | None) -> list[str]:
    """Return lines that fit, broken between words; colours take no room."""
    if width is None or len(click.unstyle(text)) <= width:
        return [text]
    indent = " " * (len(text) - len(text.lstrip()) + 2)
    if "\x1b" in text:
        return _broken_in_colour(text, max(width, 40), indent)
    return textwrap.wrap(
        text,
        max(width, 40),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _broken_in_colour(text: str, width: int, indent: str) -> list[str]:
    lines, length = [""], 0
    for number, word in enumerate(text.split(" ")):
        size = len(click.unstyle(word))
        if length and length + 1 + size > width and lines[-1].strip():
            lines.append(indent + word)
            length = len(indent) + size
        else:
            lines[-1] += f" {word}" if number else word
            length += size + bool(number)
    return lines
