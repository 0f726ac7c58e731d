"""Values that go too deep."""

from typing import Any

import pytest

from hotplate.software import Unfit, check_depth
from hotplate.software.depth import DEEPEST


def nested(levels: int, of_maps: bool = False) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = {"a": value} if of_maps else [value]
    return value


@pytest.mark.parametrize("of_maps", [False, True])
def test_a_value_may_be_as_deep_as_the_limit_says(of_maps: bool) -> None:
    check_depth("config", nested(DEEPEST, of_maps))
    with pytest.raises(Unfit, match=f'"config" must not have more than {DEEPEST} lists'):
        check_depth("config", nested(DEEPEST + 1, of_maps))


@pytest.mark.parametrize("value", [None, 1, "text", [], {}, [[], {}]])
def test_a_shallow_value_is_fine(value: Any) -> None:
    check_depth("config", value)
