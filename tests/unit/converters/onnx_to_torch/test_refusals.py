"""What the importer does not do right, it refuses, by operator, node and attribute."""

import onnx
import pytest
import torch

from converters.onnx_to_torch import import_model
from converters.onnx_to_torch.bind import COUNTS, form_of
from converters.onnx_to_torch.size_table import SIZE_ROWS
from converters.onnx_to_torch.table import ROWS
from registry.errors import ConversionError, SourceError

REFUSALS = {
    "an operator of others": (
        "g (float[n] x) => (float[n] y) { y = com.acme.Shout (x) }",
        "operator com.acme::Shout.* gives 'y'",
    ),
    "an operator without a row": (
        "g (string[n] x) => (string[n] y) { y = StringNormalizer (x) }",
        "StringNormalizer-10 .*not supported|string",
    ),
    "an attribute that the operator does not have": (
        "g (float[n] x) => (float[n] y) { y = Relu <slope = 2.0> (x) }",
        "Relu-14 .*attribute slope",
    ),
    "a value that an attribute may not have": (
        'g (float[n, m] x) => (float[n, m] y) { y = Gelu <approximate = "sigmoid"> (x) }',
        "Gelu-20 .*approximate = 'sigmoid'",
    ),
    "an activation without a function": (
        """g (float[t, b, 3] x, float[1, 2, 3] w, float[1, 2, 2] r) => (float[t, 1, b, 2] y) {
          y = RNN <hidden_size = 2, activations = ["Affine"]> (x, w, r)
        }""",
        r"RNN-14 .*activations = \['Affine'\]",
    ),
    "a type that torch has not": (
        "g (float[n] x) => (float8e4m3fn[n] y) { y = Cast <to = 17> (x) }",
        "Cast-21 .*attribute to = 17|float8e4m3fn",
    ),
    "an input of such a type": (
        "g (float8e4m3fn[n] x) => (float[n] y) { y = Cast <to = 1> (x) }",
        "'x': .*float8e4m3fn",
    ),
    "too many inputs": (
        "g (float[n] x) => (float[n] y) { y = Relu (x, x) }",
        "Relu-14 .*2 inputs",
    ),
    "too few inputs": (
        "g (float[n, m] x) => (float[n, m] y) { y = MatMul (x) }",
        "MatMul-13 .*first 2 inputs",
    ),
    "an output that the operator does not have": (
        "g (float[n] x) => (float[n] y, float[n] z) { y, z = Relu (x) }",
        "Relu-14 .*output z",
    ),
    "constants that do not fit": (
        """g (float[n] x) => (float[n] y) <float[2] a = {1.0, 2.0}, float[3] b = {1.0, 2.0, 3.0}> {
          c = Add (a, b)
          y = Add (x, c)
        }""",
        "Add-14 .*gives 'c'.* cannot be computed",
    ),
    "a name that nothing gives": (
        "g (float[n] x) => (float[n] y) { y = Add (x, ghost) }",
        "'ghost'",
    ),
    "an attribute inside of a branch": (
        """g (bool c, float[n] x) => (float[n] y) {
          y = If (c) <
            then_branch = a () => (float[n] p) { p = Relu <slope = 1.0> (x) },
            else_branch = b () => (float[n] q) { q = Neg (x) }
          >
        }""",
        "Relu-14 .*attribute slope",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refuses(load, name):
    graph, message = REFUSALS[name]
    with pytest.raises(ConversionError, match=message):
        load(graph)


RUNS = {
    "a node": (
        "g (float[n] x, float[m] z) => (float[n] y) { a = Relu (x) y = Add (a, z) }",
        [torch.ones(2), torch.ones(3)],
        r"operator Add-14 \(node that gives 'y'\) cannot be computed of float32: .*tensor a \(2\)",
    ),
    "a type": (
        "g (uint32[n] x) => (uint32[n] y) { y = Mean (x, x) }",
        [torch.ones(2, dtype=torch.uint32)],
        r"operator Mean-13 \(node that gives 'y'\) cannot be computed of uint32: ",
    ),
    "a layer": (
        """g (float[n, k] x) => (float[n, 2] y) <float[3, 2] w = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}> {
          y = MatMul (x, w)
        }""",
        [torch.ones(2, 4)],
        r"operator MatMul-13 \(node that gives 'y'\) cannot be computed of float32: ",
    ),
    "a node inside of a branch": (
        """g (bool c, float[n] x, float[m] z) => (float[n] y) {
          y = If (c) <
            then_branch = a () => (float[n] p) { p = Sub (x, z) },
            else_branch = b () => (float[n] q) { q = Neg (x) }
          >
        }""",
        [torch.tensor([True]), torch.ones(2), torch.ones(3)],
        r"operator Sub-14 \(node that gives 'p'\) cannot be computed of float32: ",
    ),
    "what is read as numbers": (
        "g (float[n] x, float[m] s) => (float[k] y) { a = Cast <to = 7> (s) y = Reshape (x, a) }",
        [torch.ones(6), torch.tensor([4.0, 2.0])],
        r"operator Reshape-21 \(node that gives 'y'\) cannot be computed of float32 and .*: shape",
    ),
}


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")
def test_what_fails_when_the_module_runs_or_is_traced_is_named(load, name):
    graph, inputs, message = RUNS[name]
    module = load(graph)
    with pytest.raises(ConversionError, match=message) as told:
        module(*inputs)
    assert told.value.__cause__ is not None
    with pytest.raises(ConversionError, match=message):
        torch.jit.trace(module, tuple(inputs), check_trace=False)


def test_an_opset_that_onnx_does_not_know_yet_is_refused(load):
    with pytest.raises(ConversionError, match="opset 99"):
        load("g (float[n] x) => (float[n] y) { y = Relu (x) }", opset=99)


def test_a_file_that_is_not_onnx_is_refused(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(SourceError, match="not an ONNX file"):
        import_model(tmp_path / "model.onnx")


@pytest.mark.parametrize("row", [*ROWS, *SIZE_ROWS], ids=lambda row: f"{row.operator}-{row.since}")
def test_every_row_names_versions_that_exist_and_fits_them(row):
    for version in row.since:
        schema = onnx.defs.get_schema(row.operator, version, row.domain)
        assert schema.since_version == version
        form = form_of(row.function)
        assert set(form.mandatory) - COUNTS <= {
            name for name, attribute in schema.attributes.items() if attribute.required
        } | {"is_test"}
        assert row.function.__doc__.startswith(row.operator) or row.operator in row.function.__doc__


def test_no_version_has_two_rows():
    for rows in (ROWS, SIZE_ROWS):
        named = [(row.domain, row.operator, version) for row in rows for version in row.since]
        assert len(named) == len(set(named))
