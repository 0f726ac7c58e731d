"""Take recordings from the test cloud: python -m tests.cloud.record [story ...].

Starts the cloud if it does not run. Without names, all stories are recorded. The tests play them
without a cloud: tests/recordings.
"""

import asyncio
import os
import sys

from tests.cloud.box.control import up
from tests.cloud.box.places import CLOUD
from tests.recordings.recording import save
from tests.recordings.stage import play, record
from tests.recordings.stories import STORIES


def main(names: list[str]) -> int:
    """Record stories; each is played once from its recording, to see that it can be."""
    if unknown := set(names) - set(STORIES):
        print(f"no story {', '.join(sorted(unknown))}; there are: {', '.join(STORIES)}")
        return 2
    os.environ["no_proxy"] = "127.0.0.1"  # whatever proxy leads elsewhere
    up()
    for name in names or STORIES:
        recorded = STORIES[name]
        exchanges = asyncio.run(record(name, recorded.story, recorded.user))
        path = save(name, exchanges, CLOUD)
        asyncio.run(play(name, recorded.story, recorded.user))
        print(f"{path.name}: {len(exchanges)} requests")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
