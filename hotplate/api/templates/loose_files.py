"""What a stack is made of, put together from files that a user has at hand."""

from typing import Any, Final

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.fields import Body, Field, Kind
from hotplate.api.http.shapes import PLACE, TEXTS, choice, listed, mapped, maybe, record, text
from hotplate.client import Gathered, gather
from hotplate.document import Problem, format_path, place_data

_FILES: Final = (
    Field(
        "files",
        (Kind.MAP,),
        "Contents by name: a template, environments, and whatever they name. Names are paths.",
        required=True,
        items=(Kind.TEXT,),
    ),
    Field(
        "template",
        description="The name of the template among the files. If left out, it is the one "
        "template that no other file names.",
    ),
    Field(
        "environment_files",
        (Kind.LIST,),
        "Names of environments among the files, in the order in which they apply. If left out, "
        "all that are environments.",
        items=(Kind.TEXT,),
    ),
)
ANSWER: Final = record(
    {
        "kinds": mapped(choice("template", "environment", "file")),
        "template": text(),
        "environment_files": listed(text()),
        "used": listed(text()),
        "missing": listed(
            record(
                {
                    "name": text(),
                    "message": text(),
                    "path": text(),
                    **PLACE,
                }
            )
        ),
        "recipe": maybe(
            record(
                {
                    "template": text(),
                    "template_name": text(),
                    "files": TEXTS,
                    "environment_files": listed(text()),
                    "sources": TEXTS,
                }
            )
        ),
    }
)


async def _recipe(call: Call) -> Response:
    body = call.body
    listed_names = body.get("environment_files")
    found = await call.evaluate(
        _gathered,
        body.get("files") or {},
        body.get("template") or "",
        None if listed_names is None else tuple(listed_names),
    )
    return json_answer(_document(found))


def _gathered(
    tools: Any, files: dict[str, str], template: str, environments: tuple[str, ...] | None
) -> Gathered:
    return gather(files, template, environments)


def _document(found: Gathered) -> dict[str, Any]:
    recipe = found.recipe
    return {
        "kinds": found.kinds,
        "template": found.template,
        "environment_files": found.environments,
        "used": found.used,
        "missing": [{"name": name, **_place(problem)} for name, problem in found.missing],
        "recipe": recipe
        and {
            "template": recipe.template,
            "template_name": found.template,
            "files": recipe.files,
            "environment_files": recipe.environment_files,
            "sources": recipe.sources,
        },
    }


def _place(problem: Problem) -> dict[str, Any]:
    return {
        "message": problem.message,
        "path": format_path(problem.path),
        **place_data(problem.file, problem.position),
    }


ENDPOINTS = (
    Endpoint(
        "POST",
        "/recipe",
        _recipe,
        "Put together what a stack is made of from loose files",
        "templates",
        body=Body(_FILES),
        answers={200: ANSWER},
        description="Says what each file is, which of them are used, and which are missing. With "
        "nothing missing, `recipe` has the fields of a request to create, preview or validate; "
        "its `sources` are the given names of its files.",
        rule="stacks:validate_template",
    ),
)
