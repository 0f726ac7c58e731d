"""Events as the API shows them."""

from typing import Any

from hotplate.api.http.links import Links, link
from hotplate.api.http.shapes import FREE, LINKS, TIME, maybe, record, text
from hotplate.api.http.times import shown_time
from hotplate.store.event_listing import ListedEvent

_FIELDS = {
    "id": text(),
    "links": LINKS,
    "event_time": TIME,
    "resource_name": text(),
    "logical_resource_id": text(),
    "resource_status": text(),
    "resource_status_reason": text(),
    "physical_resource_id": maybe(text()),
}
EVENT = record(_FIELDS)
EVENT_DETAIL = record({**_FIELDS, "resource_type": text(), "resource_properties": FREE})


def event_document(
    links: Links, project: str, item: ListedEvent, root: str | None = None
) -> dict[str, Any]:
    """Return an event; ``root`` is the address of the stack that the listing was asked of.

    An event of the stack itself has the stack's name and id for its resource.
    """
    stack = links.stack(project, item.stack_name, item.stack_id)
    places = [
        link(links.event(stack, item.name, item.id)),
        link(links.resource(stack, item.name), "resource"),
        link(stack, "stack"),
    ]
    if root is not None:
        places.append(link(root, "root_stack"))
    return {
        "id": item.id,
        "links": places,
        "event_time": shown_time(item.at),
        "resource_name": item.name,
        "logical_resource_id": item.name,
        "resource_status": f"{item.action}_{item.status}",
        "resource_status_reason": item.reason,
        "physical_resource_id": item.physical_id,
    }
