"""What a stack's environments come to, the files it is made of, and where each value is from."""

from collections.abc import Iterable, Mapping
from typing import Any

import orjson
from starlette.responses import Response

from hotplate.api.endpoint import Call, Endpoint, json_answer
from hotplate.api.fields import Query, QueryKind
from hotplate.api.lookup import addressed_stack
from hotplate.api.recursive_shapes import ENVIRONMENT_SECTIONS
from hotplate.api.shapes import TEXTS, listed, maybe, record, text
from hotplate.document import InvalidDocument, Path, parse
from hotplate.engine.recipes import Bound
from hotplate.environment import Given, Origin
from hotplate.template import compile_template

STARS = "******"
_SECRET_SECTIONS = ("parameters", "parameter_defaults")
_PLACE = {
    "file": text(),
    "line": maybe({"type": "integer"}),
    "column": maybe({"type": "integer"}),
}
_ORIGIN = record(
    {
        "path": listed(text()),
        **_PLACE,
        "made_of": listed(record(_PLACE)),
        "overrode": listed(record({**_PLACE, "value": {}})),
    }
)
_ENVIRONMENT = record(
    {
        **ENVIRONMENT_SECTIONS,
        "encrypted_param_names": listed(text()),
        "environment_files": listed(text()),
    },
    {"origins": listed(_ORIGIN)},
)


async def _show(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    bound = await call.operations.bound(stack)
    hidden = hidden_names(bound)
    document = shown_environment(bound, hidden)
    document["environment_files"] = list(bound.recipe.environment_files)
    if call.query.get("origins"):
        document["origins"] = [
            _origin(path, origin, hidden) for path, origin in bound.environment.origins()
        ]
    return json_answer(document)


async def _files(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    return json_answer(shown_files(await call.operations.bound(stack)))


def hidden_names(bound: Bound) -> frozenset[str]:
    """Return the parameters that any template of the stack declares hidden."""
    templates = [bound.template.template]
    for name, body in bound.recipe.files.items():
        # Most files are none; looking for the key first spares reading scripts as YAML.
        if "emplate" in body and name not in bound.recipe.environment_files:
            try:
                templates.append(compile_template(parse(body, name)))
            except InvalidDocument:
                continue
    return frozenset(
        parameter.name
        for template in templates
        for parameter in template.parameters.values()
        if parameter.hidden
    )


def shown_environment(bound: Bound, hidden: frozenset[str]) -> dict[str, Any]:
    """Return the merged environment, hidden values as stars."""
    document = {**bound.environment.data()}
    for section in _SECRET_SECTIONS:
        document[section] = _masked(document[section], hidden)
    document["resource_registry"] = {"resources": {}, **document["resource_registry"]}
    return document


def shown_files(bound: Bound) -> dict[str, str]:
    """Return the files, with stars for hidden values in those that are environments."""
    files = dict(bound.recipe.files)
    hidden = hidden_names(bound)
    for name in dict.fromkeys(bound.recipe.environment_files):
        files[name] = _masked_text(files[name], name, hidden)
    return files


def _masked_text(body: str, name: str, hidden: frozenset[str]) -> str:
    """Return the text of an environment; one with secrets is written anew, as JSON."""
    data = parse(body, name).data
    if not isinstance(data, dict):
        return body
    held = [
        section
        for section in _SECRET_SECTIONS
        if isinstance(data.get(section), dict) and hidden & set(data[section])
    ]
    if not held:
        return body
    masked = {**data, **{section: _masked(data[section], hidden) for section in held}}
    return orjson.dumps(masked).decode()


def _masked(values: Mapping[str, Any], hidden: frozenset[str]) -> dict[str, Any]:
    return {name: STARS if name in hidden else value for name, value in values.items()}


def _origin(path: Path, origin: Origin, hidden: frozenset[str]) -> dict[str, Any]:
    secret = len(path) > 1 and path[0] in _SECRET_SECTIONS and path[1] in hidden
    return {
        "path": [str(step) for step in path],
        **_place(origin.contributors[0]),
        "made_of": [_place(given) for given in origin.contributors],
        "overrode": [
            {**_place(given), "value": STARS if secret else given.value}
            for given in origin.overridden
        ],
    }


def _place(given: Given) -> dict[str, Any]:
    position = given.position
    return {
        "file": given.file,
        "line": position.line if position else None,
        "column": position.column if position else None,
    }


def _endpoints(prefix: str) -> Iterable[Endpoint]:

    yield Endpoint(
        "GET",
        f"{prefix}/environment",
        _show,
        "Show what the environments of a stack come to",
        "stacks",
        (Query("origins", QueryKind.FLAG, "Tell for every value where it is from."),),
        answers={200: _ENVIRONMENT},
    )
    yield Endpoint(
        "GET",
        f"{prefix}/files",
        _files,
        "Show the files a stack is made of",
        "stacks",
        answers={200: TEXTS},
    )


ENDPOINTS = tuple(_endpoints("/stacks/{stack_name}/{stack_id}"))
