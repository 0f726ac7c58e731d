"""Authorities in a real database: sealed, listed by the command, sealed anew with other keys."""

import json
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from hotplate.model import Authority
from hotplate.store.authorities import (
    keep_trust,
    put_authority,
    read_authority,
    suspend_authority,
)
from hotplate.store.database import open_engine, transact
from hotplate.store.sealing import KeyFile, Sealer
from hotplate.store.stacks import insert_stacks
from hotplate.store.upgrade import upgrade
from tests.acceptance.command.terminal import piped
from tests.acceptance.isolation.secret_search import found_in, stored
from tests.unit.store.rows import stack_row

SECRETS = {"token": "gAAAAA-a-token-of-keystone", "trust": "4d2a7f-id-of-a-trust"}
ANN = Authority(
    "a" * 64,
    "u1",
    "ann",
    "default",
    "p1",
    "demo",
    ("r1",),
    token=SECRETS["token"],
    token_expires=2_000_000_000.0,
)


def listed(home: Path, *flags: str) -> list[dict[str, Any]]:
    done = piped("authorities", "--output", "json", *flags, home=home)
    assert done.returncode == 0, done.stdout
    return [json.loads(line) for line in done.stdout.splitlines()]


def opened(url: str, keys: Path) -> Engine:
    return open_engine(url, Sealer(KeyFile(keys)))


def test_an_authority_is_sealed_listed_and_sealed_anew(database_url: str, tmp_path: Path) -> None:
    keys = tmp_path / "secrets.key"
    flags = ("--database", database_url, "--key-file", str(keys))
    engine = opened(database_url, keys)
    upgrade(engine)
    transact(engine, lambda connection: put_authority(connection, ANN, 1.0))
    transact(engine, lambda connection: keep_trust(connection, ANN.id, SECRETS["trust"], ""))
    row = stack_row("s", project="p1", authority_id=ANN.id)
    transact(engine, lambda connection: insert_stacks(connection, [row]))
    transact(engine, lambda connection: suspend_authority(connection, ANN.id, "waits: why", 2.0))
    engine.dispose()
    assert found_in(stored(database_url), SECRETS) == set()

    [shown] = listed(tmp_path, *flags)
    assert {name: shown[name] for name in ("user", "project", "kind", "state", "stacks")} == {
        "user": "ann",
        "project": "p1",
        "kind": "token and trust",
        "state": "suspended",
        "stacks": 1,
    }
    assert shown["reason"] == "waits: why"
    assert not any(secret in json.dumps(shown) for secret in SECRETS.values())
    table = piped("authorities", *flags, home=tmp_path).stdout
    assert "ann" in table
    assert "waits: why" in table

    assert piped("db", "add-key", *flags, home=tmp_path).returncode == 0
    assert piped("db", "rekey", *flags, home=tmp_path).returncode == 0
    engine = opened(database_url, keys)
    found = transact(engine, lambda connection: read_authority(connection, ANN.id))
    engine.dispose()
    assert found is not None
    assert (found.token, found.trust) == (SECRETS["token"], SECRETS["trust"])
    assert found_in(stored(database_url), SECRETS) == set()
