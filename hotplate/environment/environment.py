"""The environment in effect for one stack."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hotplate.document import Document, Path, Position
from hotplate.environment import names
from hotplate.environment.environment_file import EnvironmentFile
from hotplate.environment.merge import merged_sections
from hotplate.environment.origin import Origin
from hotplate.environment.registry import Registry
from hotplate.environment.traced import Traced, traced
from hotplate.template.parameter_type import ParameterType

_NO_REGISTRY = traced(Document("no environment", {}), (), {})


@dataclass(frozen=True, slots=True)
class Environment:
    """What all environments of a stack come to. Immutable; its data is shared.

    Every value knows its origin. Paths begin with the name of a section.
    """

    registry: Registry
    _sections: Mapping[str, Traced] = field(repr=False)
    _data: Mapping[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        data = {section: node.data() for section, node in self._sections.items()}
        object.__setattr__(self, "_data", data)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """The values given for the parameters of the stack's own template; null is no value."""
        return self._map(names.PARAMETERS)

    @property
    def parameter_defaults(self) -> Mapping[str, Any]:
        """The defaults for every template in the tree of stacks that declares the name."""
        return self._map(names.PARAMETER_DEFAULTS)

    @property
    def event_sinks(self) -> tuple[Mapping[str, Any], ...]:
        """Where events are sent besides the store."""
        return tuple(self._list(names.EVENT_SINKS))

    @property
    def encrypted_param_names(self) -> tuple[str, ...]:
        """The parameters whose values are stored encrypted."""
        return tuple(self._list(names.ENCRYPTED))

    def data(self) -> dict[str, Any]:
        """Return the merged environment as the API shows it, every section present."""
        return {
            names.PARAMETERS: self._map(names.PARAMETERS),
            names.PARAMETER_DEFAULTS: self._map(names.PARAMETER_DEFAULTS),
            names.REGISTRY: self._map(names.REGISTRY),
            names.EVENT_SINKS: self._list(names.EVENT_SINKS),
            names.ENCRYPTED: self._list(names.ENCRYPTED),
        }

    def origin(self, path: Path) -> Origin | None:
        """Return how the value at the path came about, None if there is none."""
        node = self._sections.get(str(path[0])) if path else None
        for step in path[1:]:
            node = None if node is None else node.part(step)
        return None if node is None else node.origin()

    def position(self, path: Path) -> Position | None:
        """Return where the value at the path was written, None if that is not known."""
        found = self.origin(path)
        return found.position if found else None

    def origins(self) -> Iterator[tuple[Path, Origin]]:
        """Yield the path and origin of every value that is not a map with something in it."""
        for section, node in self._sections.items():
            for path, leaf in node.leaves((section,)):
                if len(path) > 1 or not leaf.is_empty:
                    yield path, leaf.origin()

    def child(
        self, owner: str, resource_type: str, parameters: Document | None = None
    ) -> "Environment":
        """Return the environment of the nested stack of the resource ``owner``.

        It inherits registry, parameter defaults and event sinks. Of ``resources`` only what
        concerns that nested stack remains. The entry that makes ``resource_type`` a
        template is removed. ``parameters`` are the owner's properties.
        """
        resolution = self.registry.lookup(resource_type, owner)
        leads = resolution.chain[-1] if resolution.template and resolution.chain else None
        registry = self.registry.child(owner, leads)
        sections = {
            section: self._sections[section]
            for section in (names.PARAMETER_DEFAULTS, names.EVENT_SINKS)
            if section in self._sections
        }
        sections[names.REGISTRY] = registry.section
        if parameters is not None and parameters.data:
            sections[names.PARAMETERS] = traced(parameters, (), parameters.data)
        return Environment(registry, sections)

    def _map(self, section: str) -> dict[str, Any]:
        return dict(self._data.get(section, {}))

    def _list(self, section: str) -> list[Any]:
        return list(self._data.get(section, []))


def merge(
    files: Sequence[EnvironmentFile],
    inline: Sequence[EnvironmentFile] = (),
    parameters: Document | None = None,
    types: Mapping[str, ParameterType] | None = None,
    server: Environment | None = None,
) -> Environment:
    """Return the environment that the files make in their order, the last one winning.

    ``inline`` are remainders of inline environments; they follow the files and are merged like
    them. ``parameters`` come last and replace whole values. ``types`` are those that any template
    of the request declares; merge strategies need them. ``server`` is the server's own
    environment, of which the registry counts.

    The cost is linear in the size of all that is given. Raises InvalidDocument with all
    contradictions between the files.
    """
    sections = merged_sections([*files, *inline], parameters, types or {})
    base = Registry(server.registry.section, is_servers=True) if server else None
    return Environment(Registry(sections.get(names.REGISTRY, _NO_REGISTRY), base), sections)
