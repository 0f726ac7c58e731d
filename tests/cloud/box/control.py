"""Starting and stopping the cloud. Any process may call these at any time: they take turns."""

from collections.abc import Iterable

from tests.cloud.box import database
from tests.cloud.box.installation import install, is_installed, restore
from tests.cloud.box.places import CLOUD, NEEDS, SERVICES
from tests.cloud.box.processes import process_of, start, stop
from tests.shared_process import locked


def up(names: Iterable[str] = ()) -> list[str]:
    """Start services and those they need, all without names; return them when they answer.

    Installs the cloud first if it is not there or is another than the repository describes.
    Raises Broken.
    """
    with locked(CLOUD):
        return _up(names)


def down(names: Iterable[str] = ()) -> None:
    """Stop services; without names all of them and the database."""
    names = list(names)
    with locked(CLOUD):
        stop(names or SERVICES)
        if not names:
            stop(["db"], 30)


def reset(names: Iterable[str] = ()) -> list[str]:
    """Start again from the state right after the installation; without names what runs now."""
    with locked(CLOUD):
        wanted = list(names) or [name for name in SERVICES if process_of(name)]
        stop(SERVICES)
        stop(["db"], 30)
        if is_installed():
            restore()
        return _up(wanted)


def _up(names: Iterable[str]) -> list[str]:
    wanted = {"keystone", *(names or SERVICES)}
    wanted.update(*(NEEDS.get(name, ()) for name in list(wanted)))
    services = [name for name in SERVICES if name in wanted]
    if not is_installed():
        install()
    if not database.exists():
        restore()
    database.start_database()
    start(services)
    return services
