"""Resources that are written alike have one fingerprint together."""

import pickle

from hotplate.document.words import ListedWords
from hotplate.model.fingerprints import Fingerprints


def _shared(noted: dict[str, str], words: dict[str, str]) -> Fingerprints:
    found = Fingerprints(noted)
    found.share(ListedWords(words))
    return found


def test_each_has_the_fingerprint_of_the_one_it_is_written_like() -> None:
    words = {"a": "a", "b": "a", "c": "c", "d": "c"}
    found = _shared({"a": "1", "own": "2"}, words)
    assert dict(found) == {"own": "2", "a": "1", "b": "1"}
    assert (len(found), found.noted, bool(found)) == (3, 2, True)
    assert "b" in found
    assert "d" not in found, "nothing is known of the one that it is written like"
    assert found.get("d") is None


def test_they_are_sent_without_the_names_that_share_them() -> None:
    found = _shared({"a": "1"}, {"a": "a", "b": "a"})
    received = pickle.loads(pickle.dumps(found))
    assert dict(received) == {"a": "1"}
    received.share(ListedWords({"a": "a", "b": "a"}))
    assert received["b"] == "1"


def test_what_was_written_otherwise_has_changed() -> None:
    old = _shared({"a": "1", "c": "2"}, {"a": "a", "b": "a", "c": "c", "d": "c"})
    grown = _shared({"a": "1", "c": "2"}, {"a": "a", "b": "a", "c": "c", "d": "c", "e": "c"})
    assert grown.changed_since(old) == {"e"}
    moved = _shared({"a": "1", "c": "2"}, {"a": "a", "b": "c", "c": "c", "d": "c"})
    assert moved.changed_since(old) == {"b"}
    changed = _shared({"a": "3", "c": "2"}, {"a": "a", "b": "a", "c": "c", "d": "c"})
    assert changed.changed_since(old) == {"a", "b"}
    assert old.changed_since(old) == frozenset()


def test_they_are_compared_whether_they_are_shared_or_not() -> None:
    shared = _shared({"a": "1"}, {"a": "a", "b": "a"})
    each = Fingerprints({"a": "1", "b": "1", "c": "2"})
    assert shared.changed_since(each) == frozenset()
    assert each.changed_since(shared) == {"c"}
    assert _shared({"b": "1"}, {"b": "b", "a": "b"}).changed_since(shared) == frozenset()
