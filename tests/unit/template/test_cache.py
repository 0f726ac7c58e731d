"""A text is compiled once in a process, and the cache does not grow without end."""

from concurrent.futures import ThreadPoolExecutor
from weakref import ref

import pytest

from hotplate.document import InvalidDocument
from hotplate.template import TemplateCache
from tests.unit.template.templates import text_of


def text(number: int) -> str:
    return text_of(f"description: number {number}")


def test_the_same_text_gives_the_same_template() -> None:
    cache = TemplateCache()
    assert cache.compile(text(1), "a.yaml") is cache.compile(text(1), "a.yaml")


def test_another_text_or_another_name_gives_another_template() -> None:
    cache = TemplateCache()
    first = cache.compile(text(1), "a.yaml")
    assert cache.compile(text(2), "a.yaml") is not first
    assert cache.compile(text(1), "b.yaml").name == "b.yaml"


def test_what_was_not_used_for_longest_is_dropped_first() -> None:
    cache = TemplateCache(text_bytes=2 * len(text(1)))
    one, two = (ref(cache.compile(text(number), "t")) for number in (1, 2))
    assert cache.compile(text(1), "t") is one()
    cache.compile(text(3), "t")
    assert one() is not None
    assert two() is None


def test_what_somebody_uses_is_compiled_once_however_small_the_cache_is() -> None:
    cache = TemplateCache(text_bytes=1)
    used = cache.compile(text(1), "t")
    cache.compile(text(2), "t")
    assert cache.compile(text(1), "t") is used


def test_many_templates_that_nobody_uses_any_more_are_not_kept() -> None:
    """A template takes many times the memory of its text: what counts is how many are left."""
    cache = TemplateCache()
    padding = "x" * 4000
    made = [
        ref(cache.compile(text_of(f"description: {number} {padding}"), "t"))
        for number in range(200)
    ]
    assert 0 < sum(each() is not None for each in made) < 80


def test_a_text_larger_than_the_cache_is_compiled_all_the_same() -> None:
    cache = TemplateCache(text_bytes=1)
    assert cache.compile(text(1), "t").description == "number 1"
    assert cache.compile(text(2), "t").description == "number 2"


def test_a_heavy_one_that_nobody_uses_is_let_go_at_rest_and_a_light_one_is_not() -> None:
    for text_bytes, is_kept in ((1, False), (1024, True)):
        cache = TemplateCache(text_bytes)
        found = ref(cache.compile(text(1), "t"))
        cache.let_go()
        assert (found() is not None) is is_kept


def test_a_faulty_text_is_refused_each_time() -> None:
    cache = TemplateCache()
    for _ in range(2):
        with pytest.raises(InvalidDocument):
            cache.compile("a: [", "t")


def test_threads_that_ask_at_once_get_the_same_template() -> None:
    cache = TemplateCache()
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda n: cache.compile(text(n % 4), "t"), range(200)))
    assert len({id(template) for template in found}) == 4
