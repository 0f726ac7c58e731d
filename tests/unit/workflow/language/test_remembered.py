"""What was read is kept, but not without bounds."""

from hotplate.workflow.language import Remembered


def test_what_is_kept_is_not_read_again() -> None:
    reads: list[str] = []
    kept = Remembered[int](most=2)

    def length(text: str) -> int:
        def read() -> int:
            reads.append(text)
            return len(text)

        return kept.get((text, "name"), read)

    assert [length(text) for text in ("a", "bb", "a", "ccc", "a", "bb")] == [1, 2, 1, 3, 1, 2]
    assert reads == ["a", "bb", "ccc", "bb"]


def test_large_texts_make_room_for_each_other() -> None:
    kept = Remembered[int](most_characters=10)
    reads = 0

    def read() -> int:
        nonlocal reads
        reads += 1
        return reads

    for text in ("x" * 6, "y" * 6, "x" * 6, "z" * 50, "z" * 50, "a", "b", "a", "b"):
        kept.get((text,), read)
    assert reads == 6
