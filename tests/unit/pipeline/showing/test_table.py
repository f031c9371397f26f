"""Tables line up, and keep within the width of a terminal."""

import pytest

from pipeline.showing.table import lay_out

HEADER = ("stage", "disk", "why")
ROWS = [("split", "3 MiB", "first run"), ("push", "", "never cached: the store is asked each time")]


def test_without_a_width_a_row_is_a_line():
    assert list(lay_out(HEADER, ROWS, None)) == [
        "stage   disk  why",
        "split  3 MiB  first run",
        "push          never cached: the store is asked each time",
    ]


def test_the_last_column_is_broken_between_words_under_itself():
    assert list(lay_out(HEADER, ROWS, 40)) == [
        "stage   disk  why",
        "split  3 MiB  first run",
        "push          never cached: the store is",
        "              asked each time",
    ]


@pytest.mark.parametrize("room", [0, 14, 25])
def test_where_there_is_hardly_any_room_nothing_is_broken(room):
    assert list(lay_out(HEADER, ROWS, room)) == list(lay_out(HEADER, ROWS, None))


def test_a_word_that_is_too_long_is_left_whole():
    (_, line) = lay_out(("a", "b"), [("x", "https://" + "y" * 60)], 40)
    assert line == "x  https://" + "y" * 60
