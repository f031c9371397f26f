"""What the dense part takes, and what is gone from it."""

import pytest


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("dlrm", ["numbers", "emb__user__0", "emb__tags__0"]),
        ("din", ["history", "emb__items__0", "emb__items__1"]),
        ("positions", ["emb__words__0"]),
        ("salted", ["emb__words__0"]),
        ("bare", ["emb__table__0"]),
        ("two_tower", ["emb__entities__0", "emb__entities__1"]),
    ],
)
def test_inputs_that_only_lookups_use_are_gone(splits, name, inputs):
    found = splits(name).split
    assert [tensor.name for tensor in found.dense.signature.inputs] == inputs


def test_outputs_have_the_names_of_the_model(splits):
    assert [tensor.name for tensor in splits("deepfm").split.dense.signature.outputs] == ["score"]
    names = [tensor.name for tensor in splits("din").split.dense.signature.outputs]
    assert names == [tensor.name for tensor in splits("din").split.signature.outputs]


def test_nodes_still_say_which_module_made_them(splits):
    program = splits("bert").composed.program
    stacks = [node.meta.get("nn_module_stack") for node in program.graph.nodes]
    paths = {path for stack in stacks if stack for path, _ in stack.values()}
    assert {"blocks.0.qkv", "blocks.1.feed.0"} <= paths


def test_vectors_take_the_rows_as_they_are_stored(splits):
    shapes = {t.name: t.shape for t in splits("ranks").split.dense.signature.inputs}
    assert shapes == {
        "emb__bias__0": ("batch", 1),
        "emb__matrices__0": ("batch", 6),
        "emb__stack__0": ("batch", 3),
    }


def test_nothing_checks_ids_any_more(splits):
    counted = splits("branches").split.nodes_after
    assert not any(name.startswith("aten._assert") for name in counted)


def test_nodes_are_counted_before_and_after(splits):
    found = splits("dlrm").split
    assert found.nodes_before["aten.embedding.default"] == 1
    assert "aten.embedding.default" not in found.nodes_after
    assert found.nodes_before["aten.linear.default"] == found.nodes_after["aten.linear.default"]
