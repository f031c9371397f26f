"""Every row of CONVERTERS keeps the signature, writes whole files and refuses what it must."""

import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx.reference import ReferenceEvaluator

from converters import CONVERTERS, route
from converters.converter import Converter, ConvertOptions, convert
from pipeline.toolchains import CURRENT, find_toolchain
from pipeline.toolchains.of_target import fits
from registry.composition import Artifact
from registry.errors import PlatformError
from registry.format import ENTRY, Format
from registry.signature import DType, Signature, Tensor, same_but_unnamed
from targets import TARGETS
from targets.target import ThreadPlan
from tests.tiny_onnx import MODELS, feeds, write
from tests.toolchain_suites import HERE

#: Rows of this environment; `tests/integration/test_toolchains.py` runs the others in theirs.
TARGETS_HERE = [row for row in TARGETS if fits(find_toolchain(HERE), row)]
FORMATS_HERE = {row.format for row in TARGETS_HERE}
#: What the platform's environment makes for the converter of a target elsewhere.
BETWEEN = {row.result for row in CONVERTERS} - {row.format for row in TARGETS}
CONVERTERS_HERE = [
    row
    for row in CONVERTERS
    if row.result in FORMATS_HERE or (HERE == CURRENT and row.result in BETWEEN)
]
#: Where a compiler runs, `test_targets.py` lets each of the models answer.
QUICK = [
    row for row in TARGETS_HERE if not any(step.by_isa for step in route(Format.ONNX, row.format))
]


@pytest.fixture(params=CONVERTERS_HERE, ids=lambda row: f"{row.source}-{row.result}")
def converter(request) -> Converter:
    return request.param


def write_onnx(folder: Path) -> Signature:
    write(MODELS["mlp"](), folder)
    return Signature(
        inputs=(Tensor(name="x", dtype=DType.FLOAT32, shape=("batch", 6)),),
        outputs=(Tensor(name="score", dtype=DType.FLOAT32, shape=("batch", 2)),),
    )


def write_program(folder: Path) -> Signature:
    import torch  # noqa: PLC0415  not every toolchain has it

    from converters.programs.files import save_program  # noqa: PLC0415

    torch.manual_seed(0)
    layers = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    batch = torch.export.Dim("batch", min=1, max=64)
    program = torch.export.export(layers.eval(), (torch.randn(3, 6),), dynamic_shapes=({0: batch},))
    signature = Signature(
        inputs=(Tensor(name="input", dtype=DType.FLOAT32, shape=("batch", 6)),),
        outputs=(Tensor(name="score", dtype=DType.FLOAT32, shape=("batch", 2)),),
    )
    save_program(program, folder, signature)
    return signature


def write_graph(folder: Path) -> Signature:
    """Write a graph by hand: the torch of a toolchain cannot export what this platform reads."""
    import torch  # noqa: PLC0415  not every toolchain has it

    from converters.torch_graph.files import save_graph  # noqa: PLC0415  imports torch

    signature = write_onnx(folder / "onnx")
    shutil.rmtree(folder / "onnx")
    torch.manual_seed(0)
    module, graph = torch.nn.Module(), torch.fx.Graph()
    x = graph.placeholder("x")
    for number, shape in enumerate([(8, 6), (2, 8)]):
        module.register_buffer(f"weight_{number}", torch.randn(shape))
        weight = graph.get_attr(f"weight_{number}")
        x = graph.call_function(torch.ops.aten.linear.default, (x, weight))
    graph.output((x,))
    save_graph(torch.fx.GraphModule(module, graph), folder, signature, ConvertOptions())
    return signature


#: How to write a part in each format that a converter reads.
WRITERS = {
    Format.ONNX: write_onnx,
    Format.EXPORTED_PROGRAM: write_program,
    Format.TORCH_GRAPH: write_graph,
}


@pytest.fixture
def part(converter, tmp_path) -> Artifact:
    return written(converter, tmp_path)


def written(converter: Converter, folder: Path) -> Artifact:
    """Write a part in the format that a converter reads."""
    signature = WRITERS[converter.source](folder / "source")
    return Artifact(
        part="dense",
        format=converter.source,
        folder="source",
        signature=signature,
        maker="tests",
    )


@pytest.fixture(scope="module")
def kept(tmp_path_factory) -> Callable[[Converter], tuple[Artifact, Artifact, Path]]:
    """Convert a part once with each converter: some take a compiler's time."""
    known: dict[tuple[Format, Format], tuple[Artifact, Artifact, Path]] = {}

    def give(converter: Converter) -> tuple[Artifact, Artifact, Path]:
        key = (converter.source, converter.result)
        if key not in known:
            folder = tmp_path_factory.mktemp(converter.result)
            part = written(converter, folder)
            made = convert(converter, part, folder, folder / "out", ConvertOptions())
            shutil.rmtree(folder / "source")
            known[key] = (part, made, folder / "out")
        return known[key]

    return give


def test_a_part_is_converted_and_keeps_its_signature(converter, kept):
    part, made, folder = kept(converter)
    assert made.format == converter.result
    assert made.signature == part.signature
    assert same_but_unnamed(converter.read_signature(folder), part.signature)
    assert (folder / ENTRY[converter.result]).is_file()
    assert any(character.isdigit() for character in made.maker)


def test_converting_twice_writes_the_same_bytes(converter, part, kept, tmp_path):
    _, _, first = kept(converter)
    convert(converter, part, tmp_path, tmp_path / "again", ConvertOptions())
    folders = (first, tmp_path / "again")
    one, two = ({f.name: f.read_bytes() for f in folder.iterdir()} for folder in folders)
    assert one == two


def test_the_result_does_not_need_the_source(converter, kept, tmp_path):
    part, _, folder = kept(converter)
    shutil.copytree(folder, tmp_path / "moved")
    assert converter.inspect(tmp_path / "moved") == ()
    assert same_but_unnamed(converter.read_signature(tmp_path / "moved"), part.signature)


def test_a_file_cut_short_is_a_fault_or_an_error(converter, kept, tmp_path):
    shutil.copytree(kept(converter)[-1], tmp_path / "out")
    file = tmp_path / "out" / ENTRY[converter.result]
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    try:
        faults = converter.inspect(tmp_path / "out")
    except PlatformError:
        return
    assert faults


def test_a_source_that_is_not_of_the_format_is_refused(request, converter, part, tmp_path):
    if converter.source == Format.EXPORTED_PROGRAM:
        reason = "what the split wrote is read back with torch's own errors"
        request.applymarker(pytest.mark.xfail(reason=reason))
    (tmp_path / "source" / ENTRY[converter.source]).write_bytes(b"nothing of the kind")
    with pytest.raises(PlatformError, match=ENTRY[converter.source]):
        convert(converter, part, tmp_path, tmp_path / "out", ConvertOptions())


def test_the_guard_passes_what_holds_no_integers(converter, part, tmp_path):
    converter.guard(tmp_path / "source" / ENTRY[converter.source], ())


@pytest.mark.parametrize("target", QUICK, ids=lambda row: row.runtime)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("external", [False, True], ids=["inside", "external"])
def test_what_a_route_makes_of_onnx_answers_alike(target, name, external, tmp_path):
    made = MODELS[name]()
    folder = write(made, tmp_path / "onnx", external=external).parent
    for number, step in enumerate(route(Format.ONNX, target.format)):
        step.convert(folder, tmp_path / str(number), ConvertOptions())
        folder = tmp_path / str(number)
    runner = target.load(folder, "f32", ThreadPlan(threads=1))
    reference = ReferenceEvaluator(made)
    names = [output.name for output in made.graph.output]
    for batch in (1, 3, 17):
        inputs = feeds(made, batch, seed=batch)
        answers = runner.run(inputs)
        assert list(answers) == names
        for output, wanted in zip(names, reference.run(None, inputs), strict=True):
            assert answers[output].dtype == np.asarray(wanted).dtype
            np.testing.assert_allclose(answers[output], wanted, 1e-5, 1e-6)


def test_every_target_is_reached_from_every_format_that_parts_come_in():
    for source in (Format.ONNX, Format.EXPORTED_PROGRAM):
        for target in TARGETS:
            steps = route(source, target.format)
            assert (steps[-1].result if steps else source) == target.format


def test_onnx_is_checked_by_its_own_library():
    for make in MODELS.values():
        onnx.checker.check_model(make(), full_check=True)
