"""Which implementation a resource type has, and what holds for single resources."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from fnmatch import fnmatchcase

from hotplate.document import InvalidDocument, Path, Problem
from hotplate.environment import names
from hotplate.environment.names import Hook, RestrictedAction, is_template_file
from hotplate.environment.origin import Origin
from hotplate.environment.resource_tree import applied, narrowed_tree
from hotplate.environment.traced import Traced, of_parts
from hotplate.environment.wording import quoted

_STANDS_FOR = {"OS::Heat::ScaledResource": "AWS::EC2::Instance"}
"""Names that are no types and mean others unless an entry says otherwise, as in Heat."""

_MOST_CHAINED = 50
_MOST_STEPS = 200
_MOST_REMEMBERED = 1000
"""Types of which a registry remembers what they stand for."""

_NOT_TYPES = (names.RESOURCES, names.HOOKS, names.RESTRICTED_ACTIONS, names.BASE_URL)


class EntryKind(Enum):
    """What an entry leads to."""

    TEMPLATE = "template"
    WILDCARD = "wildcard"
    ALIAS = "alias"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry in effect. ``path`` begins with ``resource_registry``."""

    path: Path
    kind: EntryKind
    value: str
    origin: Origin
    is_servers: bool

    @property
    def name(self) -> str:
        """The type, or pattern of types, that the entry is for."""
        return str(self.path[-1])

    def target(self, resource_type: str) -> str:
        """Return the type that an alias or wildcard leads to."""
        if self.kind is EntryKind.WILDCARD and self.value.endswith("*"):
            return self.value[:-1] + resource_type[len(self.name) - 1 :]
        return self.value


@dataclass(frozen=True, slots=True)
class Resolution:
    """What a type stands for: a template file, or a type of the engine if ``template`` is None.

    ``chain`` are the entries that led there, in the order of the lookup. ``type`` is the last
    type that was looked up; whether the engine knows it is for the caller to say.
    """

    type: str
    template: str | None
    chain: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Registry:
    """The section resource_registry in effect, on top of the server's own."""

    section: Traced
    base: "Registry | None" = None
    is_servers: bool = False
    _types: Mapping[str, Entry] = field(init=False, repr=False)
    _wildcards: Mapping[str, Entry] = field(init=False, repr=False)
    _prefix_lengths: tuple[int, ...] = field(init=False, repr=False)
    _resources: Mapping[str, Traced] = field(init=False, repr=False)
    _found: dict[str, Resolution] = field(
        init=False, repr=False, compare=False, default_factory=dict
    )
    """What was found for types, whatever the resource: a large template has few of them."""

    def __post_init__(self) -> None:
        parts = applied(self.section)
        entries = {
            name: self._entry((names.REGISTRY, name), part)
            for name, part in parts.items()
            if name not in _NOT_TYPES and isinstance(part.plain, str)
        }
        wildcards = {e.name[:-1]: e for e in entries.values() if e.kind is EntryKind.WILDCARD}
        resources = parts.get(names.RESOURCES)
        tree = {} if resources is None else applied(resources)
        object.__setattr__(self, "_types", entries)
        object.__setattr__(self, "_wildcards", wildcards)
        lengths = tuple(sorted(set(map(len, wildcards)), reverse=True))
        object.__setattr__(self, "_prefix_lengths", lengths)
        object.__setattr__(self, "_resources", {n: p for n, p in tree.items() if p.is_map})

    def lookup(
        self,
        resource_type: str,
        resource_name: str | None = None,
        is_known: Callable[[str], bool] | None = None,
    ) -> Resolution:
        """Return what a type stands for, by name of the resource if one is given.

        User entries come before the server's, an entry for the resource before one for the type,
        that before wildcards, longer wildcards before shorter. What is found in the server's
        registry is looked up further only there. A type without an entry stands for itself. With
        ``is_known``, a wildcard that leads to no known type and no template is passed over.

        Raises InvalidDocument if the entries lead in a circle.
        """
        if is_known is not None or (resource_name and self.names_resource(resource_name)):
            return self._looked_up(resource_type, _Search(resource_name, is_known))
        found = self._found.get(resource_type)
        if found is None:
            found = self._looked_up(resource_type, _Search(None, None))
            if len(self._found) < _MOST_REMEMBERED:
                self._found[resource_type] = found
        return found

    def type_of(self, resource_type: str, resource_name: str) -> str:
        """Return the type that a resource has; empty for a template file, and for a circle."""
        try:
            found = self.lookup(resource_type, resource_name)
        except InvalidDocument:
            return ""  # whoever needs the type tells what is wrong
        return "" if found.template else found.type

    def _looked_up(self, resource_type: str, search: "_Search") -> Resolution:
        found = self._resolve(resource_type, search, ())
        if found.template is None and found.type in _STANDS_FOR:
            return self._resolve(_STANDS_FOR[found.type], search, found.chain)
        return found

    def names_resource(self, resource_name: str) -> bool:
        """Tell whether `lookup` may give another answer for this resource than for its type."""
        if resource_name in self._resources:
            return True
        return self.base is not None and self.base.names_resource(resource_name)

    @property
    def names_resources(self) -> bool:
        """Whether `names_resource` may be true of any."""
        return bool(self._resources) or (self.base is not None and self.base.names_resources)

    def hooks(self, resource_name: str) -> frozenset[Hook]:
        """Return the hooks of a resource, from all names and patterns that match it."""
        if not self._resources:
            return frozenset()  # most environments: it is asked several times for each resource
        return frozenset(map(Hook, self._setting(names.HOOKS, resource_name)))

    def restricted_actions(self, resource_name: str) -> frozenset[RestrictedAction]:
        """Return what must not be done to a resource, from all names and patterns."""
        if not self._resources:
            return frozenset()
        words = self._setting(names.RESTRICTED_ACTIONS, resource_name)
        return frozenset(map(RestrictedAction, words))

    def entries(self) -> tuple[Entry, ...]:
        """Return the user's entries for types that are in effect, without those of resources."""
        return tuple(self._types.values())

    def child(self, owner: str, instantiated: Entry | None = None) -> "Registry":
        """Return the registry for the nested stack of the resource ``owner``.

        ``instantiated`` is the entry that led to the template of that stack. It is removed, so
        that a template may use the type it stands for.
        """
        parts = self.section.expanded()
        parts.pop(names.RESOURCES, None)
        if instantiated and not instantiated.is_servers and len(instantiated.path) == 2:
            parts.pop(instantiated.name, None)
        tree = narrowed_tree(self._resources, owner)
        if tree is not None:
            parts[names.RESOURCES] = tree
        return Registry(of_parts(parts, self.section.given), self.base, self.is_servers)

    def _entry(self, path: Path, part: Traced) -> Entry:
        name, value = str(path[-1]), str(part.plain)
        if is_template_file(name):
            value, kind = name, EntryKind.TEMPLATE
        elif is_template_file(value):
            kind = EntryKind.TEMPLATE
        else:
            kind = EntryKind.WILDCARD if name.endswith("*") else EntryKind.ALIAS
        return Entry(path, kind, value, part.origin(), self.is_servers)

    def _candidates(self, resource_type: str, resource_name: str | None) -> Iterator[Entry]:
        resource = self._resources.get(resource_name) if resource_name else None
        if resource is not None and resource_type not in _NOT_TYPES:
            part = applied(resource).get(resource_type)
            if part is not None and isinstance(part.plain, str):
                path = (names.REGISTRY, names.RESOURCES, str(resource_name), resource_type)
                yield self._entry(path, part)
        if resource_type in self._types:
            yield self._types[resource_type]
        for length in self._prefix_lengths:
            entry = self._wildcards.get(resource_type[:length])
            # It is never for the type it leads to.
            if entry is not None and resource_type != entry.value:
                yield entry

    def _resolve(
        self, resource_type: str, search: "_Search", chain: tuple[Entry, ...]
    ) -> Resolution:
        if is_template_file(resource_type):
            return Resolution(resource_type, resource_type, chain)
        for entry in self._candidates(resource_type, search.resource_name):
            if entry.kind is EntryKind.TEMPLATE:
                return Resolution(resource_type, entry.value, (*chain, entry))
            target = entry.target(resource_type)
            if target == resource_type:
                return Resolution(resource_type, None, (*chain, entry))
            search.step(chain, entry)
            found = self._resolve(target, search, (*chain, entry))
            if entry.kind is not EntryKind.WILDCARD or search.accepts(found):
                return found
        if self.base is not None:
            return self.base._resolve(resource_type, search, chain)
        return Resolution(resource_type, None, chain)

    def _setting(self, setting: str, resource_name: str) -> Iterator[str]:
        for pattern, resource in self._resources.items():
            part = resource.part(setting) if fnmatchcase(resource_name, pattern) else None
            value = None if part is None else part.data()
            if isinstance(value, str):
                yield value
            elif isinstance(value, list):
                yield from (str(word) for word in value)


@dataclass(slots=True)
class _Search:
    """One lookup under way; refuses to go on for ever."""

    resource_name: str | None
    is_known: Callable[[str], bool] | None
    steps: int = 0

    def accepts(self, found: Resolution) -> bool:
        return found.template is not None or self.is_known is None or self.is_known(found.type)

    def step(self, chain: tuple[Entry, ...], entry: Entry) -> None:
        self.steps += 1
        if entry.kind is EntryKind.ALIAS and entry in chain:
            steps = " -> ".join([*(e.name for e in chain), entry.name])
            raise _nowhere(entry, f"the entries lead in a circle: {steps}")
        if len(chain) >= _MOST_CHAINED or self.steps > _MOST_STEPS:
            raise _nowhere(entry, f"{quoted(entry.name)} leads on and on, and nowhere")


def _nowhere(entry: Entry, message: str) -> InvalidDocument:
    given = entry.origin.contributors[0]
    hint = "let it lead to a type of the engine or to a template file"
    return InvalidDocument([Problem(message, given.path, hint, given.position, file=given.file)])
