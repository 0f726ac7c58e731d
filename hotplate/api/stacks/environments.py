"""What a stack's environments come to, the files it is made of, and where each value is from."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from starlette.responses import Response

from hotplate.api.http.addressed_stack import addressed_stack
from hotplate.api.http.endpoint import Call, Endpoint, bytes_answer, json_bytes
from hotplate.api.http.fields import Query, QueryKind
from hotplate.api.http.shapes import PLACE, TEXTS, listed, record, text
from hotplate.api.stacks.shapes import ENVIRONMENT_SECTIONS
from hotplate.api.stacks.shown_registry import shown_registry
from hotplate.document import InvalidDocument, Path, parse, place_data
from hotplate.engine.recipes.book import Bound
from hotplate.engine.recipes.hidden_parameters import hidden_names
from hotplate.environment import Given, Origin, names
from hotplate.secret import STARS

_SECRET_SECTIONS = ("parameters", "parameter_defaults")
_ORIGIN = record(
    {
        "path": listed(text()),
        **PLACE,
        "made_of": listed(record(PLACE)),
        "overrode": listed(record({**PLACE, "value": {}})),
    }
)
_ENVIRONMENT = record(
    {
        **ENVIRONMENT_SECTIONS,
        "encrypted_param_names": listed(text()),
        "environment_files": listed(text()),
        "environment_file_names": TEXTS,
        "cleared_parameters": {"type": "object", "additionalProperties": listed(text())},
    },
    {"origins": listed(_ORIGIN)},
)


async def _show(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    with_origins = bool(call.query.get("origins"))
    return bytes_answer(await call.operations.evaluated(stack, _environment_bytes, with_origins))


def _environment_bytes(bound: Bound, root: Bound, with_origins: bool) -> bytes:
    hidden = _hidden(bound, root)
    document = shown_environment(bound, hidden)
    document["environment_files"] = list(bound.recipe.environment_files)
    document["environment_file_names"] = {
        each.file: each.name for each in bound.recipe.listed.values()
    }
    document["cleared_parameters"] = {
        file: list(names) for file, names in bound.recipe.dropped.items()
    }
    if with_origins:
        document["origins"] = [
            _origin(path, origin, hidden) for path, origin in bound.environment.origins()
        ]
    return json_bytes(document)


async def _files(call: Call) -> Response:
    stack = await addressed_stack(call, deleted=True)
    return bytes_answer(await call.operations.evaluated(stack, _files_bytes))


def _files_bytes(bound: Bound, root: Bound) -> bytes:
    return json_bytes(_shown_files(bound.recipe.files, _hidden(bound, root)))


def _hidden(bound: Bound, root: Bound) -> frozenset[str]:
    """Return the hidden parameters of the whole tree.

    A nested stack carries the files of its root, but not its template.
    """
    return hidden_names(bound, root) | bound.values.secret_names


def shown_environment(bound: Bound, hidden: frozenset[str]) -> dict[str, Any]:
    """Return the merged environment, hidden values as stars."""
    document = masked_environment(bound.environment.data(), hidden)
    template = bound.template.template
    document["resource_registry"] = shown_registry(document, template, with_members=True)
    return document


def masked_environment(data: Mapping[str, Any], hidden: Collection[str]) -> dict[str, Any]:
    """Return an environment with stars for the values of hidden parameters."""
    return {**data, **{name: _masked(data[name], hidden) for name in _SECRET_SECTIONS}}


def _shown_files(files: Mapping[str, str], hidden: frozenset[str]) -> dict[str, str]:
    """Return the files, with stars for hidden values in those that are environments.

    Also in those that are not listed: they may be the list of a stack further up.
    """
    if not hidden:
        return dict(files)
    return {name: _masked_text(body, name, hidden) for name, body in files.items()}


def _masked_text(body: str, name: str, hidden: frozenset[str]) -> str:
    """Return the text of a file; an environment with secrets is written anew, as JSON."""
    # Spares reading scripts as YAML. A word may be written with escapes.
    if "parameter" not in body and "\\" not in body:
        return body
    try:
        data = parse(body, name).data
    except InvalidDocument:
        return body
    if not isinstance(data, dict) or not set(data) <= set(names.SECTIONS):
        return body
    masking = [
        section
        for section in _SECRET_SECTIONS
        if isinstance(data.get(section), dict) and hidden & set(data[section])
    ]
    if not masking:
        return body
    masked = {**data, **{section: _masked(data[section], hidden) for section in masking}}
    return json_bytes(masked).decode()


def _masked(values: Mapping[str, Any], hidden: Collection[str]) -> dict[str, Any]:
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
    return place_data(given.file, given.position)


def _endpoints(prefix: str) -> Iterable[Endpoint]:

    yield Endpoint(
        "GET",
        f"{prefix}/environment",
        _show,
        "Show what the environments of a stack come to",
        "stacks",
        (Query("origins", QueryKind.FLAG, "Also return where every value is from."),),
        answers={200: _ENVIRONMENT},
        rule="stacks:environment",
    )
    yield Endpoint(
        "GET",
        f"{prefix}/files",
        _files,
        "Show the files a stack is made of",
        "stacks",
        answers={200: TEXTS},
        rule="stacks:files",
    )


ENDPOINTS = tuple(_endpoints("/stacks/{stack_name}/{stack_id}"))
