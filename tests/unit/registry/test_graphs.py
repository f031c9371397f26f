"""Graphs read from files without a framework, drawn in few boxes, and laid out."""

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper, numpy_helper

from registry.format import Format
from registry.graphs.graph import Graph, Node, without_constants
from registry.graphs.layout import HEIGHT, WIDTH, lay_out
from registry.graphs.reading import read_graph
from registry.graphs.sketch import Stretch, sketch

FLOAT = TensorProto.FLOAT


def value(name):
    return helper.make_tensor_value_info(name, FLOAT, ["n", 4])


def branching():
    """Build a model with a weight, a folded constant, and a branch that reads an outer value."""
    bodies = [
        helper.make_graph(
            [helper.make_node(name, ["h"], [name], name=name)], name, [], [value(name)]
        )
        for name in ("Relu", "Tanh")
    ]
    weight = numpy_helper.from_array(np.ones((4, 4), np.float32), "weight")
    always = numpy_helper.from_array(np.array(True), "always")
    choice = helper.make_node(
        "If", ["always"], ["y"], name="choice", then_branch=bodies[0], else_branch=bodies[1]
    )
    nodes = [
        helper.make_node("Neg", ["weight"], ["negative"], name="folded"),
        helper.make_node("MatMul", ["x", "negative"], ["h"], name="net/layer/product"),
        choice,
    ]
    noted = helper.make_node("Add", ["y", "h"], ["z"], name="sum")
    noted.metadata_props.add(key="module", value="head.last")
    graph = helper.make_graph([*nodes, noted], "g", [value("x")], [value("z")], [weight, always])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


def read(model):
    return without_constants(read_graph(memoryview(model.SerializeToString()), Format.ONNX))


def test_an_onnx_file_shows_nodes_modules_and_what_branches_take():
    graph = read(branching())
    assert (graph.inputs, dict(graph.outputs)) == (("x",), {"z": "z"})
    assert [(node.operator, node.module, node.takes) for node in graph.nodes] == [
        ("MatMul", ("net", "layer"), ("x",)),
        ("If", (), ("h", "h")),
        ("Add", ("head", "last"), ("y", "h")),
    ]


def test_an_ir_shows_the_main_graph_and_passes_bodies_over(tmp_path):
    import openvino  # noqa: PLC0415  slow to import, and not for every test

    path = tmp_path / "model.onnx"
    model = branching()
    model.graph.input.append(helper.make_tensor_value_info("always", TensorProto.BOOL, []))
    del model.graph.initializer[1]
    onnx.save(model, path)
    openvino.save_model(openvino.convert_model(path), tmp_path / "m.xml", compress_to_fp16=False)
    data = (tmp_path / "m.xml").read_bytes()
    assert b"<then_body>" in data
    graph = without_constants(read_graph(memoryview(data), Format.OPENVINO_IR))
    assert set(graph.inputs) == {"x", "always"}
    assert list(graph.outputs) == ["z"]
    assert sorted(node.operator for node in graph.nodes) == ["Add", "If", "MatMul"]
    drawn = sketch(graph, Stretch())
    places = {box.title: at for at, box in enumerate(drawn.boxes)}
    last = next(at for at, box in enumerate(drawn.boxes) if "Add" in box.operators)
    assert (last, places["z"]) in drawn.edges


@pytest.mark.parametrize("format", [Format.ONNX, Format.OPENVINO_IR])
@pytest.mark.parametrize("data", [b"", b"\xff" * 50, b"<net/>", b"\x3a\xff\x01"])
def test_a_file_of_another_kind_has_no_graph(format, data):  # noqa: A002
    assert read_graph(memoryview(data), format) is None


def test_nodes_beyond_what_is_read_are_counted():
    data = memoryview(branching().SerializeToString())
    graph = read_graph(data, Format.ONNX, most=1)
    assert (len(graph.nodes), graph.more) == (1, 3)


def tower(layers, width=4, deep=True):
    """Build a graph of layers with as many nodes each, in modules, with skips."""
    nodes, last = [], "x"
    for layer in range(layers):
        start = last
        for at in range(width):
            name = f"n{layer}_{at}"
            module = ("body", f"layer{layer}") if deep else ()
            takes = (last, start) if at == width - 1 else (last,)
            nodes.append(Node(name, f"Op{at}", module, takes, (name,)))
            last = name
    return Graph(("x",), {"y": last}, tuple(nodes))


def test_a_large_graph_is_drawn_by_modules_that_can_be_looked_into():
    whole = sketch(tower(40), Stretch())
    groups = [box for box in whole.boxes if box.kind == "group"]
    assert whole.nodes == 160
    assert [box.title for box in groups] == [f"body.layer{layer}" for layer in range(40)]
    inner = sketch(tower(40), groups[7].inside)
    assert [box.kind for box in inner.boxes] == ["input", *["node"] * 4, "output"]
    assert inner.boxes[0].title == "n6_3"


def test_a_large_graph_without_modules_is_drawn_by_stretches():
    graph = tower(1000, deep=False)
    seen, shown = 0, [Stretch()]
    while shown:
        drawn = sketch(graph, shown.pop())
        assert len(drawn.boxes) <= 62
        seen += sum(box.kind == "node" for box in drawn.boxes)
        shown += [box.inside for box in drawn.boxes if box.inside]
    assert seen == 4000  # every node is reached by looking into groups, once


def test_many_inputs_are_one_box():
    node = Node("sum", "Sum", (), tuple(f"x{at}" for at in range(30)), ("y",))
    drawn = sketch(Graph(node.takes, {"y": "y"}, (node,)), Stretch())
    assert [box.title for box in drawn.boxes] == ["30 inputs", "sum", "y"]
    assert drawn.edges == ((0, 1), (1, 2))


def test_no_stretch_is_no_sketch():
    assert sketch(tower(2), Stretch(within="elsewhere")) is None
    assert sketch(tower(2), Stretch(first=9)) is None


EDGES = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)), max_size=40)


@settings(max_examples=100, deadline=None)
@given(count=st.integers(1, 15), edges=EDGES)
def test_boxes_never_meet_and_lie_below_what_they_take_from(count, edges):
    known = [(a, b) for a, b in dict.fromkeys(edges) if a < count and b < count and a != b]
    layout = lay_out(count, known)
    for one, place in enumerate(layout.places):
        assert 0 <= place.x <= layout.width - WIDTH
        assert 0 <= place.y <= layout.height - HEIGHT
        for other in layout.places[one + 1 :]:
            assert abs(place.y - other.y) >= HEIGHT or abs(place.x - other.x) >= WIDTH
    for start, end in known:
        if start < end:
            assert layout.places[start].y < layout.places[end].y
    assert len(layout.paths) == len(known)
