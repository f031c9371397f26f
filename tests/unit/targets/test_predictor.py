"""The composition answers like the model, from a folder, in several threads, and closes."""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto
from onnx.helper import make_node

from registry.errors import ContractError, InputError, IntegrityError
from registry.manifest import Draft
from registry.signature import DType, Input, Signature, Tensor
from targets.predictor import Predictor, open_predictor
from tests.built import with_part
from tests.compositions import artifact, build, expected, some_inputs, write_composition
from tests.tiny_onnx import model, tensor, write


@pytest.fixture
def written(tmp_path) -> tuple[Path, Draft, dict[str, np.ndarray]]:
    return tmp_path, *write_composition(tmp_path)


@pytest.fixture
def predictor(written) -> Iterator[Predictor]:
    folder, draft, _ = written
    opened = open_predictor(folder, draft, "ort")
    yield opened
    opened.close()


@pytest.mark.parametrize("batch", [1, 3, 17, 64])
@pytest.mark.parametrize("length", [0, 1, 6])
def test_it_answers_like_the_model(predictor, written, batch, length):
    inputs = some_inputs(batch, length)
    answers = predictor.predict(inputs)
    assert list(answers) == ["score"]
    assert answers["score"].dtype == np.float32
    np.testing.assert_allclose(answers["score"], expected(inputs, written[2]), 1e-4, 1e-5)


def test_ids_beyond_32_bits_reach_the_right_rows(predictor, written):
    inputs = some_inputs(4)
    inputs["item"] = np.array([2**31, 2**32 + 1, 2**62 + 7, 99])
    answers = predictor.predict(inputs)
    np.testing.assert_allclose(answers["score"], expected(inputs, written[2]), 1e-4, 1e-5)


def test_it_answers_several_threads_at_once(predictor, written):
    def ask(seed: int) -> float:
        inputs = some_inputs(1 + seed % 9, seed=seed)
        found = predictor.predict(inputs)["score"]
        return float(np.abs(found - expected(inputs, written[2])).max())

    with ThreadPoolExecutor(4) as pool:
        assert max(pool.map(ask, range(60))) < 1e-4


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"price": None}, "price: is missing"),
        ({"colour": np.zeros(3)}, "colour: the model has no such input; it has item, history"),
        ({"price": np.zeros((3, 3))}, "price: is float64, not float32"),
        ({"price": np.zeros((3, 3), ">f4")}, "price: is >f4, not float32"),
        ({"price": np.zeros((3, 4), np.float32)}, r"price: has shape \[3, 4\], not \[batch, 3\]"),
        ({"item": np.zeros((3, 1), np.int64)}, r"item: has shape \[3, 1\], not \[batch\]"),
        ({"hour": np.zeros(2, np.int64)}, "hour: axis batch is 2, but 3 in item"),
        ({"hour": np.array([1, 24, 2])}, r"hour\[1\]: is 24, outside of 0 to 23"),
        (
            {"history": np.zeros((3, 51), np.int64)},
            "history: axis length is 51, outside of 0 to 50",
        ),
        ({"history": np.array([[1], [2], [100]])}, r"history\[2, 0\]: id 100 is not in table past"),
        ({"history": np.array([[1], [-1], [3]])}, r"history\[1, 0\]: id -1 is not in table past"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(predictor, change, fault):
    inputs = some_inputs(3) | change
    given = {name: array for name, array in inputs.items() if array is not None}
    with pytest.raises(InputError, match=fault):
        predictor.predict(given)


def test_every_fault_is_told_at_once(predictor):
    with pytest.raises(InputError) as caught:
        predictor.predict({"price": np.zeros((2, 3)), "hour": np.array([77, 1]), "x": np.ones(1)})
    for part in ("x: the model", "item: is", "history: is", "price: is float64", "hour[0]: is 77"):
        assert part in str(caught.value)


def test_batches_beyond_the_axis_are_refused(predictor):
    with pytest.raises(InputError, match="item: axis batch is 65, outside of 1 to 64"):
        predictor.predict(some_inputs(65))


def test_it_warms_up_and_says_what_is_in_force(predictor):
    predictor.warm_up()
    assert predictor.in_force()["precision"] == "f32"
    assert predictor.in_force()["threads"] == "1"


def test_closing_unmaps_the_tables(written):
    folder, draft, _ = written
    opened = open_predictor(folder, draft, "ort")
    assert str(folder / "tables") in Path("/proc/self/maps").read_text()
    opened.close()
    assert str(folder / "tables") not in Path("/proc/self/maps").read_text()


def test_threads_are_no_more_than_the_host_has(written):
    folder, draft, _ = written
    opened = open_predictor(folder, draft, "ort", threads=999)
    assert int(opened.in_force()["threads"]) <= len(os.sched_getaffinity(0))
    opened.close()


def test_a_model_without_tables_or_ids_program_is_just_its_dense_part(tmp_path, written):
    write(
        model(
            [make_node("Relu", ["x"], ["y"], name="relu")],
            [tensor("x", TensorProto.FLOAT, "batch", 2)],
            [tensor("y", TensorProto.FLOAT, "batch", 2)],
        ),
        tmp_path / "plain",
    )
    x = Input(name="x", dtype=DType.FLOAT32, shape=("batch", 2))
    y = Tensor(name="y", dtype=DType.FLOAT32, shape=("batch", 2))
    signature = Signature(inputs=(Tensor(name="x", dtype=x.dtype, shape=x.shape),), outputs=(y,))
    draft = written[1].model_copy(
        update={
            "signature": signature,
            "inputs": (x,),
            "axes": {},
            "ids": None,
            "tables": (),
            "lookups": (),
            "builds": (build(artifact("dense", "plain", signature)),),
        }
    )
    opened = open_predictor(tmp_path, draft, "ort")
    opened.warm_up()
    array = np.array([[-1, 2]], np.float32)
    assert np.array_equal(opened.predict({"x": array})["y"], [[0, 2]])
    opened.close()


def test_a_target_without_a_build_is_named(written):
    with pytest.raises(ContractError, match="tiny has no build for 'gpu'; it has ort"):
        open_predictor(*written[:2], "gpu")


def test_a_host_that_breaks_the_contract_is_refused(written):
    folder, draft, _ = written
    (part,) = draft.builds[0].parts
    contract = part.contract.model_copy(update={"isa": ("avx2", "abacus")})
    only = with_part(draft.builds[0], contract=contract)
    with pytest.raises(ContractError, match="abacus"):
        open_predictor(folder, draft.model_copy(update={"builds": (only,)}), "ort")


def test_files_that_are_not_what_the_manifest_says_are_refused(written):
    folder, draft, _ = written
    (folder / "builds/ort/model.onnx").write_bytes((folder / "ids/model.onnx").read_bytes())
    with pytest.raises(IntegrityError, match="the manifest says"):
        open_predictor(folder, draft, "ort")


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        ({"lookups": ()}, "emb__items__0, emb__past__0"),
        ({"ids": None}, "item_ids"),
        ({"tables": ()}, "items, past"),
    ],
)
def test_a_composition_with_a_part_missing_is_refused(written, change, missing):
    folder, draft, _ = written
    with pytest.raises(IntegrityError, match=f"no part gives {missing}"):
        open_predictor(folder, draft.model_copy(update=change), "ort")
