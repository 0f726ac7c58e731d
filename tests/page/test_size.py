"""The page stays small: what is loaded first, and all of it."""

from tests.page.bench import sizes


def test_the_page_keeps_its_budget() -> None:
    found = sizes()
    assert found["first"] < 75, "kB compressed before anything can be seen"
    assert found["all"] < 300, "kB compressed, without what is loaded on demand for the layout"
