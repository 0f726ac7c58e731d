"""The whole of Mistral as threads of one process; run by the Python of its own environment.

Its own command starts one process for each part, which need a message broker and a database
server between them. In one process a bus in memory and a SQLite file are enough.

    python mistral_process.py --config-file FILE USERS

USERS is a folder with a file for each use of the server; its name begins with the id of the
process. When none of them is alive any more, the server ends: a test run that was killed leaves
nothing behind.
"""

# mypy: ignore-errors
# ruff: noqa: E402
import oslo_service.backend as service_backend

service_backend.init_backend(service_backend.BackendType.THREADING)  # must come before the rest

import os
import signal
import sys
import threading
import time
from pathlib import Path

from jsonschema import validators
from mistral import config
from mistral.api import service as api_service
from mistral.db.v2 import api as database
from mistral.engine import engine_server
from mistral.executors import executor_server
from mistral.notifiers import notification_server
from mistral.rpc import base as rpc
from mistral.services import action_manager, workflows
from oslo_config import cfg
from oslo_log import log

_PATIENCE = 10.0


def watch(users: Path, done: threading.Event) -> None:
    """Set the event when nobody has used the server for a while."""
    seen = time.monotonic()
    while not done.wait(1.0):
        if any(is_alive(int(each.name.partition(".")[0])) for each in users.iterdir()):
            seen = time.monotonic()
        elif time.monotonic() - seen > _PATIENCE:
            done.set()


def is_alive(process: int) -> bool:
    """Tell whether there is a process of this id."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def check_each_schema_once() -> None:
    """Let a schema be checked when it is first met.

    `jsonschema.validate` checks the schema itself anew each time. Mistral has few schemas and uses
    several for each task: checking them was two thirds of all that it did.
    """
    check = validators.Draft202012Validator.check_schema
    checked: set[str] = set()

    def check_once(schema, **options) -> None:
        text = repr(schema)
        if text not in checked:
            check(schema, **options)
            checked.add(text)

    validators.Draft202012Validator.check_schema = check_once


def main() -> None:
    """Start everything, say so, and wait for the end."""
    check_each_schema_once()
    *arguments, users = sys.argv[1:]
    cfg.CONF.register_cli_opts(config.CLI_OPTS)
    config.parse_args(arguments)
    log.setup(cfg.CONF, "mistral")
    database.setup_db()  # its migrations do not run on SQLite
    action_manager.sync_db()
    workflows.sync_db()
    rpc.get_transport()
    for part in (engine_server, executor_server, notification_server):
        part.get_oslo_service().start()
    api = api_service.WSGIService("mistral_api")
    api.server.request_queue_size = 128  # five would refuse bursts of connections
    api.start()
    print("ready", flush=True)
    done = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: done.set())
    watch(Path(users), done)
    os._exit(0)


if __name__ == "__main__":
    main()
