"""Each template version has its functions, as the reference lists them."""

import pytest

from hotplate.template import DIALECTS
from hotplate.template.versions import first_version_with, versions_for
from tests.unit.template.templates import compiled, errors

ADDED = {
    "2013-05-23": {"get_param", "get_resource", "get_attr", "get_file", "str_replace", "list_join",
                   "resource_facade", "Ref", "Fn::GetAZs", "Fn::Select", "Fn::Join", "Fn::Split",
                   "Fn::Replace", "Fn::Base64", "Fn::MemberListToMap", "Fn::ResourceFacade"},
    "2014-10-16": set(),
    "2015-04-30": {"repeat", "digest"},
    "2015-10-15": {"str_split"},
    "2016-04-08": {"map_merge"},
    "2016-10-14": {"if", "yaql", "map_replace"},
    "2017-02-24": {"filter", "str_replace_strict"},
    "2017-09-01": {"make_url", "list_concat", "list_concat_unique", "contains",
                   "str_replace_vstrict"},
    "2018-03-02": set(),
    "2018-08-31": set(),
    "2021-04-16": set(),
}  # fmt: skip


def test_every_version_adds_its_functions() -> None:
    before: set[str] = set()
    for dialect in DIALECTS:
        if not dialect.is_cfn:
            assert set(dialect.functions) - before == ADDED[dialect.version]
            before |= set(dialect.functions)


def test_versions_have_dates_and_some_have_names() -> None:
    known = versions_for("heat_template_version")
    assert {name: d.version for name, d in known.items() if name == d.alias} == {
        "newton": "2016-10-14",
        "ocata": "2017-02-24",
        "pike": "2017-09-01",
        "queens": "2018-03-02",
        "rocky": "2018-08-31",
        "wallaby": "2021-04-16",
    }
    assert known["pike"] is known["2017-09-01"]
    assert set(versions_for("AWSTemplateFormatVersion")) == {"2010-09-09"}
    assert set(versions_for("HeatTemplateFormatVersion")) == {"2012-12-12"}


def test_there_are_thirteen_versions_as_the_api_names_them() -> None:
    names = [dialect.name for dialect in DIALECTS]
    assert len(names) == 13
    assert "heat_template_version.2021-04-16" in names
    assert "AWSTemplateFormatVersion.2010-09-09" in names


def test_the_first_version_with_a_function_is_known() -> None:
    found = first_version_with("str_split", is_cfn=False)
    assert found is not None
    assert found.version == "2015-10-15"
    assert first_version_with("str_spilt", is_cfn=False) is None


@pytest.mark.parametrize(
    ("call", "version", "words"),
    [
        ("{str_split: [a, b]}", "2015-04-30", "the function str_split does not exist in version"),
        ("{yaql: {expression: $, data: 1}}", "2016-04-08", "it exists since heat_template_version"),
        ("{make_url: {host: h}}", "ocata", "it exists since heat_template_version: 2017-09-01"),
        (
            "{'Fn::Join': [a, [b]]}",
            "2014-10-16",
            "was removed in version 2014-10-16; use list_join",
        ),
        ("{Ref: r}", "pike", "the function Ref was removed in version 2014-10-16; use get_param"),
        ("{'Fn::Select': [0, [a]]}", "pike", "was removed in version 2015-10-15; use get_param"),
        ("{'Fn::GetAtt': [r, a]}", "pike", "Fn::GetAtt belongs to CFN templates, this one is HOT"),
        ("{'Fn::If': [c, 1, 2]}", "pike", "Fn::If belongs to CFN templates, this one is HOT; use"),
    ],
)
def test_a_function_of_another_version_is_refused(call: str, version: str, words: str) -> None:
    (error,) = errors(f"resources: {{r: {{type: X, properties: {{p: {call}}}}}}}", version)
    assert words in error


def test_a_dropped_function_still_works_in_its_time() -> None:
    text = "resources: {r: {type: X, properties: {p: {'Fn::Select': [0, [a]]}}}}"
    compiled(text, "2015-04-30")
