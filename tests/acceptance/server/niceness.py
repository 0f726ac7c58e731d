"""An evaluation whose module is loaded in a moment: it tells how nice its process is."""

import os
import time
from typing import Any


def niceness(tools: Any, seconds: float) -> int:
    """Use so much of the processor, then tell."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
    time.sleep(seconds)
    return os.getpriority(os.PRIO_PROCESS, 0)
