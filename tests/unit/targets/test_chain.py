"""The parts of a build run in order, each on its runtime, and are checked one by one."""

import numpy as np
import pytest
from onnx import TensorProto
from onnx.helper import make_node

from registry.errors import ContractError, IntegrityError
from registry.manifest import Build, BuiltPart, Contract, Draft, Lineage
from registry.signature import DType, Input, Signature, Tensor
from targets.host.contract import check_build
from targets.host.cpu import host
from targets.predictor import open_predictor
from targets.serving.build import choose_build
from tests.compositions import artifact
from tests.tiny_onnx import model, tensor, write

X = Input(name="x", dtype=DType.FLOAT32, shape=("batch", 2))


def named(name: str) -> Tensor:
    return Tensor(name=name, dtype=DType.FLOAT32, shape=("batch", 2))


def part(folder, name: str, operator: str, takes: tuple[str, ...], gives: str) -> BuiltPart:
    """Write a part of one node for ONNX Runtime."""
    graph = model(
        [make_node(operator, list(takes), [gives])],
        [tensor(one, TensorProto.FLOAT, "batch", 2) for one in takes],
        [tensor(gives, TensorProto.FLOAT, "batch", 2)],
    )
    write(graph, folder / name)
    signature = Signature(inputs=tuple(map(named, takes)), outputs=(named(gives),))
    contract = Contract(
        isa=(), runtime="onnxruntime", at_least="1.23", below="2", precision="f32", threads=1
    )
    return BuiltPart(
        target="ort",
        runtime="onnxruntime",
        precision="f32",
        artifact=artifact(name, name, signature),
        contract=contract,
    )


def draft_of(*parts: BuiltPart, outputs: tuple[str, ...] = ("y",)) -> Draft:
    return Draft(
        model="chained",
        signature=Signature(inputs=(named("x"),), outputs=tuple(map(named, outputs))),
        inputs=(X,),
        axes={},
        ids=None,
        tables=(),
        lookups=(),
        builds=(Build(target="ort", parts=parts, parity=()),),
        recorded=None,
        report=None,
        lineage=Lineage(job="", source="", source_digest="", tools={}),
    )


@pytest.fixture
def three(tmp_path) -> tuple[BuiltPart, ...]:
    """y = |x| + relu(|x|), z = relu(|x|): the last part takes of both before it."""
    return (
        part(tmp_path, "first", "Abs", ("x",), "first__a"),
        part(tmp_path, "second", "Relu", ("first__a",), "z"),
        part(tmp_path, "third", "Add", ("first__a", "z"), "y"),
    )


def test_parts_take_what_any_part_before_them_gives(tmp_path, three):
    predictor = open_predictor(tmp_path, draft_of(*three, outputs=("y", "z")), "ort")
    x = np.array([[-1, 2]], np.float32)
    answers = predictor.predict({"x": x})
    assert list(answers) == ["y", "z"]
    assert np.array_equal(answers["y"], 2 * abs(x))
    fed = {name: sorted(feeds) for name, feeds, _ in predictor.by_part({"x": x})}
    assert fed == {"first": ["x"], "second": ["first__a"], "third": ["first__a", "z"]}
    assert predictor.in_force()["precision"] == "f32"


def test_parts_in_another_order_are_refused(tmp_path, three):
    first, second, third = three
    with pytest.raises(IntegrityError, match="chained: no part gives first__a, z"):
        open_predictor(tmp_path, draft_of(third, second, first), "ort")


def test_a_missing_part_is_refused(tmp_path, three):
    with pytest.raises(IntegrityError, match="no part gives y"):
        open_predictor(tmp_path, draft_of(*three[:2]), "ort")


def test_the_part_whose_contract_a_host_breaks_is_named(tmp_path, three):
    first, second, third = three
    contract = second.contract.model_copy(update={"isa": ("abacus",)})
    late = third.contract.model_copy(update={"at_least": "98", "below": "99"})
    draft = draft_of(
        first,
        second.model_copy(update={"contract": contract}),
        third.model_copy(update={"contract": late}),
    )
    with pytest.raises(ContractError) as caught:
        choose_build(draft)
    assert "part second: its CPU has no abacus" in str(caught.value)
    assert "part third: onnxruntime is" in str(caught.value)
    assert "part first" not in str(caught.value)


def test_parts_need_their_memory_all_together(three):
    here = host()
    need = (here.memory >> 1) + (1 << 20)
    heavy = [
        one.model_copy(update={"contract": one.contract.model_copy(update={"memory": need})})
        for one in three[:2]
    ]
    check_build(Build(target="ort", parts=(heavy[0],), parity=()), here)
    with pytest.raises(ContractError, match="MiB of memory"):
        check_build(Build(target="ort", parts=tuple(heavy), parity=()), here)
