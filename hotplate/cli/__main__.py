"""`python -m hotplate.cli` writes the reference of the commands."""

import sys

from hotplate.cli.manual import manual

if __name__ == "__main__":
    sys.stdout.write(manual())
