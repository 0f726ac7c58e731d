"""The cloud's MariaDB: Debian's, private, on a socket, with no care for power failures."""

import os
import shutil
import subprocess
import time
from typing import Final

from tests.cloud.box.places import LOG, RUN, SOCKET, VAR
from tests.cloud.box.processes import Broken, process_of, spawn

DATABASES: Final = (
    "keystone",
    "glance",
    "placement",
    "neutron",
    "nova_api",
    "nova_cell0",
    "nova_cell1",
    "cinder",
    "barbican",
    "designate",
    "octavia",
)
_DATA: Final = VAR / "mysql"
_PATH: Final = f"{os.environ.get('PATH', '')}:/usr/sbin"
_PACKAGES: Final = "mariadb-server-core mariadb-client-core"


def install_packages() -> None:
    """Install Debian's MariaDB if it is missing and we may. Raises Broken."""
    if all(shutil.which(name, path=_PATH) for name in ("mariadbd", "mariadb-install-db")):
        return
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        raise Broken(f"the cloud needs MariaDB; on Debian: apt-get install {_PACKAGES}")
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    wait = ["-q", "-y", "-o", "DPkg::Lock::Timeout=300"]
    subprocess.run(["apt-get", *wait, "update"], check=True, env=quiet)
    install = ["install", "--no-install-recommends", *_PACKAGES.split()]
    subprocess.run(["apt-get", *wait, *install], check=True, env=quiet)


def create_databases() -> None:
    """Make an empty database for each service, and the user that all of them connect as."""
    subprocess.run(
        [
            "mariadb-install-db",
            "--no-defaults",
            *_user(),
            f"--datadir={_DATA}",
            "--skip-test-db",
            "--auth-root-authentication-method=normal",
        ],
        check=True,
        capture_output=True,
    )
    start_database()
    sql(
        "CREATE USER cloud@localhost IDENTIFIED BY 'cloud';"
        "GRANT ALL ON *.* TO cloud@localhost;"
        + "".join(f"CREATE DATABASE {name};" for name in DATABASES)
    )


def exists() -> bool:
    """Return whether there are databases to start from."""
    return _DATA.is_dir()


def start_database() -> None:
    """Start the server if it does not run, and return when it answers. Raises Broken."""
    if not process_of("db"):
        spawn(
            "db",
            [
                shutil.which("mariadbd", path=_PATH) or "mariadbd",
                "--no-defaults",
                *_user(),
                f"--datadir={_DATA}",
                f"--socket={SOCKET}",
                f"--pid-file={RUN / 'db-own.pid'}",
                "--skip-networking",
                "--skip-log-bin",
                "--skip-name-resolve",
                "--performance-schema=off",
                "--max-connections=800",
                "--table-open-cache=800",
                "--character-set-server=utf8mb4",
                "--innodb-buffer-pool-size=192M",
                "--innodb-log-file-size=48M",
                "--innodb-flush-log-at-trx-commit=0",
                "--innodb-doublewrite=0",
                "--innodb-flush-method=nosync",
                "--innodb-fast-shutdown=1",
            ],
        )
    end = time.monotonic() + 60
    while True:
        try:
            sql("SELECT 1")
        except subprocess.CalledProcessError as error:
            if time.monotonic() > end:
                words = error.stderr.strip()
                raise Broken(f"the database does not answer: {words}; see {LOG}/db.out") from None
            time.sleep(0.1)
        else:
            return


def sql(text: str) -> None:
    """Run statements as the administrator."""
    client = ["mariadb", "--no-defaults", "-uroot", "-S", str(SOCKET), "-e", text]
    subprocess.run(client, check=True, capture_output=True, text=True)


def _user() -> list[str]:
    """The server refuses to run as root unless it is asked to."""
    return ["--user=root"] if os.geteuid() == 0 else []
