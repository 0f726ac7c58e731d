"""What resources are written like is the same, whether it is listed or told by runs."""

from hotplate.document.names import spans_of
from hotplate.document.repeated import Run
from hotplate.document.words import ListedWords, RunWords, words_of


def _runs(*groups: tuple[str, ...]) -> RunWords:
    return RunWords([Run(None, tuple(spans_of(names))) for names in groups])


def _listed(*groups: tuple[str, ...]) -> ListedWords:
    return ListedWords({name: names[0] for names in groups for name in names})


GROUPS = (("0", "1", "2", "a"), ("7", "8", "b", "3"))
OTHERS = (("0", "1", "8"), ("7", "2", "b"), ("c", "9"))


def test_runs_say_what_a_list_says() -> None:
    found, expected = _runs(*GROUPS), _listed(*GROUPS)
    assert dict(found) == expected
    assert list(found.pairs()) == list(expected.pairs())
    assert (list(found), len(found)) == (list(expected), len(expected))
    assert (set(found.names), set(found.likes)) == (set(expected), {"0", "7"})
    assert all(name in found for name in expected)
    assert not any(name in found for name in ("4", "-1", "00", "c"))
    assert (found.get("4"), found.get("c")) == (None, None)


def test_differences_are_found_between_any_two() -> None:
    new, old = (_runs(*GROUPS), _listed(*GROUPS)), (_runs(*OTHERS), _listed(*OTHERS))
    for each in new:
        for other in old:
            assert set(each.differing(other)) == {"2", "a", "8", "3"}
        assert not set(each.differing(each))


def test_words_are_taken_as_they_are() -> None:
    found = _runs(*GROUPS)
    assert words_of(found) is found
    assert words_of({"a": "a"}) == ListedWords({"a": "a"})
