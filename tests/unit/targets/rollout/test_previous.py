from datetime import UTC, datetime

import pytest

from registry.errors import RolloutError
from registry.manifest import Move
from targets.rollout.previous import previous_version


def history(*versions):
    moves = []
    for number, version in enumerate(versions, start=1):
        previous = versions[number - 2] if number > 1 else None
        moves.append(
            Move(
                number=number,
                channel="production",
                version=version,
                previous=previous,
                who="me",
                why="because",
                when=datetime(2026, 1, 1, tzinfo=UTC),
            )
        )
    return tuple(moves)


@pytest.mark.parametrize(
    ("versions", "previous"),
    [
        ((1, 2), 1),
        ((1, 2, 5), 2),
        ((1, 2, 5, 2), 1),
        ((1, 2, 5, 2, 6), 2),
        ((1, 2, 5, 1, 6, 7), 6),
    ],
)
def test_goes_back_to_what_was_live_before(versions, previous):
    assert previous_version("ads@live", history(*versions)) == previous


@pytest.mark.parametrize("versions", [(), (1,), (1, 2, 1), (1, 2, 3, 2, 1)])
def test_there_may_be_nothing_to_go_back_to(versions):
    with pytest.raises(RolloutError, match="ads@live: there is no version to go back to"):
        previous_version("ads@live", history(*versions))
