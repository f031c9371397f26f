"""Nodes are shared out by the job's names; where these do not separate the graph, it is told."""

import pytest

from converters.parts.divide import divide
from converters.parts.flow import Flow, Point, flow_of
from converters.split.policy import PartRule
from registry.errors import SplitError


def point(name: str, *takes: str, module: str = "", gives: tuple[str, ...] = ()) -> Point:
    where = f", module '{module}'" if module else ""
    return Point(
        name=name,
        takes=takes,
        gives=gives or (name,),
        called=frozenset(filter(None, (name, module, *gives))),
        place=f"'{name}' (op{where})",
    )


def skipping() -> Flow:
    """x → a → b → c → d, and a is read by d as well; e is read by nobody."""
    return flow_of(
        [
            point("a", "x", module="stem"),
            point("b", "a", module="body"),
            point("e", "b", module="body"),
            point("c", "b", module="body.last"),
            point("d", "c", "a", module="head"),
        ],
        ["d"],
    )


def rules(*untils: list[str]) -> list[PartRule]:
    named = [PartRule(name=f"p{number}", until=until) for number, until in enumerate(untils)]
    return [*named, PartRule(name="rest")]


def test_a_part_has_all_that_its_ends_are_computed_from_and_the_last_what_is_left():
    first, second, last = divide(skipping(), rules(["a"], ["body*"]), {"y": "d"})
    assert [sorted(one.points) for one in (first, second, last)] == [["a"], ["b", "c"], ["d"]]
    assert (first.gives, second.gives) == ({"p0__a": "a"}, {"p1__c": "c"})
    assert last.gives == {"y": "d"}


def test_a_skip_connection_that_leaks_is_told_with_its_way_and_is_mended_by_naming_it():
    with pytest.raises(SplitError) as caught:
        divide(skipping(), rules(["body.last"]), {"y": "d"})
    said = str(caught.value)
    assert said.startswith(
        "split.parts[0].until: the nodes that it names do not separate part 'p0'"
    )
    way = "input 'x' → 'a' (op, module 'stem') → 'd' (op, module 'head'), of part 'rest'"
    assert way in said
    assert 'Name that node as well: add "a" to `until`' in said
    first, _ = divide(skipping(), rules(["body.last", "a"]), {"y": "d"})
    assert first.gives == {"p0__a": "a", "p0__c": "c"}


def test_an_output_of_the_model_may_lie_in_any_part_and_be_read_by_others():
    flow = flow_of([point("a", "x"), point("b", "a"), point("c", "b", "a")], ["a", "c"])
    first, last = divide(flow, rules(["b"]), {"early": "a", "late": "c"})
    assert first.gives == {"early": "a", "p0__b": "b"}
    assert last.gives == {"late": "c"}


def test_what_no_output_needs_is_in_no_part():
    whole = divide(skipping(), rules(["a"]), {"y": "d"})
    assert "e" not in {name for one in whole for name in one.points}
    with pytest.raises(SplitError, match=r"no node or module .* is called 'e'"):
        divide(skipping(), rules(["e"]), {"y": "d"})


@pytest.mark.parametrize(
    ("untils", "said"),
    [
        ([["boddy.last"]], r"split.parts\[0\].until\[0\]: .*'boddy.last'.*like these: 'body.last'"),
        ([["a"], ["a", "ä"]], r"split.parts\[1\].until\[1\]: no node or module"),
        ([["b"], ["stem"]], r"split.parts\[1\].until: all that it names lies in parts before 'p1'"),
        ([["d"]], r"split.parts\[0\].until: nothing is left for part 'rest'"),
        ([["[a-"]], r"is called '\[a-'"),
        ([["x" * 10_000]], r"no node or module"),
    ],
)
def test_names_that_cut_nothing_are_told_with_their_place_in_the_job(untils, said):
    with pytest.raises(SplitError, match=said):
        divide(skipping(), rules(*untils), {"y": "d"})


def test_a_name_that_is_a_pattern_as_well_may_be_meant_as_it_is():
    flow = flow_of([point("a[0]", "x"), point("b", "a[0]")], ["b"])
    first, _ = divide(flow, rules(["a[0]"]), {"y": "b"})
    assert first.gives == {"p0__a_0_": "a[0]"}


def test_two_values_that_would_have_one_name_get_two():
    flow = flow_of([point("a.b", "x"), point("a/b", "x"), point("c", "a.b", "a/b")], ["c"])
    first, _ = divide(flow, rules(["a.b", "a/b"]), {"y": "c"})
    assert first.gives == {"p0__a_b": "a.b", "p0__a_b_2": "a/b"}


def test_many_leaks_are_counted():
    stem = [point(f"a{number}", "x") for number in range(9)]
    ends = [point("b", *(one.name for one in stem)), point("c", "b", *(one.name for one in stem))]
    with pytest.raises(SplitError, match="… and 4 more"):
        divide(flow_of([*stem, *ends], ["c"]), rules(["b"]), {"y": "c"})
