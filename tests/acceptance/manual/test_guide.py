"""What the manual says is true: its templates, expressions, outputs, versions and limits."""

import doctest
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from hotplate.bounded import QueryLimits, pattern, query, spending
from hotplate.document import DEFAULT_LIMITS, InvalidDocument, from_data
from hotplate.model.limits import DEEPEST_NESTING
from hotplate.template import (
    DIALECTS,
    SERVICE_CONSTRAINTS,
    BoundTemplate,
    Facade,
    ResolveError,
    ResourceData,
    TemplateLimits,
    compile_template,
    local_checks,
    parameter_values,
)
from hotplate.template.budget import DEFAULT_UNITS
from hotplate.template.errors import Problems
from tests.acceptance import warm_command

ROOT = Path(__file__).resolve().parents[3]
GUIDE = ROOT / "docs" / "template-guide.md"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NOW = datetime(2030, 1, 1, tzinfo=UTC)

CFN_CONTEXT = {
    "AWSTemplateFormatVersion": "2010-09-09",
    "Parameters": {"Name": {"Type": "String", "Default": "web"}},
    "Mappings": {"Sizes": {"live": {"Length": 32}}},
    "Conditions": {"Live": False},
    "Resources": {"Server": {"Type": "OS::Heat::TestResource"}},
}


@dataclass(frozen=True)
class Block:
    """A fenced block; ``kind`` is what follows the language in its first line."""

    page: Path
    line: int
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    start, kind = 0, ""
    for number, line in enumerate(lines, 1):
        if not line.startswith("```"):
            continue
        if start:
            yield Block(page, start, kind, "".join(lines[start : number - 1]))
            start = 0
        else:
            start, kind = number, line.removeprefix("```").strip()


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def of_kind(*kinds: str) -> list[Block]:
    found = [block for block in BLOCKS if block.kind in kinds]
    assert found, f"no page has a block of the kind {kinds}"
    return found


def items_of(*kinds: str) -> list[Any]:
    return [
        pytest.param(block.kind, item, id=f"{block} {index}")
        for block in of_kind(*kinds)
        for index, item in enumerate(yaml.safe_load(block.text))
    ]


def with_output() -> list[Any]:
    """Each template with the output that is shown right after it, empty if none is."""
    shown = {}
    for before, after in pairwise(BLOCKS):
        if after.kind == "text output":
            assert before.kind == "yaml template", f"{after} shows the output of no template"
            shown[before] = after.text
    return [
        pytest.param(block, shown.get(block, ""), id=str(block))
        for block in of_kind("yaml template", "yaml context")
    ]


@pytest.mark.parametrize(("block", "output"), with_output())
def test_a_template_is_valid_or_prints_what_is_shown(
    block: Block, output: str, tmp_path: Path
) -> None:
    (tmp_path / "template.yaml").write_text(block.text, encoding="utf-8")
    # Types of services are there where such a service is.
    flags = ["--language-only"] if "OS::Nova::" in block.text else []
    arguments = ["template", "validate", *flags, "template.yaml"]
    result = warm_command.run(arguments, os.environ, tmp_path, is_merged=True)
    assert result.stdout == (output or "template.yaml: valid\n")
    assert result.returncode == (1 if "error: " in output else 0)


@dataclass(frozen=True)
class Context:
    """What the expressions of the guide are resolved in."""

    template: dict[str, Any]
    given: dict[str, Any]

    def result(self, item: dict[str, Any]) -> Any:
        data = dict(self.template)
        cfn = "Outputs" if "AWSTemplateFormatVersion" in data else ""
        if "condition" in item:
            section = "Conditions" if cfn else "conditions"
            data[section] = {**data[section], "tried": item["condition"]}
        else:
            data[cfn or "outputs"] = {"tried": {"Value" if cfn else "value": item["try"]}}
        if "version" in item:
            data["heat_template_version"] = str(item["version"])
            data.pop("conditions")
        template = compile_template(from_data(data, "guide"))
        facade = Facade(metadata=self.given["facade"]["metadata"])
        bound = BoundTemplate(template, parameter_values(template, {}), self.given["files"], facade)
        if "condition" in item:
            return bound.condition("tried")
        server = ResourceData(**self.given["resources"]["server"])
        return bound.output("tried", {"server": server, "Server": server})


def context(kind: str) -> Context:
    (given,) = (yaml.safe_load(block.text) for block in of_kind("yaml given"))
    if kind == "yaml cfn":
        return Context(CFN_CONTEXT, given)
    (template,) = (yaml.safe_load(block.text) for block in of_kind("yaml context"))
    return Context(template, given)


@pytest.mark.parametrize(("kind", "item"), items_of("yaml expressions", "yaml cfn"))
def test_an_expression_gives_what_the_guide_says(kind: str, item: dict[str, Any]) -> None:
    if "fails" not in item:
        result = context(kind).result(item)
        assert (type(result), result) == (type(item["gives"]), item["gives"])
        return
    with pytest.raises((InvalidDocument, ResolveError)) as fault:
        context(kind).result(item)
    assert item["fails"] in str(fault.value)


@pytest.mark.parametrize(("kind", "item"), items_of("yaml values"))
def test_a_parameter_takes_what_the_guide_says(kind: str, item: dict[str, Any]) -> None:
    schema = {key: item[key] for key in ("type", "constraints") if key in item}
    data = {"heat_template_version": "wallaby", "parameters": {"p": schema}}
    template = compile_template(from_data(data, "guide"))
    if "fails" not in item:
        value = parameter_values(template, {"p": item["value"]}, checks=local_checks(NOW))["p"]
        assert (type(value), value) == (type(item["gives"]), item["gives"])
        return
    with pytest.raises(InvalidDocument) as fault:
        parameter_values(template, {"p": item["value"]}, checks=local_checks(NOW))
    assert item["fails"] in str(fault.value)


@pytest.mark.parametrize("page", sorted({block.page for block in of_kind("pycon")}), ids=str)
def test_what_a_page_shows_of_python_is_so(page: Path) -> None:
    text = "".join(
        f"{block.text}\n" for block in BLOCKS if (block.page, block.kind) == (page, "pycon")
    )
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def section(title: str) -> str:
    """The text of a section of the guide, its subsections included."""
    text = GUIDE.read_text(encoding="utf-8")
    level, _, _ = title.partition(" ")
    found = re.search(
        rf"^{re.escape(title)}\n(.*?)(?=^#{{1,{len(level)}}} |\Z)", text, re.MULTILINE | re.DOTALL
    )
    assert found, title
    return found[1]


def rows(text: str) -> list[list[str]]:
    table = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table[2:]]


def test_the_table_of_versions_is_complete() -> None:
    named = [(row[0], row[1]) for row in rows(section("## Versions"))]
    assert named == [(hot.version, hot.alias) for hot in DIALECTS if not hot.is_cfn]


def test_every_function_has_a_section_with_the_version_that_brought_it() -> None:
    since: dict[str, str] = {}
    for dialect in DIALECTS:
        if not dialect.is_cfn:
            for name in (*dialect.functions, *dialect.condition_functions):
                since.setdefault(name, dialect.version)
    hot = {name: version for name, version in since.items() if name[0].islower()}
    told = {
        name: version
        for names, version in re.findall(
            r"^### (.*)\n\nSince (\d{4}-\d\d-\d\d)", section("## Functions"), re.MULTILINE
        )
        for name in re.findall(r"`(\w+)`", names)
    }
    assert told == hot


def test_every_cfn_function_is_listed() -> None:
    told = set(re.findall(r"`(Ref|Fn::\w+)`", section("## CFN templates")))
    (newest,) = (dialect for dialect in DIALECTS if dialect.version == "2010-09-09")
    assert told == {*newest.functions, *newest.condition_functions}


def test_every_custom_constraint_is_listed() -> None:
    told = set(re.findall(r"`([a-z_0-9]+(?:\.[a-z_0-9]+)*)`", section("### Custom constraints")))
    assert told - {"Europe/Vienna"} >= {*local_checks(NOW), *SERVICE_CONSTRAINTS}


def test_the_limits_are_those_of_the_code() -> None:
    limits, templates, queries = DEFAULT_LIMITS, TemplateLimits(), QueryLimits()
    told = {row[0]: float(row[1].replace(",", "")) for row in rows(section("## Limits"))}
    assert list(told.values()) == [
        limits.text_bytes,
        limits.depth,
        limits.nodes,
        limits.alias_nodes,
        limits.integer_digits,
        templates.parameters,
        templates.conditions,
        templates.resources,
        templates.outputs,
        DEFAULT_UNITS,
        pattern._LONGEST,
        pattern._LARGEST_REPEAT,
        pattern._LARGEST_UNROLLED,
        pattern._SECONDS,
        query._LONGEST_EXPRESSION,
        queries.iterators,
        queries.memory,
        queries.units,
        spending._MOST_BITS,
        DEEPEST_NESTING,
        Problems._MOST,
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_inside_the_repository_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target
