"""Pictures for the README: `python -m tests.acceptance.command.screenshots`.

They are taken from a real terminal.
The example shop is brought up, changed, broken and taken down in a pseudo-terminal; what its screen
shows is written to docs/images as SVG.
"""

import io
import re
import tempfile
import time
from contextlib import AbstractContextManager
from itertools import groupby
from pathlib import Path

from pyte.screens import Char
from rich.console import Console
from rich.style import Style
from rich.text import Text

from tests.acceptance.command.terminal import Terminal, piped, terminal

ROOT = Path(__file__).resolve().parents[3]
IMAGES = ROOT / "docs" / "images"
SHOP = ("examples/shop/shop.yaml", "-e", "examples/shop/shop.env.yaml")
COLUMNS, LINES = 100, 42
_NAMES = {"brown": "yellow", "default": None}


def take(shown: Terminal, name: str, prompt: str) -> None:
    """Write what the screen shows, without the empty lines at its end."""
    rows = [shown.screen.buffer[number] for number in range(shown.screen.lines)]
    lines = [_line([row[column] for column in range(COLUMNS)]) for row in rows]
    while lines and not lines[-1].plain.strip():
        lines.pop()
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), highlight=False)
    console.print(Text(f"$ {prompt}", "bold"))
    for line in lines:
        console.print(line, no_wrap=True, crop=True)
    svg = console.export_svg(title="hotplate", unique_id=f"shot-{name}")
    # The viewer's own font will do: a picture asks nobody on the network.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    svg = "\n".join(line.rstrip() for line in svg.splitlines()) + "\n"
    (IMAGES / f"{name}.svg").write_text(svg, encoding="utf-8")


def _line(cells: list[Char]) -> Text:
    text = Text(no_wrap=True)
    for (colour, bold), run in groupby(cells, key=lambda cell: (_colour(cell), cell.bold)):
        text.append("".join(cell.data for cell in run), Style(color=colour, bold=bold))
    text.rstrip()
    return text


def _colour(cell: Char) -> str | None:
    name = _NAMES.get(cell.fg, cell.fg)
    return f"#{name}" if name and re.fullmatch(r"[0-9a-f]{6}", name) else name


def main() -> None:
    """Take all pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="hotplate-") as folder:
        home = Path(folder)

        def opened(*arguments: str) -> AbstractContextManager[Terminal]:
            return terminal(*arguments, home=home, folder=ROOT, columns=COLUMNS, lines=LINES)

        # An earlier run, from which the time that is left can be told.
        slowly = ("up", *SHOP, "--parameter", "pace=2")
        assert piped(*slowly, "--yes", home=home, folder=ROOT).returncode == 0
        assert piped("down", "shop", "--yes", home=home, folder=ROOT).returncode == 0
        with opened(*slowly) as shown:
            shown.until("[y/N]")
            shown.type("y\n")
            shown.until("▶ 0 ")
            until = time.monotonic() + 0.8
            while time.monotonic() < until:
                shown.read(0.1)
            take(shown, "up", f"hotplate {' '.join(slowly)}")
            shown.end()
        change = (*slowly, "--parameter", "image=debian-13")
        with opened(*change) as shown:
            shown.until("[y/N]")
            take(shown, "plan", f"hotplate {' '.join(change)}")
            shown.type("y\n")
            shown.end()
        broken = (*change, "--parameter", "broken=true", "--yes")
        with opened(*broken) as shown:
            shown.end()
            take(shown, "failure", f"hotplate {' '.join(broken)}")
        with opened("why", "shop", "database.server") as shown:
            shown.end()
            take(shown, "why", "hotplate why shop database.server")
        with opened("down", "shop") as shown:
            shown.until("[y/N]")
            take(shown, "down", "hotplate down shop")
            shown.type("y\n")
            shown.end()


if __name__ == "__main__":
    main()
