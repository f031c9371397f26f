import hashlib

import numpy as np
import onnx
import onnxruntime
import pytest
import torch

from converters.converter import ConvertOptions
from converters.onnx_models.faults import inspect
from converters.onnx_models.files import read_signature
from converters.programs.export import export_program
from converters.programs.files import load_program, save_program
from converters.programs.signature import program_signature
from converters.sources.source import Brief, SourceOptions
from converters.torch_to_onnx import convert, export_onnx
from registry.errors import ConversionError
from registry.signature import Axis, Ids, Input
from tests.modules.bags import Bag

INPUT = Input(name="x", dtype="float32", shape=("batch", 16))


class Dense(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(16, 64)
        self.out = torch.nn.Linear(64, 2)

    def forward(self, x):
        y = self.out(torch.relu(self.inner(x)))
        return y.squeeze(), x


def program_of(module, tmp_path, outputs=()):
    brief = Brief(SourceOptions(), tmp_path, (INPUT,), {"batch": Axis(max=64)}, outputs)
    program = export_program(module, brief)
    return program, program_signature(program, brief)


def digests(folder):
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in folder.iterdir()}


@pytest.fixture
def saved(tmp_path):
    torch.manual_seed(0)
    model = Dense()
    program, signature = program_of(model, tmp_path, ("logits", "same"))
    save_program(program, tmp_path / "program", signature)
    return model, signature, tmp_path / "program"


def test_the_onnx_has_the_programs_signature(saved, tmp_path):
    _, signature, folder = saved
    maker = convert(folder, tmp_path / "out", ConvertOptions())
    assert maker.startswith("torch.onnx (dynamo) 2.")
    assert read_signature(tmp_path / "out") == signature
    assert inspect(tmp_path / "out") == ()


def test_onnxruntime_answers_like_torch_at_other_batches(saved, tmp_path):
    model, _, folder = saved
    convert(folder, tmp_path / "out", ConvertOptions())
    session = onnxruntime.InferenceSession(tmp_path / "out" / "model.onnx")
    for batch in (2, 7):
        x = np.random.default_rng(batch).normal(size=(batch, 16)).astype("float32")
        wanted = model(torch.from_numpy(x))[0].detach().numpy()
        np.testing.assert_allclose(session.run(["logits"], {"x": x})[0], wanted, atol=1e-6)


def test_big_weights_lie_beside_the_file_and_small_ones_inside(saved, tmp_path):
    _, _, folder = saved
    convert(folder, tmp_path / "out", ConvertOptions())
    model = onnx.load(tmp_path / "out" / "model.onnx", load_external_data=False)
    outside = {t.name for t in model.graph.initializer if t.data_location == 1}
    assert outside == {"inner.weight"}
    assert (tmp_path / "out" / "model.onnx.data").stat().st_size >= 64 * 16 * 4


def test_two_exports_are_the_same_bytes_and_carry_no_path_of_this_machine(saved, tmp_path):
    _, _, folder = saved
    for name in ("one", "two"):
        convert(folder, tmp_path / name, ConvertOptions())
    assert digests(tmp_path / "one") == digests(tmp_path / "two")
    text = (tmp_path / "one" / "model.onnx").read_bytes()
    assert b".py" not in text
    assert b"stack_trace" not in text


def test_a_node_keeps_the_path_of_its_module(saved, tmp_path):
    _, _, folder = saved
    convert(folder, tmp_path / "out", ConvertOptions())
    model = onnx.load(tmp_path / "out" / "model.onnx")
    paths = {entry.value for node in model.graph.node for entry in node.metadata_props}
    assert {"inner", "out"} <= paths


def test_an_operator_without_onnx_form_is_named_with_its_module(tmp_path):
    class Decompose(torch.nn.Module):
        def forward(self, x):
            return torch.linalg.lu(x @ x.T)[0]

    model = torch.nn.Sequential(torch.nn.Identity(), Decompose())
    program, signature = program_of(model, tmp_path)
    with pytest.raises(
        ConversionError, match=r"aten.linalg_lu.default in module '1' \(.*Decompose"
    ):
        export_onnx(program, tmp_path / "model.onnx", signature)


def test_an_operator_that_is_taken_apart_first_is_named_with_its_module(tmp_path):
    class Bessel(torch.nn.Module):
        def forward(self, x):
            return torch.special.bessel_j0(x)

    program, signature = program_of(torch.nn.Sequential(Dense().inner, Bessel()), tmp_path)
    with pytest.raises(ConversionError, match=r"bessel_j0.default in module '1' \(.*Bessel\)"):
        export_onnx(program, tmp_path / "model.onnx", signature)


def test_axes_that_nobody_named_are_not_taken_for_one(tmp_path):
    """A runtime lets values of one shape share their memory."""
    module = Bag(mode="mean")
    brief = Brief(
        SourceOptions(),
        tmp_path,
        (
            Input(name="ids", dtype="int64", shape=("total",), ids=Ids(cardinality=1100)),
            Input(name="offsets", dtype="int64", shape=("bags",), offsets="ids"),
        ),
        {"total": Axis(min=0, max=512), "bags": Axis(max=64)},
        (),
    )
    program = export_program(module, brief)
    export_onnx(program, tmp_path / "model.onnx", program_signature(program, brief))
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    for offsets in ([0], [0, 0, 4, 9], [0, 2, 2, 5, 10, 10]):
        given = (torch.arange(10) * 7, torch.tensor(offsets))
        (answer,) = session.run(None, {"ids": given[0].numpy(), "offsets": given[1].numpy()})
        with torch.no_grad():
            np.testing.assert_allclose(answer, module(*given), 1e-5, 1e-6)


def test_weights_are_never_halved(saved, tmp_path):
    with pytest.raises(ConversionError, match="keeps the weights' own type"):
        convert(saved[2], tmp_path / "out", ConvertOptions(weights="f16"))


def test_a_program_keeps_its_signature_through_a_file(saved):
    _, signature, folder = saved
    assert load_program(folder)[1] == signature


def test_an_integer_program_is_exact_beyond_32_bits(tmp_path):
    class Ids(torch.nn.Module):
        def forward(self, ids):
            return ids * 2 + 1

    given = Input(name="ids", dtype="int64", shape=("batch", 3))
    brief = Brief(SourceOptions(), tmp_path, (given,), {"batch": Axis()}, ("rows",))
    program = export_program(Ids(), brief)
    export_onnx(program, tmp_path / "model.onnx", program_signature(program, brief))
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    ids = np.array([[2**31, 2**40, 0]])
    assert np.array_equal(session.run(None, {"ids": ids})[0], ids * 2 + 1)


@pytest.mark.parametrize("layer", [torch.nn.GRU, torch.nn.LSTM])
def test_a_recurrent_layer_is_exported_with_a_free_length(layer, tmp_path):
    class Recurrent(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.cell = layer(4, 8, batch_first=True)

        def forward(self, x):
            return self.cell(x)[0][:, -1]

    given = Input(name="x", dtype="float32", shape=("batch", "time", 4))
    brief = Brief(SourceOptions(), tmp_path, (given,), {"batch": Axis(), "time": Axis(max=64)})
    model = Recurrent().eval()
    program = export_program(model, brief)
    save_program(program, tmp_path / "program", program_signature(program, brief))
    convert(tmp_path / "program", tmp_path, ConvertOptions())
    assert read_signature(tmp_path).inputs[0].shape == ("batch", "time", 4)
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    for time in (1, 11):
        x = np.random.default_rng(0).normal(size=(3, time, 4)).astype("float32")
        wanted = model(torch.from_numpy(x)).detach().numpy()
        np.testing.assert_allclose(session.run(None, {"x": x})[0], wanted, atol=1e-5)


def test_the_exporter_prints_nothing(saved, tmp_path, capsys):
    convert(saved[2], tmp_path / "out", ConvertOptions())
    assert capsys.readouterr() == ("", "")
