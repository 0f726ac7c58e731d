"""Whatever a tenant sends is understood or refused, in the words made for it."""

import json
import random
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hotplate.template import DIALECTS, Dialect
from tests.fuzz import documents, environments, queries, templates

some = settings(
    max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), database=None
)
few = settings(some, max_examples=40)

YAML_PIECES = st.sampled_from(
    [
        "a", "b", ": ", "- ", "\n", "  ", "\n  ", "\n    ", "[", "]", "{", "}", ", ", "&x ", "*x",
        "<<", "|", ">", "'", '"', "#", "? ", "!!int ", "!!float ", "!!str ", "! ", "%", "---",
        "...", "~", "1", "0x1", "017", "1:30", "1:30.5", "1e3", ".5", "-", "yes", "null", "\t",
        "\\", "=", "\\x41", "é", "\u2028", "\ufeff", "\x00", "\ud800", "😀", "2001-01-01", ".inf",
        "1_0", "@",
    ]
)  # fmt: skip
TEXT = st.one_of(
    st.text(max_size=200),
    st.lists(YAML_PIECES, max_size=40).map("".join),
    st.sampled_from(documents.SEEDS),
)
SCALARS = st.one_of(
    st.sampled_from(templates.SCALARS), st.integers(), st.floats(allow_nan=False), st.text()
)
KEYS = st.one_of(
    st.sampled_from([*templates.TEXTS, *templates.CALLS]),
    st.sampled_from(["type", "properties", "default", "constraints", "value", "condition"]),
    st.text(max_size=5),
)
DATA: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=4)),
    max_leaves=12,
)


@some
@given(TEXT)
def test_any_text_is_read_or_refused(text: str) -> None:
    documents.read(text.encode(errors="surrogatepass"))


@some
@given(DATA)
def test_any_data_is_a_document_or_refused(data: Any) -> None:
    documents.read(json.dumps(data).encode())


@some
@given(st.sampled_from(DIALECTS), st.dictionaries(st.integers(0, 9), DATA, max_size=4))
def test_any_data_as_sections_of_a_template_is_compiled_or_refused(
    dialect: Dialect, sections: dict[int, Any]
) -> None:
    words = dialect.keywords
    names = [words.parameters, words.resources, words.outputs, words.conditions, words.mappings,
             words.parameter_groups, words.description, "other", "", words.version]  # fmt: skip
    template = {names[index]: value for index, value in sections.items()}
    templates.compile_and_resolve({words.version: dialect.version, **template}, {})


@some
@given(st.sampled_from(templates.base_templates()), st.integers(0, 2**32), st.integers(1, 8))
def test_a_spoiled_template_is_compiled_or_refused(template: Any, seed: int, changes: int) -> None:
    chance = random.Random(seed)
    spoiled = templates.spoiled(template, chance.randrange, changes)
    templates.compile_and_resolve(spoiled, templates.GIVEN)


CALLS: st.SearchStrategy[Any] = st.deferred(
    lambda: st.sampled_from(list(templates.CALLS)).flatmap(
        lambda name: st.one_of(
            st.sampled_from(templates.CALLS[name]),
            st.lists(st.one_of(CALLS, SCALARS), max_size=3),
            st.dictionaries(
                st.sampled_from(templates.TEXTS), st.one_of(CALLS, SCALARS), max_size=3
            ),
        ).map(lambda arguments: {name: arguments})
    )
)


@some
@given(st.sampled_from(DIALECTS), CALLS)
def test_calls_of_every_version_give_json_or_say_why_not(dialect: Dialect, call: Any) -> None:
    templates.compile_and_resolve(templates.base_template(dialect, call), templates.GIVEN)


def test_every_function_of_every_version_is_called_rightly() -> None:
    for dialect in DIALECTS:
        for name in {*dialect.functions, *dialect.condition_functions}:
            for arguments in templates.CALLS[name]:
                template = templates.base_template(dialect, {name: arguments})
                templates.compile_and_resolve(template, templates.GIVEN)


@some
@given(st.integers(0, 2**32), st.integers(1, 5))
def test_spoiled_environments_are_merged_or_refused(seed: int, count: int) -> None:
    chance = random.Random(seed)

    def spoiled(data: Any) -> Any:
        return templates.spoiled(data, chance.randrange, chance.randrange(6), environments.TEXTS)

    files = [spoiled(chance.choice(environments.ENVIRONMENTS)) for _ in range(count)]
    environments.merge_and_ask(files, spoiled({"a": 1, "b": {"c": 1}}))


@some
@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from(queries.QUERY_PIECES), max_size=12).map("".join),
        st.sampled_from(queries.EXPRESSIONS),
    )
)
def test_any_query_ends_with_json_or_an_error(expression: str) -> None:
    queries.evaluate(expression, queries.DATA)


@few
@given(
    st.one_of(
        st.text(max_size=30),
        st.lists(st.sampled_from(queries.PATTERN_PIECES), max_size=10).map("".join),
    ),
    st.sampled_from(queries.SUBJECTS),
    st.sampled_from([0, 2, 8, 16]),
)
def test_any_pattern_ends(text: str, subject: str, flags: int) -> None:
    queries.search(text, subject, flags)
