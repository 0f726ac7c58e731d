"""The base of all types whose objects are in a cloud."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from collections.abc import Collection as SomeNames
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Final

from hotplate.cloud import (
    BadConfiguration,
    Cloud,
    CloudError,
    Collection,
    Conflict,
    NotFound,
    Unauthenticated,
    Unavailable,
)
from hotplate.document import Data
from hotplate.resources.capabilities import (
    Adoptable,
    Checkable,
    ChecksCreation,
    Findable,
    LiveAttributes,
    TakesNames,
)
from hotplate.resources.cookie import Cookie
from hotplate.resources.openstack.cloud_resource import CloudResource
from hotplate.resources.openstack.creation_tokens import with_token, without_token
from hotplate.resources.openstack.place import PLACE, cloud_of, elsewhere, place_of
from hotplate.resources.openstack.spelling import as_spelled, with_ids
from hotplate.resources.openstack.states import Progress, States
from hotplate.resources.openstack.translation import (
    from_fields,
    in_form_of,
    to_fields,
)
from hotplate.resources.resource_type import (
    Done,
    ObjectMissing,
    Resource,
    ResourceFailed,
    Result,
    UpdateRefused,
    Wait,
)

Object = Mapping[str, Any]
"""An object as its service represents it."""

_MOST_TRIES: Final = 6
"""How often a deletion is tried that the service refuses because the object is in use."""

_AWAY_SECONDS: Final = 10.0
"""How long to wait for a service that is away, before it is asked again."""

_ASKED_AGAIN: Final = (
    f"it is tried again every {_AWAY_SECONDS:g} seconds; the cloud's operator can help if it lasts"
)


@dataclass(frozen=True, slots=True)
class Begun(Cookie):
    """An action that has been asked for: when, how often, and what comes next in it."""

    at: float
    tries: int = 0
    step: str = ""


class CloudType(Findable, Checkable, Adoptable, ChecksCreation, LiveAttributes, TakesNames):
    """An object in a collection of one service, made, changed and deleted by the usual calls.

    A type declares the tables below. Where the service is special it overrides the methods in the
    second half, which are given a `CloudResource`; the engine's methods stay as they are here.
    """

    collection: ClassVar[Collection]
    """Where the objects are."""

    renamed: ClassVar[Mapping[str, str]] = {}
    """Paths of properties that the service calls otherwise, and the names of its fields."""

    apart: ClassVar[frozenset[str]] = frozenset()
    """Properties that are not fields of the object: they have calls of their own, or none."""

    states: ClassVar[States | None] = None
    """What creation and update wait for; None if the object is complete once it is there."""

    vanishes: ClassVar[bool] = False
    """A deleted object is still there for a while."""

    attribute_fields: ClassVar[Mapping[str, str]] = {}
    """Attributes that the service calls otherwise, and the names of its fields."""

    absent: ClassVar[Mapping[str, Data]] = {}
    """Fields that the service does not take null for, and what they are without a value."""

    located_by: ClassVar[tuple[str, ...]] = ()
    """Those of the named properties without whose ids the object cannot be found."""

    identifying_field: ClassVar[str] = ""
    """The field that tells whose an object is, if the template gives its name; texts only."""

    longest_name: ClassVar[int] = 255
    live_attributes = frozenset(("show",))

    # What the engine calls.

    async def refusal(self, resource: Resource) -> str:
        try:
            cloud = cloud_of(resource)
            if await cloud.service(self.collection.service).exists():
                return ""
        except (ResourceFailed, BadConfiguration, Unauthenticated) as error:
            return str(error)
        except CloudError:
            return ""  # it may answer by the time that the object is made
        return (
            f"the cloud has no {self.collection.service} service, so there is no {self.name} in it"
        )

    async def create(self, resource: Resource) -> Result:
        return await self._explained(resource, self._create)

    async def update(self, resource: Resource) -> Result:
        return await self._explained(resource, self._update)

    async def delete(self, resource: Resource) -> Result:
        if resource.physical_id is None:
            return Done()
        return await self._explained(resource, self._delete, self.located_by)

    async def check(self, resource: Resource) -> Result:
        try:
            return await self._explained(resource, self._check, self.located_by)
        except NotFound as error:
            raise ObjectMissing(str(error)) from None

    async def adopt(self, resource: Resource) -> Result:
        return await self.check(resource)

    async def take_back(self, resource: Resource) -> Result:
        """Manage an object that was external: ask only for what is given and not so already.

        Some fields only administrators may name, whatever the value is.
        """
        if resource.cookie is None and not resource.old_properties:
            resource.old_properties = await self._properties_before(resource)
        return await super().take_back(resource)

    async def _properties_before(self, resource: Resource) -> dict[str, Any]:
        """Return what an object that was external is like, as far as the template has words."""
        live = await self.live_properties(resource)
        return {
            name: None if value is None else live[name]
            for name, value in resource.properties.items()
            if value is None or name in live
        }

    async def find(self, resource: Resource) -> str | None:
        it = await self._with_cloud(resource)
        found = await self.search(it)
        return None if found is None else self.physical_id_of(found)

    async def live_properties(self, resource: Resource) -> Mapping[str, Any]:
        it = await self._with_cloud(resource, self.located_by)
        try:
            live = await self._as_spelled(it, await self.live(it, await self.read(it)))
        except NotFound as error:
            raise ObjectMissing(str(error)) from None
        except CloudError as error:
            raise ResourceFailed(str(error), type(error).__name__) from None
        given = resource.properties
        return {
            name: in_form_of(self.properties[name], given.get(name), live[name]) for name in live
        }

    async def read_attributes(
        self, resource: Resource, names: SomeNames[str]
    ) -> Mapping[str, Data]:
        it = await self._with_cloud(resource, self.located_by)
        try:
            found = await self.read(it)
            shown = {**self.shown(it, found), **await self.shown_elsewhere(it, found)}
            return {**shown, **await self.shown_on_request(it, names)}
        except CloudError as error:
            raise ResourceFailed(str(error), type(error).__name__) from None

    # What types override where their service is special.

    def path(self, it: CloudResource) -> str:
        """Return where the objects of the collection are."""
        return self.collection.path

    def object_path(self, it: CloudResource) -> str:
        """Return where the object is."""
        return f"{self.path(it)}/{it.quoted_id}"

    def object_name(self, it: CloudResource) -> str:
        """Return the name that the object shall have."""
        return it.properties.get("name") or it.resource.shortened_name(self.longest_name)

    def fields(self, it: CloudResource) -> dict[str, Any]:
        """Return the fields of an object with these properties; what is None is not sent."""
        given = {
            key: value
            for key, value in it.properties.items()
            if key in self.properties and key not in self.apart and not self.properties[key].hidden
        }
        fields = to_fields(given, self.renamed)
        if "name" in self.properties:
            fields["name"] = self.object_name(it)
        return fields

    def changes(self, it: CloudResource) -> dict[str, Any]:
        """Return the fields that an update changes; None takes a value away."""
        wanted = self.fields(it)
        names = {
            name
            for name, declared in self.properties.items()
            if declared.updatable and name not in self.apart and it.changed(name)
        }
        tops = {self.renamed.get(name, name) for name in names}
        return {
            key: self.absent.get(key) if value is None else value
            for key, value in wanted.items()
            if key in tops
        }

    def first_fields(self, it: CloudResource) -> dict[str, Any]:
        """Return the fields that the object is made with."""
        return {key: value for key, value in self.fields(it).items() if value is not None}

    async def make(self, it: CloudResource) -> Object:
        """Make the object."""
        body = {self.collection.key: self.with_creation_token(it, self.first_fields(it))}
        version = self.collection.microversion
        return self._one(await it.service.post(self.path(it), body, microversion=version))

    def has_more(self, it: CloudResource) -> bool:
        """Tell whether the object needs more calls than the one that makes it."""
        return False

    async def complete(self, it: CloudResource) -> None:
        """Make these calls. May be called again after a crash."""

    async def change(self, it: CloudResource) -> Object | None:
        """Change the object; return it if the service does. May be called again after a crash."""
        fields = self.changes(it)
        if not fields:
            return None
        body = {self.collection.key: fields}
        answer = await it.service.put(self.object_path(it), body, repeatable=True)
        return self._one(answer)

    async def remove(self, it: CloudResource) -> None:
        """Delete the object. That it is deleted already is no error."""
        await it.service.delete(self.object_path(it))

    async def read(self, it: CloudResource) -> Object:
        """Return the object as it is now. Raises NotFound."""
        version = self.collection.microversion
        return self._one(await it.service.get(self.object_path(it), microversion=version))

    async def search(self, it: CloudResource) -> Object | None:
        """Return the object that bears the creation token, None if there is none."""
        text = self.token_text(it)
        names = {"name": self.object_name(it)} if "name" in self.properties else {}
        query = {self.identifying_field: text} if text else names
        listed = await it.service.list_all(self.path(it), self._list_key(), query)
        key, value = (self.identifying_field, text) if text else ("name", names.get("name"))
        return next((each for each in listed if each.get(key) == value), None)

    async def finish(self, it: CloudResource, found: Object) -> Object:
        """Do what can be done only when the awaited state is there; return the object then."""
        return found

    def physical_id_of(self, found: Object) -> str:
        """Return the physical id of an object."""
        return str(found["id"])

    def reference(self, it: CloudResource, found: Object) -> str | None:
        """Return what get_resource gives; None for the physical id."""
        return None

    def shown(self, it: CloudResource, found: Object) -> dict[str, Data]:
        """Return the attributes of an object."""
        attributes = {
            name: found[field]
            for name in self.attributes
            if (field := self.attribute_fields.get(name, name)) in found
        }
        if self.identifying_field in attributes:
            attributes[self.identifying_field] = without_token(attributes[self.identifying_field])
        return {**attributes, "show": dict(found)}

    async def shown_elsewhere(self, it: CloudResource, found: Object) -> Mapping[str, Data]:
        """Return the attributes that need calls of their own."""
        return {}

    async def shown_on_request(
        self, it: CloudResource, names: SomeNames[str]
    ) -> Mapping[str, Data]:
        """Return live attributes that are not worth their calls unless somebody asks for them."""
        return {}

    async def live(self, it: CloudResource, found: Object) -> dict[str, Any]:
        """Return the properties of an object that can be read: from its representation, mostly."""
        values = from_fields(found, self.renamed)
        known = {
            name: values[name]
            for name in self.properties
            if name in values and name not in self.apart
        }
        if self.identifying_field in known:
            known[self.identifying_field] = without_token(known[self.identifying_field])
        return known

    async def failure(self, it: CloudResource, found: Object) -> str:
        """Return why an object has failed; the service may have to be asked for its words."""
        status = self.states.status(found) if self.states else ""
        return f"the {self.collection.key} {self.physical_id_of(found)} is in status {status}"

    async def failed(self, it: CloudResource, action: str, found: Object) -> Result:
        """Do what is to be done when an action ends in a failure. Raises ResourceFailed."""
        raise ResourceFailed(await self.failure(it, found), "ResourceInError")

    def token_text(self, it: CloudResource) -> str:
        """Return what stands in the token's field; nothing if the name alone tells whose it is."""
        if not self.identifying_field or not it.properties.get("name", "-"):
            return ""
        return with_token(self.fields(it).get(self.identifying_field), it.resource)

    def with_creation_token(self, it: CloudResource, fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the fields with the token, if one is needed."""
        text = self.token_text(it)
        return {**fields, self.identifying_field: text} if text else dict(fields)

    # How the engine's methods are made of the others.

    async def _create(self, it: CloudResource) -> Result:
        begun = Begun.from_data(it.resource.cookie)
        if it.resource.physical_id is None:
            began = it.resource.world.now()
            made = await self.make(it)
            if self.has_more(it):
                # Recorded before anything else is done, so that it is not made twice.
                cookie = Begun(began, step="complete").as_data()
                return Wait(cookie, 0, physical_id=self.physical_id_of(made))
            return await self._awaited(it, "create", Begun(began), made)
        if begun is None or begun.step == "complete":
            began = it.resource.world.now() if begun is None else begun.at
            await self.complete(it)
            return await self._awaited(it, "create", Begun(began), await self.read(it))
        return await self._poll(it, "create", begun)

    async def _update(self, it: CloudResource) -> Result:
        begun = Begun.from_data(it.resource.cookie)
        if begun is not None:
            return await self._poll(it, "update", begun)
        began = it.resource.world.now()
        try:
            changed = await self.change(it)
        except CloudError as error:
            if error.in_doubt or isinstance(error, Unavailable):
                raise
            if isinstance(error, NotFound) and it.id in error.words:
                raise
            raise UpdateRefused(str(error), type(error).__name__) from None
        found = changed if changed is not None else await self.read(it)
        return await self._awaited(it, "update", Begun(began), found)

    async def _delete(self, it: CloudResource) -> Result:
        begun = Begun.from_data(it.resource.cookie) or Begun(it.resource.world.now())
        if begun.step != "vanish":
            try:
                await self.remove(it)
            except NotFound:
                return Done()
            except Conflict as error:
                if begun.tries == _MOST_TRIES:
                    raise
                cookie = Begun(begun.at, begun.tries + 1).as_data()
                return Wait(cookie, 2.0**begun.tries, reason=str(error))
            if not self.vanishes:
                return Done()
            begun = Begun(it.resource.world.now(), step="vanish")
        elif await self.has_vanished(it, begun):
            it.cloud.poller.ended(self.collection, "delete", begun.at)
            return Done()
        pause = it.cloud.poller.pause(self.collection, "delete", begun.at)
        return Wait(begun.as_data(), pause)

    async def has_vanished(self, it: CloudResource, began: Begun) -> bool:
        """Tell whether a deleted object is gone."""
        found = await it.cloud.poller.poll(self.collection, it.id, began.at, is_own=True)
        return found is None or found.get("status") == "DELETED"

    async def _check(self, it: CloudResource) -> Result:
        found = await self.read(it)
        if self.states is not None and self.states.progress(found) is Progress.FAILED:
            raise ResourceFailed(await self.failure(it, found), "ResourceInError")
        return await self._done(it, found)

    async def _poll(self, it: CloudResource, action: str, begun: Begun) -> Result:
        found = await it.cloud.poller.poll(self.collection, it.id, begun.at)
        if found is None:
            raise ObjectMissing(f"the {self.collection.key} {it.id} does not exist any more")
        return await self._awaited(it, action, begun, found)

    async def _awaited(self, it: CloudResource, action: str, begun: Begun, found: Object) -> Result:
        progress = Progress.ENDED if self.states is None else self.states.progress(found)
        if progress is Progress.FAILED:
            return await self.failed(it, action, found)
        if progress is Progress.GOING_ON:
            pause = it.cloud.poller.pause(self.collection, action, begun.at)
            return Wait(begun.as_data(), pause, physical_id=self.physical_id_of(found))
        if self.states is not None:
            it.cloud.poller.ended(self.collection, action, begun.at)
        return await self._done(it, await self.finish(it, found))

    async def _done(self, it: CloudResource, found: Object) -> Done:
        shown = {**self.shown(it, found), **await self.shown_elsewhere(it, found)}
        return Done(self.physical_id_of(found), self.reference(it, found), shown)

    async def _explained(
        self,
        resource: Resource,
        act: Callable[[CloudResource], Awaitable[Result]],
        located_by: tuple[str, ...] | None = None,
    ) -> Result:
        """Act; say what a service's answer means for the resource.

        What is in doubt goes to the engine, which then searches for the object. So does what a
        service that is away may have had to say.
        """
        try:
            place = await place_of(cloud_of(resource))
            kept = resource.data.get(PLACE, place)
            if kept != place:
                return Wait(resource.cookie, _AWAY_SECONDS, reason=elsewhere(kept, place))
            result = await act(await self._with_cloud(resource, located_by))
            data = resource.data if result.data is None else result.data
            return replace(result, data={**data, PLACE: place})
        except Unavailable as error:
            if error.in_doubt:
                raise
            return Wait(resource.cookie, _AWAY_SECONDS, reason=f"waits: {error}; {_ASKED_AGAIN}")
        except CloudError as error:
            if error.in_doubt or (located_by is not None and isinstance(error, NotFound)):
                raise
            raise ResourceFailed(str(error), type(error).__name__) from None

    async def _with_cloud(
        self, resource: Resource, located_by: tuple[str, ...] | None = None
    ) -> CloudResource:
        """Return what the methods are given; of an object that is there only what locates it."""
        cloud = cloud_of(resource)
        is_lenient = located_by is not None
        return CloudResource(
            resource,
            cloud,
            cloud.service(self.collection.service),
            await self._resolved(cloud, resource.properties, located_by, is_lenient),
            await self._resolved(cloud, resource.old_properties, located_by, is_lenient=True),
        )

    async def _resolved(
        self,
        cloud: Cloud,
        values: Mapping[str, Any],
        only: Iterable[str] | None,
        is_lenient: bool,
    ) -> Mapping[str, Any]:
        """Return properties with ids in place of names."""
        return await with_ids(cloud, values, self.named_in(values), only, is_lenient)

    async def _as_spelled(self, it: CloudResource, live: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what a service tells with the names that the template gives in place of ids."""
        written = it.resource.properties
        ids = await self._resolved(it.cloud, written, None, is_lenient=True)
        return await as_spelled(live, written, ids, self.named_in(written))

    def _one(self, answer: Any) -> Object:
        found: Object = answer[self.collection.key] if self.collection.key else answer
        return found

    def _list_key(self) -> str:
        return self.collection.list_key or f"{self.collection.key}s"
