"""Bodies of the workflow API: maps that may come as maps or as texts of JSON."""

from typing import Any

from hotplate.api.http.body import parsed_json
from hotplate.api.http.endpoint import Call
from hotplate.api.http.faults import Fault, bad_request
from hotplate.api.http.fields import Field, Kind

LONGEST = 255


def kind_of(call: Call) -> str:
    """Return what the request is about, as rules name it: workflows, executions."""
    return str(call.request.state.route).split("/")[1]


def only_administrators_publish(call: Call, scope: str) -> None:
    """Refuse to show something to all projects unless the policy allows it. Raises Fault."""
    if scope == "public" and not call.may(f"{kind_of(call)}:publicize"):
        raise Fault(
            403,
            "Only an administrator may make something public: it would be found by its name in "
            "all projects. Leave the scope private.",
            "Forbidden",
        )


def json_field(name: str, description: str) -> Field:
    """Return a field that takes a map, or a text of JSON that is one."""
    return Field(name, (Kind.TEXT, Kind.MAP), description)


def map_of(body: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the map in a field, an empty one for none. Raises Fault."""
    value = value_of(body, name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise bad_request(f'the field "{name}" must be a map, or a text of JSON that is one')
    return value


def value_of(body: dict[str, Any], name: str) -> Any:
    """Return what a field holds, read from JSON if it is a text. Raises Fault."""
    value = body.get(name)
    if isinstance(value, str):
        if not value:
            return None
        return parsed_json(value.encode("utf-8", "surrogatepass"), f'the field "{name}"')
    return value
