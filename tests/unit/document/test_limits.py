"""A document that is too large is refused where the bound is crossed."""

import pytest

from hotplate.document import InvalidDocument, Limits, parse


def refusal(text: str, limits: Limits) -> str:
    with pytest.raises(InvalidDocument) as refused:
        parse(text, "t", limits)
    return str(refused.value)


def test_depth_is_limited() -> None:
    limits = Limits(depth=3)
    assert parse("a: {b: [1]}", "t", limits).data == {"a": {"b": [1]}}
    assert refusal("a: {b: [[1]]}", limits) == "t:1:9: a.b.0: nested deeper than 3 levels"


def test_a_very_deep_text_does_not_end_the_process() -> None:
    assert "nested deeper than 200 levels" in refusal("- " * 5000 + "x", Limits())
    assert "nested deeper than 200 levels" in refusal("[" * 50_000, Limits())


def test_the_number_of_values_is_limited() -> None:
    assert refusal("[1, 2, 3, 4, 5]", Limits(nodes=4)) == "t: more than 4 values"
    assert refusal("- 1\n- 2\n- 3\n- 4\n", Limits(nodes=4)) == "t:5:1: more than 4 values"


def test_what_aliases_expand_to_is_limited() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    assert "aliases expand to more than 200000 values" in refusal("\n".join(lines), Limits())


def test_what_merge_keys_expand_to_is_limited() -> None:
    lines = ["a0: &a0 {k: [x, x, x, x]}"]
    lines += [f"a{n}: &a{n} {{<<: *a0, z: *a{n - 1}, y: *a{n - 1}}}" for n in range(1, 40)]
    assert "aliases expand to more than" in refusal("\n".join(lines), Limits())


def test_what_aliases_nest_is_as_deep_as_if_it_were_written_out() -> None:
    text = "a: &a [[1]]\nb: &b [*a]\nc: [*b]\n"
    assert parse(text, "t", Limits(depth=5)).data
    assert refusal(text, Limits(depth=4)) == "t:3:5: c.0: nested deeper than 4 levels"


def test_what_aliases_repeat_is_as_long_as_if_it_were_written_out() -> None:
    text = "a: &a " + "x" * 50 + "\nb: [*a, *a, *a]\n"
    assert refusal(text, Limits(text_bytes=150)) == (
        "t:2:9: b.1: aliases expand to more than 150 characters"
    )


def test_a_repeated_alias_within_the_limit_shares_its_value() -> None:
    text = "a: &a [1]\n" + "".join(f"b{n}: *a\n" for n in range(1000))
    data = parse(text, "t").data
    assert isinstance(data, dict)
    assert data["b999"] == [1]
