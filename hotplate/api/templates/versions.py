"""The template versions that are understood here, and the functions of each."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.responses import Response

from hotplate.api.http.endpoint import Call, Endpoint, json_answer
from hotplate.api.http.faults import Fault
from hotplate.api.http.fields import Query, QueryKind
from hotplate.api.http.shapes import listed, record, text
from hotplate.template import DIALECTS, Dialect
from hotplate.template.expression import Call as Function

VERSION: Final = record(
    {"version": text(), "type": {"enum": ["cfn", "hot"]}, "aliases": listed(text())}
)
FUNCTION: Final = record({"functions": text(), "description": text()})


def _aliases(dialect: Dialect) -> list[str]:
    return [f"{dialect.keywords.version}.{dialect.alias}"] if dialect.alias else []


async def _list(call: Call) -> Response:
    versions = [
        {
            "version": dialect.name,
            "type": "cfn" if dialect.is_cfn else "hot",
            "aliases": _aliases(dialect),
        }
        for dialect in sorted(DIALECTS, key=lambda dialect: dialect.name)
    ]
    return json_answer({"template_versions": versions})


async def _functions(call: Call) -> Response:
    wanted = call.path["template_version"]
    for dialect in DIALECTS:
        if wanted in (dialect.name, *_aliases(dialect)):
            break
    else:
        raise Fault(404, f"Template with version {wanted} not found", "NotFound")
    functions: Mapping[str, type[Function]] = dialect.functions
    if call.query.get("with_condition_func"):
        functions = {**functions, **dialect.condition_functions}
    return json_answer({"template_functions": [described(*item) for item in functions.items()]})


# Heat's own API tests compare this one word for word.
_EXPECTED_WORDS = {"get_file": "A function for including a file inline."}


def described(name: str, function: type[Function]) -> dict[str, Any]:
    """Return what the API says about a function; its class says what it does."""
    documented = (function.__doc__ or "").partition("\n\n")[0].replace("``", "")
    words = _EXPECTED_WORDS.get(name, documented)
    return {"functions": name, "description": " ".join(words.split())}


ENDPOINTS = (
    Endpoint(
        "GET",
        "/template_versions",
        _list,
        "List the template versions",
        "templates",
        answers={200: record({"template_versions": listed(VERSION)})},
        rule="stacks:list_template_versions",
    ),
    Endpoint(
        "GET",
        "/template_versions/{template_version}/functions",
        _functions,
        "List the functions of a template version",
        "templates",
        query=(
            Query(
                "with_condition_func",
                QueryKind.FLAG,
                "Whether functions that only conditions may use are listed, too.",
            ),
        ),
        answers={200: record({"template_functions": listed(FUNCTION)})},
        rule="stacks:list_template_functions",
    ),
)
