"""What decides a stage's output, and how its changes read."""

import pytest

from pipeline.caching.material import Material, changes


@pytest.fixture
def material() -> Material:
    return Material(
        stage="convert",
        options={"parity": {"seed": 0}, "inputs": [{"range": [0, 1]}]},
        folder="/jobs",
        files={"weights.safetensors": "a"},
        inputs={"split": "b"},
        code="c",
        tools={"onnx": "1.22"},
    )


def altered(material: Material, **fields: object) -> Material:
    return Material.model_validate({**material.model_dump(), **fields})


CHANGES = [
    ({"options": {"parity": {"seed": 1}, "inputs": [{"range": [0, 1]}]}}, "seed: 0 → 1"),
    ({"options": {"parity": {"seed": 0}, "inputs": [{"range": [0, 2]}]}}, "range[1]: 1 → 2"),
    (
        {"options": {"parity": {}, "inputs": [{"range": [0, 1]}]}},
        "option parity.seed: 0 → not there",
    ),
    ({"files": {"weights.safetensors": "z"}}, "file weights.safetensors changed"),
    ({"files": {}}, "file weights.safetensors is gone"),
    ({"inputs": {"split": "z"}}, "what it reads changed: split"),
    ({"tools": {"onnx": "1.23"}}, "onnx 1.22 → 1.23"),
    ({"tools": {"onnx": "1.22", "torch": "2.13"}}, "torch none → 2.13"),
    ({"folder": "/moved"}, "moved here from /jobs"),
    ({"code": "z"}, "the platform's own code changed"),
    ({"cpu": "avx2"}, "another kind of CPU"),
]


@pytest.mark.parametrize(("fields", "words"), CHANGES)
def test_a_change_is_said_in_words_and_changes_the_key(material, fields, words):
    other = altered(material, **fields)
    assert words in changes(material, other)
    assert other.key() != material.key()


def test_every_field_is_part_of_the_key(material):
    told = {name for fields, _ in CHANGES for name in fields}
    assert told == set(Material.model_fields) - {"stage"}
    assert altered(material, stage="tables").key() != material.key()


def test_the_order_of_options_does_not_matter(material):
    turned = {"inputs": [{"range": [0, 1]}], "parity": {"seed": 0}}
    other = altered(material, options=turned)
    assert other.key() == material.key()
    assert changes(material, other) == ""


def test_many_changes_are_cut_short(material):
    other = altered(material, options=dict.fromkeys("abcdef", 1))
    assert changes(material, other).endswith("and 6 more")


def test_a_long_value_is_cut_short(material):
    other = altered(material, options={**material.options, "text": "x" * 1000})
    assert len(changes(material, other)) < 120


def test_a_change_far_into_a_long_text_is_one(material):
    """A job's text, say."""
    text = "x" * 1000
    before = altered(material, options={**material.options, "text": text + "a"})
    after = altered(material, options={**material.options, "text": text + "b"})
    assert changes(before, after) == "option text changed"
