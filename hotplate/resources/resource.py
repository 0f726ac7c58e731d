"""What a resource type is given of a resource, and what it returns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from random import Random
from typing import Any, Protocol

from hotplate.document import Data
from hotplate.template import ResourceData


class Creation(Enum):
    """What may be done when a worker died while it was creating an object."""

    REPEATABLE = "repeatable"
    """Creating again is harmless."""

    FINDABLE = "findable"
    """`find` tells whether the object exists, by its creation token."""

    NEITHER = "neither"
    """It is unknown; the resource fails with a note that an orphan may exist."""


class ResourceFailed(Exception):
    """The object cannot be made, changed or deleted; the text is shown to the user.

    ``error`` is the kind of error that is shown before it; the name of the class if none is given.
    ``attributes`` is what the resource offers all the same; None if that stays as it was.
    """

    def __init__(
        self, text: str, error: str = "", attributes: Mapping[str, Data] | None = None
    ) -> None:
        super().__init__(text)
        self.error = error or type(self).__name__
        self.attributes = attributes


class ObjectMissing(ResourceFailed):
    """The provider says that there is no such object (any more); nothing else may be the matter.

    Raised for an external object, it lets the engine make a new one when the resource returns
    to management. A provider that does not answer is no reason for it.
    """

    def __init__(self, text: str, error: str = "NotFound") -> None:
        super().__init__(text, error)


class UpdateRefused(ResourceFailed):
    """The provider has refused an update, and the object is as it was before.

    So it need not be replaced: the next update begins where this one did.
    """


class TemplateMissing(ResourceFailed):
    """The template of a stack inside is not among the files; ``name`` is what it is called."""

    def __init__(self, name: str) -> None:
        super().__init__(f'the template "{name}" was not given; send it in the request\'s files')
        self.name = name


class BadSignal(Exception):
    """A signal says something that the resource cannot make sense of; the text says what."""


class World(Protocol):
    """What a type may know of the world."""

    random: Random

    def now(self) -> float:
        """Return the time."""
        ...

    def service(self, name: str) -> Any:
        """Return a service by name, such as the directory provider."""
        ...


@dataclass(slots=True)
class Resource:
    """What a type is given of the resource it acts on. Nothing that may be secret prints itself.

    ``creation_token`` is unique to this version and stays the same for every try: put it on the
    object so that `find` can find it. ``cookie`` is what the type returned with Wait the last time.
    """

    stack_name: str
    stack_id: str
    project: str
    name: str
    creation_token: str
    physical_id: str | None
    properties: Mapping[str, Any] = field(repr=False)
    data: dict[str, Any] = field(repr=False)
    world: World
    metadata: Mapping[str, Any] = field(default_factory=dict, repr=False)
    old_properties: Mapping[str, Any] = field(default_factory=dict, repr=False)
    cookie: Any = field(default=None, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    """The secrets among its properties, for a service that writes texts of its own about them."""

    signals: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    """The signals to the resource that this one listens to, oldest first."""

    source: Mapping[str, Any] | None = field(default=None, repr=False)
    """What the type of that resource keeps of it; None if there is no such resource."""

    source_name: str = ""
    """The name of that resource, for people."""

    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    environment: Mapping[str, Any] = field(default_factory=dict, repr=False)
    """The files of its stack, and what a stack inside it would inherit of the environment.

    Given to types that send templates elsewhere (`SendsFiles`).
    """

    is_wanted: bool = True
    """False for work that goes on though its stack was cancelled, ran out of time or is undone, or
    though the resource is only to be removed by now."""

    keeps_snapshot: bool = False
    """Its deletion policy is Snapshot: before the object is deleted, its state is kept."""

    is_external: bool = False
    """The object is external: it bears no creation token of ours, and its properties are
    unknown."""

    @property
    def physical_name(self) -> str:
        """A name for the object that is unique and that people recognise."""
        return self.shortened_name(255)

    def shortened_name(self, most: int) -> str:
        """Return the physical name for a provider that takes names of so many characters.

        Of a name that is too long the first two characters and the end are kept.
        """
        name = f"{self.stack_name}-{self.name}-{self.creation_token.replace('-', '')[:12]}"
        return name if len(name) <= most else f"{name[:2]}-{name[3 - most :]}"


@dataclass(frozen=True, slots=True)
class Done:
    """The action is complete. What is None stays as it was."""

    physical_id: str | None = None
    reference: str | None = field(default=None, repr=False)
    attributes: Mapping[str, Data] | None = field(default=None, repr=False)
    data: dict[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Wait:
    """The action goes on; call again after so many seconds, with this cookie.

    Without a time the resource sleeps until a signal wakes it. ``physical_id`` and ``data`` are
    stored at once; what is None stays as it was. ``reason`` is shown as the reason of the state.
    ``is_gone`` says that the object that was made has failed and is deleted: its id is forgotten,
    and the creation begins anew, without a cookie. An event tells the reason.
    """

    cookie: Any = field(repr=False)
    seconds: float | None
    physical_id: str | None = None
    data: dict[str, Any] | None = field(default=None, repr=False)
    reason: str | None = None
    is_gone: bool = False


Result = Done | Wait


@dataclass(frozen=True, slots=True)
class Gone:
    """The object is deleted, and nothing has its id any more: see `PreparesReplacement`.

    What is None stays as it was.
    """

    data: dict[str, Any] | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Child:
    """What a type may know of the stack that its resource is.

    ``members`` maps the names of its resources to their references and attributes. ``data`` is
    what the type keeps of the resource. An output, or an attribute of a member, that could not be
    worked out is a `NoValue`; what a type makes of such ones is one, too.
    """

    id: str
    arn: str
    outputs: Mapping[str, Any] = field(repr=False)
    members: Mapping[str, ResourceData] = field(repr=False)
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    knows_members: bool = True
    """False if they were not read, because `publishes_members` says that none is needed."""

    @property
    def name(self) -> str:
        """The stack's name."""
        return self.arn.rsplit("/", 2)[1]


@dataclass(frozen=True, slots=True)
class Source:
    """What the stack is made of that a resource is: a template that a user wrote, and values."""

    template: str = field(repr=False)
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False)
