import subprocess
import sys

import pytest

from hotplate.server.broker import shown_broker


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("amqp://me:secret@rabbit:5672/v", "amqp://rabbit:5672/v"),
        ("amqps://me:secret@[::1]/", "amqps://[::1]/"),
    ],
)
def test_a_broker_is_shown_without_its_user_and_password(url: str, shown: str) -> None:
    assert shown_broker(url) == shown


@pytest.mark.processes
def test_without_a_broker_nothing_of_its_library_is_loaded() -> None:
    program = (
        "import hotplate.server.service, hotplate.server.engine_process, hotplate.server.status, "
        "sys; sys.exit('aio_pika' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
