import pytest

from registry.catalog import Catalog
from registry.errors import RolloutError, ServeError
from registry.store import open_store
from targets.rollout.environment import Environment, Site, Step
from targets.rollout.rollout import Reason, roll_out
from tests.versions import publish

REASON = Reason("me", "it is better")


@pytest.fixture
def site(tmp_path):
    """Return a channel of a model with two versions, pointing nowhere."""
    catalog = Catalog(open_store(str(tmp_path / "store")))
    for seed in (1, 2):
        publish(catalog, tmp_path, seed, runtimes=("onnxruntime",))
    return Site(catalog, "production", tmp_path / "cache")


def place(events, *, prove=None, confirm=None):
    """Make an environment of two functions that may fail, and that writes down what it is told."""

    def step(name, also):
        def take(site, version):
            yield Step(name, f"version {version.number}")
            if also:
                also(site)

        return take

    def settle(site, version):
        events.append(site.catalog.channel(version.model, site.channel).version)

    return Environment("here", step("prove", prove), step("confirm", confirm), settle)


def fail(error):
    def raise_it(site):
        raise error

    return raise_it


def take_live(site, number, **functions):
    events = []
    version = site.catalog.version("ranker", number)
    try:
        return roll_out(
            place(events, **functions),
            site,
            version,
            REASON,
            lambda step: events.append(step.name),
        ), events
    except BaseException as error:
        error.events = events
        raise


def versions(site):
    return [move.version for move in site.catalog.history("ranker", "production")]


def test_the_channel_moves_between_proof_and_confirmation(site):
    move, events = take_live(site, 1)
    assert events == ["prove", "move", "confirm"]
    assert (move.version, move.who, move.why) == (1, "me", "it is better")


def test_a_channel_that_points_there_already_is_proven_and_not_moved(site):
    take_live(site, 1)
    events = []
    version = site.catalog.version("ranker", 1)
    move = roll_out(place([]), site, version, REASON, events.append)
    assert [step.name for step in events] == ["prove", "move", "confirm"]
    assert events[1].detail == "production already points to 1, move 1"
    assert (move.number, versions(site)) == (1, [1])


def test_a_channel_that_points_there_already_has_nowhere_to_go_back_to(site):
    take_live(site, 1)
    with pytest.raises(RolloutError, match="production points to 1, as before"):
        take_live(site, 1, confirm=fail(ServeError("no")))
    assert versions(site) == [1]


def test_a_version_that_is_not_proven_never_gets_the_channel(site):
    with pytest.raises(ServeError):
        take_live(site, 1, prove=fail(ServeError("no")))
    assert versions(site) == []


def test_what_is_not_confirmed_goes_back_and_is_settled(site):
    take_live(site, 1)
    with pytest.raises(RolloutError, match=r"no. production points to version 1 again") as caught:
        take_live(site, 2, confirm=fail(ServeError("no")))
    assert versions(site) == [1, 2, 1]
    assert caught.value.events[-1] == 1


def test_the_history_tells_the_place_of_a_rollout_and_that_a_move_by_hand_has_none(site):
    take_live(site, 1)
    with pytest.raises(RolloutError):
        take_live(site, 2, confirm=fail(ServeError("no")))
    site.catalog.move("ranker", "production", 2, who="me", why="by hand")
    moves = site.catalog.history("ranker", "production")
    assert [move.environment for move in moves] == [*[place([]).name] * 3, None]


def test_ctrl_c_goes_back_too(site):
    take_live(site, 1)
    with pytest.raises(KeyboardInterrupt):
        take_live(site, 2, confirm=fail(KeyboardInterrupt()))
    assert versions(site) == [1, 2, 1]


def test_the_first_version_has_nowhere_to_go_back_to_and_says_so(site):
    with pytest.raises(RolloutError, match="pointed nowhere before and stays at 1"):
        take_live(site, 1, confirm=fail(ServeError("no")))


def test_somebody_who_moved_the_channel_meanwhile_is_not_overruled(site):
    def meddle(site):
        site.catalog.move("ranker", "production", 1, who="she", why="hands off")

    with pytest.raises(RolloutError, match="she moved production to version 1 meanwhile"):
        take_live(site, 2, prove=meddle)
    assert versions(site) == [1]
