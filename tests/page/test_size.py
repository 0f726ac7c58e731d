"""The page stays small: what is loaded first, all of it, and the layout engine on demand."""

from tests.page.bench import sizes


def test_the_page_keeps_its_budget() -> None:
    found = sizes("gz")
    assert found["first"] < 75, "kB compressed before anything can be seen"
    assert found["all"] < 300, "kB compressed, without what is loaded on demand for the layout"
    assert found["layout"] < 480, "kB compressed of the layout engine"


def test_browsers_that_take_brotli_get_less() -> None:
    found = sizes("br")
    assert found["first"] < 35, "kB compressed before anything can be seen"
    assert found["all"] < 100, "kB compressed, without what is loaded on demand for the layout"
    assert found["layout"] < 360, "kB compressed of the layout engine"
