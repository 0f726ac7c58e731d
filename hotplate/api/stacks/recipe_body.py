"""What create, update, preview and validate are sent: the parts of a recipe, and the options."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from hotplate.api.http.faults import Fault, bad_request
from hotplate.api.http.fetching import fetched
from hotplate.api.http.fields import Field, Kind
from hotplate.api.http.settings import Settings
from hotplate.document import parse
from hotplate.engine.recipes import Recipe
from hotplate.environment import INLINE, remainder
from hotplate.environment import parse as parse_environment

if TYPE_CHECKING:
    from hotplate.engine.requests.acceptance import Options
    from hotplate.engine.requests.patch import Patch

RECIPE_FIELDS = (
    Field(
        "template",
        (Kind.MAP, Kind.TEXT),
        "The template: an object, or a text in YAML or JSON.",
    ),
    Field(
        "template_url",
        description="Where the template is fetched from if none is sent: http or https.",
    ),
    Field("parameters", (Kind.MAP,), "Values of parameters. They win over all environments."),
    Field(
        "environment",
        (Kind.MAP, Kind.TEXT),
        "An environment: an object, or a text in YAML or JSON. Together with environment_files "
        "only what it says beyond the merge of these files counts, and it comes after them.",
    ),
    Field(
        "environment_files",
        (Kind.LIST,),
        "Names of environments among the files, in the order in which they apply.",
        items=(Kind.TEXT,),
    ),
    Field(
        "environment_file_names",
        (Kind.MAP,),
        "What environment files are called, by what they are listed as: names that stay the same "
        "wherever the files are sent from. For those that are not named it follows from the list.",
        items=(Kind.TEXT,),
    ),
    Field(
        "files",
        (Kind.MAP,),
        "Contents by name: nested templates, environments, and what get_file reads.",
        items=(Kind.TEXT,),
    ),
    Field(
        "template_name",
        description="What the template is called: a path or address, named in positions.",
    ),
    Field("files_container", description="Refused: there is no object store here."),
)
"""Fields of a body that `recipe_of` and `patch_of` read."""

OPTION_FIELDS = (
    Field(
        "timeout_mins",
        (Kind.COUNT, Kind.TEXT),
        "Minutes that the operation may take; 0 for no such limit.",
    ),
    Field(
        "disable_rollback",
        (Kind.FLAG, Kind.TEXT),
        "Whether the stack stays as it is when the operation fails.",
    ),
    Field(
        "tags",
        (Kind.TEXT, Kind.LIST),
        "Tags of the stack: a text with commas, or a list.",
        items=(Kind.TEXT,),
    ),
)
"""Fields of a body that `options_of` reads."""

CLEAR_FIELDS = (
    Field(
        "clear_parameters",
        (Kind.LIST,),
        "Names of parameters whose earlier values are dropped.",
        items=(Kind.TEXT,),
    ),
    Field(
        "clear_environment_files",
        (Kind.LIST,),
        "Environment files that are taken off the stack's list, by their names or addresses.",
        items=(Kind.TEXT,),
    ),
)

Evaluate = Callable[..., Awaitable[Any]]
"""Calls a function of a module where it keeps nobody waiting, with the engine's tools and more."""

_LONGEST_NAME = 1024
_MOST_MINUTES = 2**31 - 1


async def recipe_of(body: Mapping[str, Any], settings: Settings, evaluate: Evaluate) -> Recipe:
    """Return the recipe that a body carries, its texts as they were sent.

    A template without any is fetched. Nothing is compiled here: what is wrong inside the texts is
    found by whoever binds the recipe. Raises Fault 400 or InvalidDocument.
    """
    template = await _template(body, settings)
    if template is None:
        raise bad_request("No template specified")
    parts = await _parts(body, evaluate)
    for name in parts.environment_files:
        if name not in parts.files:
            raise bad_request(
                f'the environment file "{name}", which the field "environment_files" lists, is '
                'not in the field "files"'
            )
    return Recipe(
        template,
        parts.files,
        parts.environment_files,
        parts.environment,
        parts.parameters,
        environment_names=parts.environment_names,
        template_name=body.get("template_name") or "",
    )


async def patch_of(body: Mapping[str, Any], settings: Settings, evaluate: Evaluate) -> "Patch":
    """Return what a body changes of the recipe that a stack has. Raises as `recipe_of` does.

    A listed file that was not sent may be one that the stack has: whoever applies the patch knows.
    """
    template = await _template(body, settings)
    parts = await _parts(body, evaluate)
    cleared = tuple(dict.fromkeys(body.get("clear_parameters") or ()))
    from hotplate.engine.requests.patch import Patch  # noqa: PLC0415 (the same)

    return Patch(
        template,
        parts.files,
        parts.environment_files,
        parts.environment,
        parts.parameters,
        cleared,
        parts.environment_names,
        tuple(dict.fromkeys(body.get("clear_environment_files") or ())),
        body.get("template_name") or "",
    )


def options_of(body: Mapping[str, Any], settings: Settings, tags_stay: bool = True) -> "Options":
    """Return how the operation shall be carried out. Raises Fault 400 that names the field.

    What the body leaves open is None, so that it stays as it is. ``tags_stay``: so do the tags;
    else a body without them clears them.
    """
    disabled = _flag("disable_rollback", body.get("disable_rollback"))
    tags = _tags(body.get("tags"), settings)
    from hotplate.engine.requests.acceptance import Options  # noqa: PLC0415 (who validates makes nothing)

    return Options(
        rollback=None if disabled is None else not disabled,
        timeout=_minutes(body.get("timeout_mins")),
        tags=() if tags is None and not tags_stay else tags,
        converges=bool(_flag("converge", body.get("converge"))),
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a recipe has besides its template."""

    files: Mapping[str, str]
    environment_files: tuple[str, ...]
    environment: str
    parameters: Mapping[str, Any]
    environment_names: Mapping[str, str]


async def _template(body: Mapping[str, Any], settings: Settings) -> str | None:
    if body.get("files_container"):
        raise bad_request(
            'the field "files_container" cannot be used: there is no object store here; send the '
            'contents in the field "files"'
        )
    given = body.get("template")
    if given is None or given == "":
        url = body.get("template_url")
        if not url:
            return None
        given = await fetched(url, settings)
    text = given if isinstance(given, str) else _as_text(given, "template")
    size = len(text.encode())
    if size > settings.largest_template:
        raise _too_large(size, settings.largest_template)
    return text


def _too_large(size: int, most: int) -> Fault:
    return bad_request(
        f"Request limit exceeded: Template size ({size} bytes) exceeds maximum allowed size "
        f"({most} bytes).",
        "RequestLimitExceeded",
    )


def _as_text(data: dict[str, Any], field: str) -> str:
    try:
        return orjson.dumps(data).decode()
    except orjson.JSONEncodeError:
        # Everything came from JSON, so nothing but its depth can be wrong.
        raise bad_request(f'the field "{field}" is nested too deeply') from None


async def _parts(body: Mapping[str, Any], evaluate: Evaluate) -> _Parts:
    files = body.get("files") or {}
    names = tuple(body.get("environment_files") or ())
    given = body.get("environment") or ""
    text = given if isinstance(given, str) else _as_text(given, "environment")
    stated = body.get("environment_file_names") or {}
    _check_names(names, stated)
    beyond = text if text.strip() else ""
    if beyond and names:
        listed = {name: files[name] for name in names if name in files}
        beyond = await evaluate(_beyond, text, names, listed)
    return _Parts(files, names, beyond, body.get("parameters") or {}, stated)


def _check_names(files: tuple[str, ...], stated: Mapping[str, str]) -> None:
    """Refuse names of files that are not listed, and one name for two. Raises Fault 400."""
    holders: dict[str, str] = {}
    for file, name in stated.items():
        if file not in files:
            raise bad_request(
                f'the field "environment_file_names" names "{file}", which is not in the field '
                '"environment_files"'
            )
        if not name or len(name) > _LONGEST_NAME:
            raise bad_request(
                f'the field "environment_file_names" must give "{file}" a name of 1 to '
                f"{_LONGEST_NAME} characters"
            )
        if holders.setdefault(name, file) != file:
            raise bad_request(
                f'the field "environment_file_names" gives both "{holders[name]}" and "{file}" '
                f'the name "{name}"'
            )


def _beyond(tools: Any, text: str, names: tuple[str, ...], files: Mapping[str, str]) -> str:
    """Return the inline environment without what the client's merge of the files says already."""
    sent = {name: parse_environment(parse(files[name], name)) for name in names if name in files}
    inline = parse_environment(parse(text, INLINE))
    rest = remainder(inline, [sent[name] for name in names if name in sent])
    if rest.sections == inline.sections:
        return text
    return json.dumps(dict(rest.sections), ensure_ascii=False) if rest.sections else ""


def _flag(field: str, value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    if str(value).lower() not in ("true", "false"):
        raise bad_request(
            f'Unrecognized value "{value}" for "{field}", acceptable values are: true, false'
        )
    return str(value).lower() == "true"


def _minutes(value: Any) -> int | None:
    if isinstance(value, str):
        # Digits only: int() would take "1_000" and other scripts' digits as well.
        if not value.isascii() or not value.isdigit() or len(value) > 10:
            raise bad_request('the field "timeout_mins" must be a whole number, 0 or more')
        value = int(value)
    if value is not None and value > _MOST_MINUTES:
        raise bad_request(f'the field "timeout_mins" must be between 0 and {_MOST_MINUTES}')
    return value or None


def _tags(value: Any, settings: Settings) -> tuple[str, ...] | None:
    if value is None:
        return None
    parts = value.split(",") if isinstance(value, str) else value
    tags = dict.fromkeys(tag for part in parts if (tag := part.strip()))
    if len(tags) > settings.most_tags:
        raise bad_request(f"a stack has at most {settings.most_tags} tags, not {len(tags)}")
    longest = settings.longest_tag
    for tag in tags:
        if len(tag) > longest:
            raise bad_request(
                f'Invalid tag, "{tag[: longest + 1]}" is longer than {longest} characters'
            )
    return tuple(tags)
