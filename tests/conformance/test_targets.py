"""Every row of TARGETS loads, answers, refuses and tells the truth alike."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto
from onnx.helper import make_node
from onnx.reference import ReferenceEvaluator
from packaging.version import Version
from pydantic import TypeAdapter

from converters import route
from converters.converter import ConvertOptions
from pipeline.toolchains import find_toolchain
from pipeline.toolchains.of_target import fits
from registry.errors import ContractError, InputError, JobError
from registry.format import ENTRY, Format
from targets import TARGETS, AnyTarget, find_target
from targets.target import Runner, Target, ThreadPlan
from tests.tiny_onnx import MODELS, feeds, model, tensor, write
from tests.toolchain_suites import HERE

#: Rows of this environment; `tests/integration/test_toolchains.py` runs the others in theirs.
TARGETS_HERE = [row for row in TARGETS if fits(find_toolchain(HERE), row)]


@pytest.fixture(params=TARGETS_HERE, ids=lambda row: row.runtime)
def target(request) -> Target:
    return request.param


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Callable[[Target, str], Path]:
    """Convert each model once for each target: some take a compiler's time."""
    made: dict[tuple[str, str], Path] = {}

    def give(target: Target, name: str) -> Path:
        key = (target.runtime, name)
        if key not in made:
            made[key] = routed(target, MODELS[name](), tmp_path_factory.mktemp(name))
        return made[key]

    return give


@pytest.fixture
def opened(target, kept) -> Callable[..., Runner]:
    """Open one of the tiny models in the format that the target reads."""

    def give(name: str, **plan: int) -> Runner:
        return target.load(kept(target, name), "f32", ThreadPlan(**{"threads": 1, **plan}))

    return give


def routed(target: Target, made: onnx.ModelProto, folder: Path) -> Path:
    """Take a model all the way to a target's format."""
    folder = write(made, folder / "onnx").parent
    for number, step in enumerate(route(Format.ONNX, target.format)):
        step.convert(folder, folder / str(number), ConvertOptions())
        folder = folder / str(number)
    return folder


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("batch", [1, 3, 17])
def test_it_answers_like_the_reference(target, name, batch, opened):
    made = MODELS[name]()
    inputs = feeds(made, batch)
    answers = opened(name).run(inputs)
    wanted = ReferenceEvaluator(made).run(None, inputs)
    for output, array in zip(made.graph.output, wanted, strict=True):
        assert answers[output.name].shape == np.asarray(array).shape
        np.testing.assert_allclose(answers[output.name], array, 1e-5, 1e-6)


def test_an_empty_batch_gives_empty_answers(target, opened):
    answers = opened("mlp").run({"x": np.zeros((0, 6), np.float32)})
    assert answers["score"].shape == (0, 2)


def test_batches_of_every_size_may_follow_one_another(target, opened):
    made = MODELS["mlp"]()
    runner, reference = opened("mlp"), ReferenceEvaluator(made)
    for batch in (5, 1, 0, 64, 2, 64, 1):
        inputs = feeds(made, batch, seed=batch)
        np.testing.assert_allclose(
            runner.run(inputs)["score"], reference.run(None, inputs)[0], 1e-5, 1e-6
        )


def test_an_answer_is_the_callers_to_keep(target, opened):
    made = MODELS["mlp"]()
    runner = opened("mlp")
    first = runner.run(feeds(made, 3, seed=1))["score"]
    kept = first.copy()
    runner.run(feeds(made, 3, seed=2))
    assert np.array_equal(first, kept)


@pytest.mark.parametrize("streams", [1, 2])
def test_several_threads_may_ask_at_once(target, streams, opened):
    made = MODELS["mlp"]()
    runner = opened("mlp", streams=streams)
    batches = [feeds(made, 1 + seed % 7, seed=seed) for seed in range(50)]
    wanted = [runner.run(inputs)["score"] for inputs in batches]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(runner.run, batches))
    for answers, array in zip(found, wanted, strict=True):
        np.testing.assert_allclose(answers["score"], array, 1e-6)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"x": None}, "x: is missing"),
        ({"z": np.zeros(1)}, "z: the model has no such input"),
        ({"x": np.zeros((2, 6))}, "x: is float64, not float32"),
        ({"x": np.zeros((2, 7), np.float32)}, r"x: has shape \[2, 7\], not"),
        ({"x": np.zeros(6, np.float32)}, r"x: has shape \[6\], not"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(target, change, fault, opened):
    inputs = feeds(MODELS["mlp"](), 2) | change
    with pytest.raises(InputError, match=fault):
        opened("mlp").run({k: v for k, v in inputs.items() if v is not None})


def test_an_input_that_is_not_contiguous_is_read_right(target, opened):
    made = MODELS["mlp"]()
    wide = np.random.default_rng(0).standard_normal((8, 12)).astype(np.float32)
    part = wide[::2, ::2]
    found = opened("mlp").run({"x": part})["score"]
    wanted = ReferenceEvaluator(made).run(None, {"x": part})[0]
    np.testing.assert_allclose(found, wanted, 1e-5, 1e-6)


def test_the_signature_is_read_off_the_model(target, opened):
    signature = opened("integers").signature
    assert [(t.name, t.dtype.value, len(t.shape)) for t in signature.inputs] == [
        ("ids", "int64", 2),
        ("vectors", "float32", 3),
    ]
    assert [(t.name, t.dtype.value) for t in signature.outputs] == [
        ("pooled", "float32"),
        ("mask", "bool"),
    ]


def test_what_is_in_force_is_read_back(target, opened):
    force = opened("mlp").in_force()
    assert force["precision"] == "f32"
    assert force["threads"] == "1"
    assert force["streams"] == "1"
    assert "CPU" in force["device"]
    # OpenVINO adds its build to the version that the package has.
    assert force["runtime"].startswith(f"{target.runtime} {target.version()}")


def test_a_file_that_is_no_model_is_refused(target, kept, tmp_path):
    folder = shutil.copytree(kept(target, "mlp"), tmp_path / "copy")
    (folder / ENTRY[target.format]).write_bytes(b"nothing of the kind")
    with pytest.raises(ContractError, match="cannot load it"):
        target.load(folder, "f32", ThreadPlan(threads=1))


def test_a_missing_file_is_refused(target, tmp_path):
    with pytest.raises(ContractError, match="cannot load it"):
        target.load(tmp_path / "nowhere", "f32", ThreadPlan(threads=1))


def test_a_model_without_a_batch_answers_scalars(target, tmp_path):
    made = model(
        [make_node("ReduceSum", ["x"], ["total"], name="sum", keepdims=0)],
        [tensor("x", TensorProto.FLOAT, "length")],
        [tensor("total", TensorProto.FLOAT)],
    )
    folder = routed(target, made, tmp_path)
    answers = target.load(folder, "f32", ThreadPlan(threads=1)).run({"x": np.ones(4, np.float32)})
    assert answers["total"].shape == ()
    assert answers["total"] == 4


def test_the_installed_version_is_in_the_range_that_is_known_to_work(target):
    at_least, below = map(Version, target.versions)
    assert at_least <= Version(target.version()) < below


def test_its_slot_in_the_job_is_told_by_the_runtimes_name(target):
    options = TypeAdapter(AnyTarget).validate_python({"name": "one", "runtime": target.runtime})
    assert type(options) is target.options
    assert find_target(target.runtime) is target


def test_an_unknown_runtime_is_named_with_those_that_there_are():
    with pytest.raises(
        JobError, match="no runtime 'abacus'; there are openvino, onnxruntime, ipex, torchscript"
    ):
        find_target("abacus")
