"""Small inputs made to take much time or memory are refused by a limit, or done quickly.

The watchdog in conftest.py ends what hangs. Where a limit refuses, its words are checked, because
they are the same on every machine.
"""

import json
from datetime import UTC, datetime
from functools import reduce
from typing import Any

import pytest

from hotplate.bounded import (
    BadPattern,
    BadQuery,
    Pattern,
    PatternTimeout,
    Query,
    QueryLimits,
    time_limit,
)
from hotplate.document import InvalidDocument, from_data, parse
from hotplate.environment import merge
from hotplate.environment import parse as parse_environment
from hotplate.template import BoundTemplate, ResolveError, compile_template, parameter_values
from hotplate.validation import Report, Request, validate

HOT = {"heat_template_version": "wallaby"}
CFN = {"AWSTemplateFormatVersion": "2010-09-09"}
WORDS = [str(number) for number in range(4000)]


def refusal_of_text(text: str) -> str:
    with pytest.raises(InvalidDocument) as caught:
        parse(text, "hostile.yaml")
    return str(caught.value)


def bound(template: dict[str, Any], given: dict[str, Any] | None = None) -> BoundTemplate:
    compiled = compile_template(from_data({**HOT, **template}, "hostile.yaml"))
    return BoundTemplate(compiled, parameter_values(compiled, given or {}))


def output(value: Any, **sections: Any) -> Any:
    return bound({"outputs": {"o": {"value": value}}, **sections}).output("o")


def refusal_of_value(value: Any, **sections: Any) -> str:
    with pytest.raises(ResolveError) as caught:
        output(value, **sections)
    return str(caught.value)


def validated(template: dict[str, Any], *environments: dict[str, Any], **files: str) -> Report:
    request = Request(
        from_data({**HOT, **template}, "hostile.yaml"),
        tuple(from_data(data, f"e{index}.yaml") for index, data in enumerate(environments)),
        files={f"{name}.yaml": text for name, text in files.items()},
    )
    return validate(request, datetime(2030, 1, 1, tzinfo=UTC))


def nested(wrap: Any, times: int, inner: Any) -> Any:
    return reduce(lambda value, _: wrap(value), range(times), inner)


# Documents


def test_a_billion_laughs_are_refused() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert "aliases expand to more than 200000 values" in refusal_of_text("\n".join(lines))


def test_merge_keys_do_not_multiply() -> None:
    lines = ["a0: &a0 {x0: 1}"]
    lines += [f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], x{n}: 1}}" for n in range(1, 30)]
    assert "aliases expand" in refusal_of_text("\n".join(lines))


@pytest.mark.parametrize(
    "text",
    ["[" * 60_000, '{"a":' * 12_000, "- " * 30_000, "{a: " * 15_000, "? " * 30_000,
     "[" * 300 + "]" * 300, '[{"a":' * 100 + "[1]" + "}]" * 100],
)  # fmt: skip
def test_deep_nesting_is_refused(text: str) -> None:
    assert refusal_of_text(text)


def test_a_scalar_of_ten_megabytes_is_read() -> None:
    large = "x" * 10_000_000
    assert parse(f"a: {large}", "large.yaml").data == {"a": large}
    assert parse(json.dumps({"a": large}), "large.yaml").data == {"a": large}


@pytest.mark.parametrize(
    "number",
    ["9" * 60_000, "0x" + "f" * 60_000, "0" + "7" * 60_000, "0b" + "1" * 60_000,
     "1" + ":59" * 20_000, "1" + ":59" * 20_000 + ".5", "1." + "0" * 60_000 + "e+999"],
)  # fmt: skip
def test_huge_numbers_are_refused(number: str) -> None:
    assert "digits" in refusal_of_text(f"a: {number}")


@pytest.mark.parametrize("number", ["9" * 60_000, "-" + "9" * 401])
def test_huge_numbers_in_json_are_refused(number: str) -> None:
    assert "digits" in refusal_of_text(f'{{"a": {number}}}')


def test_thousands_of_anchors_and_repeated_keys_are_read() -> None:
    text = "".join(f"k{n}: &a{n} {n}\nk{n}: *a{n}\n" for n in range(3000))
    document = parse(text, "many.yaml")
    assert len(document.data or ()) == 3000  # type: ignore[arg-type]
    assert len(document.warnings) == 100
    document = parse("{" + ",".join('"a": 1' for _ in range(9000)) + "}", "many.json")
    assert document.data == {"a": 1}


# Templates


@pytest.mark.parametrize(
    "template", ["$x", 1, {"$x": "$y"}, ["$x", {"a": None}]], ids=["text", "number", "map", "list"]
)
def test_a_product_of_lists_is_stopped(template: Any) -> None:
    each = {"$x": WORDS, "$y": WORDS}
    call = {"repeat": {"template": template, "for_each": each}}
    assert "the result is too large" in refusal_of_value(call)


def test_repeats_in_repeats_are_stopped() -> None:
    names = iter(range(60))

    def wrap(value: Any) -> Any:
        return {"repeat": {"template": value, "for_each": {f"$x{next(names)}": ["a", "b", "c"]}}}

    assert "the result is too large" in refusal_of_value(nested(wrap, 60, "$x0"))


def test_many_names_in_a_long_text_are_stopped() -> None:
    each = {**{f"n{n}": ["a"] for n in range(1500)}, "q": ["b"] * 2000}
    call = {"repeat": {"template": "z" * 20_000, "for_each": each}}
    assert "the result is too large" in refusal_of_value(call)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda value: {"str_replace": {"template": "aaaaaaaa", "params": {"a": value}}},
        lambda value: {"list_join": [value, ["a", "b", "c"]]},
        lambda value: {"list_join": ["", [value]]},
        lambda value: {"repeat": {"template": value, "for_each": {"x": ["xx", "xx"]}}},
    ],
)
def test_texts_that_grow_with_each_call_are_stopped(wrap: Any) -> None:
    try:
        assert len(json.dumps(output(nested(wrap, 60, "xxxx")))) < 50_000_000
    except ResolveError as error:
        assert "too large" in error.problem.message  # noqa: PT017 (small results are right too)


def test_comparing_everything_with_everything_is_stopped() -> None:
    lists = {"repeat": {"template": [1, 1, 1, 1, 1, 1, 1, 1, "$x"], "for_each": {"$x": WORDS}}}
    assert "too large" in refusal_of_value({"list_concat_unique": [lists]})
    assert "too large" in refusal_of_value({"filter": [lists, lists]})


def test_a_chain_of_ten_thousand_conditions_is_decided() -> None:
    conditions: dict[str, Any] = {"c9999": {"equals": [1, 1]}}
    for number in range(9999):
        following = f"c{number + 1}"
        kinds: list[Any] = [{"not": following}, {"and": [following, following]}]
        conditions[f"c{number}"] = [*kinds, {"or": [following, False]}][number % 3]
    assert bound({"conditions": conditions}).condition("c9999") is True
    cycle = {**conditions, "c9999": {"not": "c0"}}
    with pytest.raises(InvalidDocument, match="need each other"):
        bound({"conditions": cycle})


def test_a_chain_of_conditions_named_by_parameters_is_decided_or_refused() -> None:
    parameters = {f"p{n}": {"type": "string", "default": f"c{n + 1}"} for n in range(1000)}
    conditions: dict[str, Any] = {f"c{n}": {"not": {"get_param": f"p{n}"}} for n in range(1000)}
    template = {"parameters": parameters, "conditions": {**conditions, "c1000": {"equals": [1, 1]}}}
    with pytest.raises(InvalidDocument, match=r"too many times over|nested too deeply"):
        bound(template)


@pytest.mark.parametrize(
    "wrap",
    [
        lambda value: {"get_resource": value},
        lambda value: {"get_param": value},
        lambda value: {"get_file": value},
        lambda value: {"if": ["c", value, 1]},
        lambda value: {"list_join": ["", [value]]},
        lambda value: {"yaql": {"expression": "$.data", "data": value}},
        lambda value: {"repeat": {"template": value, "for_each": {"$x": ["a"]}}},
        lambda value: {"get_attr": [value, "a"]},
        lambda value: {"digest": ["md5", value]},
        lambda value: [value],
        lambda value: {"a": value, "b": 1},
    ],
)
def test_calls_nested_as_deep_as_allowed_do_not_exhaust_the_stack(wrap: Any) -> None:
    def template_with(value: Any) -> dict[str, Any]:
        return {
            "conditions": {"c": {"equals": [1, 1]}},
            "resources": {"a": {"type": "X", "properties": {"p": value}}},
            "outputs": {"o": {"value": value}},
        }

    template = template_with({"get_param": "OS::stack_name"})
    for times in range(200):
        deeper = template_with(nested(wrap, times, {"get_param": "OS::stack_name"}))
        try:
            from_data(deeper, "deep")
        except InvalidDocument:
            break
        template = deeper
    report = validated(template)
    try:
        json.dumps(bound(template).output("o"))
    except (InvalidDocument, ResolveError):
        assert report.errors or report.warnings


def test_results_of_queries_are_not_nested_deeper_than_documents() -> None:
    wrap = {"expression": "range(180).aggregate([$1], $.data)"}
    value = nested(lambda inner: {"yaql": {**wrap, "data": inner}}, 8, "x")
    assert "nested" in refusal_of_value(value)


@pytest.mark.slow
def test_a_hundred_thousand_resources_are_bound() -> None:
    many = {f"r{n}": {"type": "X"} for n in range(100_000)}
    assert len(bound({"resources": many}).resources) == 100_000


@pytest.mark.slow
def test_a_chain_of_fifty_thousand_resources_is_ordered_and_a_circle_refused() -> None:
    chain: dict[str, Any] = {
        f"r{n}": {"type": "X", "depends_on": f"r{n + 1}"} for n in range(50_000)
    }
    assert bound({"resources": {**chain, "r50000": {"type": "X"}}}).graph.order()[0] == "r50000"
    with pytest.raises(InvalidDocument, match="need each other") as caught:
        bound({"resources": {**chain, "r50000": {"type": "X", "depends_on": "r0"}}})
    assert len(str(caught.value)) < 10_000


def test_thousands_of_misspelt_names_are_refused_after_a_hundred() -> None:
    resources: dict[str, Any] = {"ab" * 25 + f"{n}": {"type": "X"} for n in range(500)}
    resources["x"] = {"type": "X", "depends_on": ["ba" * 25 + f"{n}" for n in range(500)]}
    with pytest.raises(InvalidDocument) as caught:
        bound({"resources": resources})
    assert len(caught.value.problems) == 100
    parameters = {f"p{n}": {"type": "string", "default": ""} for n in range(500)}
    with pytest.raises(InvalidDocument) as caught:
        bound({"parameters": parameters}, {f"q{n}": 1 for n in range(5000)})
    assert len(caught.value.problems) == 100


@pytest.mark.slow
def test_a_catastrophic_pattern_in_each_of_many_parameters_ends() -> None:
    parameters = {
        f"p{n}": {
            "type": "string",
            "default": "a" * 30 + "!",
            "constraints": [{"allowed_pattern": f"(?=a)(a|a)+{n}$"}],
        }
        for n in range(400)
    }
    report = validated({"parameters": parameters})
    assert "all patterns together take too long" in str(report.errors[-1])


@pytest.mark.slow
def test_a_slow_query_in_each_of_many_conditions_and_outputs_ends() -> None:
    slow = {"yaql": {"expression": "range(9999).select(range(100).len()).sum() > 5"}}
    conditions = {f"c{n}": slow for n in range(300)}
    assert "takes too" in str(validated({"conditions": conditions}).errors[0])
    outputs = {f"o{n}": {"value": slow} for n in range(300)}
    assert validated({"outputs": outputs}).is_valid


@pytest.mark.slow
def test_many_resources_that_each_repeat_much_are_checked_only_so_far() -> None:
    words = ",".join(WORDS[:3000])
    each = {"x": {"get_param": "l"}, "y": {"get_param": "l"}}
    repeat = {"repeat": {"template": "a", "for_each": each}}
    report = validated(
        {
            "parameters": {"l": {"type": "comma_delimited_list", "default": words}},
            "resources": {f"r{n}": {"type": "X", "properties": {"p": repeat}} for n in range(300)},
        }
    )
    assert len(report.errors) <= 3


def test_a_long_list_of_allowed_values_is_searched_quickly() -> None:
    parameter = {
        "type": "comma_delimited_list",
        "default": "a," * 15_000,
        "constraints": [{"allowed_values": [*WORDS, "a", ""]}],
    }
    assert len(bound({"parameters": {"p": parameter}, "outputs": {}}).template.parameters) == 1


# Queries and patterns


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("range(40).aggregate([$1, $1])", "too large"),
        ("range(40).aggregate([$1, $1]).distinct()", "too large"),
        ("set(range(40).aggregate([$1, $1]))", "too large"),
        ("str(range(40).aggregate({a => $1, b => $1}))", "too large"),
        ("('a' * 200000).join(range(10000))", "too many steps"),
        ("let(x => 'a' * 1000000) -> concat($x, $x, $x, $x, $x, $x)", "too many steps"),
        ("let(x => 'a' * 1000000) -> $x + $x + $x + $x + $x", "too many steps"),
        ("regex(a).replace('a' * 10000, 'b' * 100000)", "too many steps"),
        ("range(1000).aggregate($1 + $1, 'a')", "too"),
        ("range(1000).aggregate($1.replace(a, aa), 'a')", "too"),
        ("range(1000).aggregate($1 * $1, 3)", "too large"),
        ("sequence().len()", "too"),
        ("[1].cycle().len()", "too"),
        ("def(f, f($) + f($)) -> f(1)", "nested too deeply"),
        ("pow(10, 999999999)", "too large"),
        ("shiftBitsLeft(1, 99999999999)", "too large"),
        ("'a' * 99999999999", "too much memory"),
        ("'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!' =~ '(?=a)(a|a)+$'", "takes too long"),
        ("9" * 5000, "not YAQL"),
        ("(" * 20_000, "not YAQL"),
        ("[" * 5000 + "]" * 5000, "nested too deeply"),
        ("float('nan')", "JSON"),
    ],
)
def test_a_hostile_query_is_stopped(expression: str, words: str) -> None:
    with pytest.raises(BadQuery, match=words):
        Query(expression, QueryLimits()).evaluate({"data": "x"})


@pytest.mark.parametrize(
    "text",
    [
        "(a+)+$", "(a|a)*$", "(.*)*x", "((a{1000}){1000}){100}", "(?:a{0,9999}){0,9999}b",
        "(x+x+)+y",
        "(?:foo){e<=9}", "(?R)", "a(?R)?b", "x*" * 1500 + "y", "(" * 1500 + "a" + ")" * 1500,
        "(?:" * 1500 + "a" + ")*" * 1500, "(?:a?){5000}a{5000}", "(?P<a>x)(?P<a>y)", "\\L<x>", "[",
    ],
)  # fmt: skip
@pytest.mark.parametrize("subject", ["a" * 40 + "!", "ab" * 30_000, "x" * 60_000])
def test_a_hostile_pattern_ends(text: str, subject: str) -> None:
    with time_limit(0.2):
        try:
            Pattern(text).matches_whole(subject)
            Pattern(text).search(subject)
        except (BadPattern, PatternTimeout) as error:
            assert str(error)  # noqa: PT017 (matching and refusing are both right)


# Environments


def environment(*files: dict[str, Any], times: int = 1) -> Any:
    read = [parse_environment(parse(json.dumps(f), f"e{n}.yaml")) for n, f in enumerate(files)]
    return merge(read * times)


@pytest.mark.parametrize(
    "value", [{"b": "x" * 60_000}, {"b": [1] * 15_000}, {f"k{n}": {"a": 1} for n in range(3500)}]
)
def test_a_file_listed_hundreds_of_times_does_not_blow_up(value: Any) -> None:
    file = {"parameters": {"a": value}, "parameter_merge_strategies": {"default": "deep_merge"}}
    with pytest.raises(InvalidDocument, match="files that are listed again"):
        environment(file, times=300)


def test_aliases_do_not_blow_up_a_merge() -> None:
    lines = ["parameters:", "  a0: &a0 {k0: 1, k1: 1, k2: 1, k3: 1, k4: 1, k5: 1, k6: 1, k7: 1}"]
    for level in range(1, 5):
        entries = ", ".join(f"k{n}: *a{level - 1}" for n in range(8))
        lines.append(f"  a{level}: &a{level} {{{entries}}}")
    file = parse_environment(parse("\n".join(lines), "aliases.yaml"))
    with pytest.raises(InvalidDocument, match="aliases in them"):
        merge([file] * 5)


def test_circles_and_explosions_of_the_registry_end() -> None:
    registry: dict[str, Any] = {f"A{n}": f"A{(n + 1) % 40}" for n in range(40)}
    registry |= {"a" * n + "*": "a" * (n % 7) + "*" for n in range(1, 200)}
    registry |= {f"w{n}*": f"w{n + 1}*" for n in range(2000)}
    found = environment({"resource_registry": registry}).registry
    for kind in ("A0", "a" * 300, "w0", "w1x"):
        with pytest.raises(InvalidDocument, match=r"circle|leads on and on"):
            found.lookup(kind, "r", lambda name: False)
    resources = {f"r{n}": {"type": f"w{n}"} for n in range(2000)}
    assert validated({"resources": resources}, {"resource_registry": registry}).errors


def test_a_pattern_of_many_stars_for_resources_ends() -> None:
    resources = {
        "*a" * 15_000: {"hooks": "pre-create"},
        "*[a-z]?" * 4000 + "!": {"hooks": "pre-update"},
    }
    registry = environment({"resource_registry": {"resources": resources}}).registry
    assert registry.hooks("a" * 20_000 + "b") == frozenset()


def test_templates_inside_themselves_and_long_chains_of_them_are_refused() -> None:
    head = "heat_template_version: wallaby\nresources:\n"
    chain = {f"t{n}": f"{head}  r: {{type: t{n + 1}.yaml}}\n" for n in range(300)}
    root = {"resources": {"r": {"type": "t0.yaml"}}}
    assert "nested deeper" in str(validated(root, **chain).errors[0])
    itself = f"{head}  r: {{type: t0.yaml}}\n"
    assert "cannot contain itself" in str(validated(root, t0=itself).errors[0])
    everyone = "".join(f"  r{n}: {{type: t{n}.yaml}}\n" for n in range(40))
    assert validated(root, **{f"t{n}": head + everyone for n in range(40)}).errors
