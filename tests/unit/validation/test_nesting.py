"""Templates inside templates are all checked, and none may contain itself."""

from datetime import UTC, datetime

from hotplate.document import parse
from hotplate.environment import merge
from hotplate.template import compile_template
from hotplate.validation import Report, Request, validate
from hotplate.validation.nesting import NestedTemplates

NOW = datetime(2030, 1, 1, tzinfo=UTC)
VERSION = "heat_template_version: wallaby\n"


def nesting(*types: str, condition: str = "") -> str:
    resources = "".join(f"  r{n}: {{type: {kind}{condition}}}\n" for n, kind in enumerate(types))
    return f"{VERSION}resources:\n{resources or '  {}'}"


def report(template: str, files: dict[str, str], environment: str = "") -> Report:
    environments = (parse(environment, "env.yaml"),) if environment else ()
    return validate(Request(parse(template, "t.yaml"), environments, {}, files), NOW)


def errors(template: str, files: dict[str, str], environment: str = "") -> list[str]:
    return [str(problem) for problem in report(template, files, environment).errors]


def test_a_nested_template_is_found_by_its_name_or_through_the_registry() -> None:
    assert errors(nesting("in.yaml"), {"in.yaml": nesting()}) == []
    registry = "resource_registry: {My::Type: in.yaml}"
    assert errors(nesting("My::Type"), {"in.yaml": nesting()}, registry) == []


def test_other_types_are_not_looked_at() -> None:
    assert errors(nesting("OS::Nova::Server", "My::Type"), {}) == []


def test_a_fault_of_a_nested_template_is_reported_in_its_own_file() -> None:
    files = {"in.yaml": nesting("deep.yaml"), "deep.yaml": VERSION + "zebra: 1"}
    (error,) = errors(nesting("in.yaml"), files)
    assert error.startswith('deep.yaml:2:1: zebra: unknown section "zebra"')


def test_a_nested_text_that_is_no_yaml_is_reported_in_its_own_file() -> None:
    (error,) = errors(nesting("in.yaml"), {"in.yaml": "a: [\n"})
    assert error.startswith("in.yaml:2:1: not valid YAML: ")


def test_warnings_of_a_nested_template_are_passed_on() -> None:
    found = report(nesting("in.yaml"), {"in.yaml": VERSION + "description: [a]"})
    assert [str(warning) for warning in found.warnings] == [
        "in.yaml:2:1: description: should be a text, not a list"
    ]


def test_a_missing_template_is_reported_where_it_is_named() -> None:
    assert errors(nesting("in.yaml"), {"im.yaml": nesting()}) == [
        't.yaml:3:8: resources.r0.type: the template "in.yaml" was not given; '
        'did you mean "im.yaml"?'
    ]


def test_a_missing_template_that_an_environment_chose_is_reported_there() -> None:
    registry = "resource_registry:\n  My::Type: in.yaml"
    assert errors(nesting("My::Type"), {}, registry) == [
        'env.yaml:2:3: resource_registry.My::Type: the template "in.yaml" was not given; '
        "send it in the request's files"
    ]


def test_a_template_that_contains_itself_is_refused() -> None:
    files = {"a.yaml": nesting("b.yaml"), "b.yaml": nesting("a.yaml")}
    assert errors(nesting("a.yaml"), files) == [
        "b.yaml:3:8: resources.r0.type: a template cannot contain itself: "
        "a.yaml -> b.yaml -> a.yaml; use another type here, or a condition that ends it"
    ]


def test_the_outermost_template_counts_too() -> None:
    (error,) = errors(nesting("t.yaml"), {})
    assert "a template cannot contain itself: t.yaml -> t.yaml" in error


def test_a_template_that_contains_itself_under_a_condition_may_end() -> None:
    ending = nesting("a.yaml", condition=", condition: false")
    assert errors(nesting("a.yaml"), {"a.yaml": ending}) == []


def test_a_template_used_in_many_places_is_reported_once() -> None:
    files = {"a.yaml": nesting("c.yaml"), "b.yaml": nesting("c.yaml"), "c.yaml": VERSION + "x: 1"}
    assert len(errors(nesting("a.yaml", "b.yaml", "c.yaml"), files)) == 1


def test_templates_cannot_be_nested_without_end() -> None:
    files = {f"{n}.yaml": nesting(f"{n + 1}.yaml") for n in range(30)}
    files["30.yaml"] = nesting()
    (error,) = errors(nesting("0.yaml"), files)
    assert error.startswith("19.yaml:3:8: resources.r0.type: nested deeper than 20 templates")


def test_a_type_stands_for_itself_inside_its_own_template() -> None:
    """A registry entry may wrap a type of the cloud in a template that uses the type."""
    registry = "resource_registry: {OS::Nova::Server: server.yaml}"
    files = {"server.yaml": nesting("OS::Nova::Server")}
    assert errors(nesting("OS::Nova::Server"), files, registry) == []


def too_deep(deepest_nesting: int, levels: int, condition: str = "") -> list[str]:
    """What is said of so many levels of nested templates, the last but one under a condition."""
    files = {f"{n}.yaml": nesting(f"{n + 1}.yaml") for n in range(1, levels)}
    files[f"{levels}.yaml"] = nesting()
    files[f"{levels - 1}.yaml"] = nesting(f"{levels}.yaml", condition=condition)
    found = Report()
    root = compile_template(parse(nesting("1.yaml"), "t.yaml"))
    NestedTemplates(files, found, deepest_nesting).check(root, merge([]))
    return [problem.message for problem in found.errors]


def test_as_many_levels_are_allowed_as_the_operator_says() -> None:
    assert too_deep(2, levels=2) == []
    assert too_deep(2, levels=3) == ["nested deeper than 2 templates"]
    assert too_deep(30, levels=30) == []


def test_what_may_never_be_made_is_not_too_deep() -> None:
    assert too_deep(2, levels=3, condition=", condition: false") == []
