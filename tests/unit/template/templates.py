"""Short ways to write a template in a test, and to see what becomes of it."""

from collections.abc import Mapping
from textwrap import dedent
from typing import Any

import pytest

from hotplate.document import Data, InvalidDocument, parse
from hotplate.template import (
    BoundTemplate,
    Facade,
    ResolveError,
    ResourceData,
    Template,
    compile_template,
    parameter_values,
)

NEWEST = "wallaby"
CFN = "AWSTemplateFormatVersion: 2010-09-09"


def text_of(sections: str, version: str = NEWEST) -> str:
    """The version is line 1. What follows begins with a line break, so it begins in line 2."""
    head = version if ":" in version else f"heat_template_version: {version}"
    return head + "\n" + dedent(sections).lstrip("\n")


def compiled(sections: str, version: str = NEWEST) -> Template:
    return compile_template(parse(text_of(sections, version), "t.yaml"))


def bound(
    sections: str,
    values: Mapping[str, Data] | None = None,
    version: str = NEWEST,
    files: Mapping[str, str] | None = None,
    facade: Facade | None = None,
) -> BoundTemplate:
    template = compiled(sections, version)
    return BoundTemplate(template, parameter_values(template, values or {}), files, facade)


def errors(sections: str, version: str = NEWEST) -> list[str]:
    """Why a template is refused when it is compiled."""
    with pytest.raises(InvalidDocument) as refused:
        compiled(sections, version)
    return [str(problem) for problem in refused.value.problems]


def warnings(sections: str, version: str = NEWEST) -> list[str]:
    return [str(problem) for problem in compiled(sections, version).warnings]


def refusals(
    sections: str, values: Mapping[str, Data] | None = None, version: str = NEWEST
) -> list[str]:
    """Why a template that compiles is refused together with its values."""
    template = compiled(sections, version)
    with pytest.raises(InvalidDocument) as refused:
        BoundTemplate(template, parameter_values(template, values or {})).check_values()
    return [str(problem) for problem in refused.value.problems]


def resolved(
    expression: str,
    sections: str = "",
    values: Mapping[str, Data] | None = None,
    version: str = NEWEST,
    resources: Mapping[str, ResourceData] | None = None,
    **world: Any,
) -> Any:
    """The value of an expression, written on one line, as it stands in an output."""
    outputs, value = ("Outputs", "Value") if ":" in version else ("outputs", "value")
    template = f"{dedent(sections)}\n{outputs}: {{result: {{{value}: {expression}}}}}"
    return bound(template, values, version, **world).output("result", resources or {})


def fault(expression: str, sections: str = "", version: str = NEWEST, **given: Any) -> str:
    """Why an expression has no value, when it is compiled, bound or resolved; without its place."""
    try:
        value = resolved(expression, sections, version=version, **given)
    except InvalidDocument as refused:
        (problem,) = refused.problems
    except ResolveError as error:
        problem = error.problem
    else:
        raise AssertionError(f"{expression} is {value!r}")
    return problem.sentence
