"""Sequences as ONNX Runtime has them: run, and traced at one size and run at others."""

import numpy as np
import onnxruntime
import pytest
import torch

from converters.onnx_to_torch.growing import empty_of
from registry.errors import ConversionError

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")


def loop(body: str, after: str) -> str:
    return f"""
        g (int64 turns, float[n] x) => (float[m] y) {{
          yes = Constant <value = bool {{1}}> ()
          zero = Constant <value = int64 {{0}}> ()
          one = Constant <value = int64 {{1}}> ()
          last = Constant <value = int64 {{-1}}> ()
          none = SequenceEmpty ()
          all = Loop (turns, yes, none) <
            body = body_graph (int64 turn, bool going, seq(float[n]) so)
                => (bool goes, seq(float[n]) more) {{
              goes = Identity (going)
              f = Cast <to = 1> (turn)
              now = Add (x, f)
              {body}
            }}
          >
          {after}
        }}
    """


JOIN = "y = ConcatFromSequence <axis = 0> (all)"
LOOPS = {
    "each goes to the front": ("more = SequenceInsert (so, now, zero)", JOIN),
    "each goes before the last": (
        "place = Min (turn, one) minus = Neg (place) more = SequenceInsert (so, now, minus)",
        JOIN,
    ),
    "each goes to a place that is computed": (
        "two = Add (one, one) place = Div (turn, two) more = SequenceInsert (so, now, place)",
        JOIN,
    ),
    "two come and the first goes": (
        "b = SequenceInsert (so, now) c = SequenceInsert (b, x) more = SequenceErase (c, zero)",
        JOIN,
    ),
    "two come and the last but one goes": (
        """
        b = SequenceInsert (so, now)
        c = SequenceInsert (b, x)
        two = Add (last, last)
        more = SequenceErase (c, two)
        """,
        JOIN,
    ),
    "one grows two ways": (
        """
        b = SequenceInsert (so, now)
        c = SequenceInsert (so, x)
        d = SequenceAt (c, last)
        e = SequenceAt (b, last)
        h = Sub (d, e)
        more = SequenceInsert (c, h)
        """,
        JOIN,
    ),
    "the last is taken, and the length is added": (
        "more = SequenceInsert (so, now)",
        "z = SequenceAt (all, last) l = SequenceLength (all) m = Cast <to = 1> (l) y = Add (z, m)",
    ),
    "one is erased afterwards": (
        "more = SequenceInsert (so, now)",
        """
        b = SequenceInsert (all, x)
        c = SequenceErase (b, zero)
        y = ConcatFromSequence <axis = 0> (c)
        """,
    ),
}


def reference(tmp_path, inputs):
    session = onnxruntime.InferenceSession(
        tmp_path / "model.onnx", providers=["CPUExecutionProvider"]
    )
    names = [given.name for given in session.get_inputs()]
    return session.run(None, dict(zip(names, inputs, strict=True)))


def assert_as_runtime(load, tmp_path, text, examples):
    module = load(text)
    first = tuple(torch.from_numpy(x) for x in examples[0])
    traced = torch.jit.trace(module, first, check_trace=False)
    frozen = torch.jit.freeze(traced.eval())
    for inputs in examples:
        wanted = reference(tmp_path, inputs)
        for run in (module, traced, frozen):
            got = run(*(torch.from_numpy(x) for x in inputs))
            for one, other in zip(got, wanted, strict=True):
                np.testing.assert_allclose(one.numpy(), other, 1e-6)


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_changes_a_sequence(load, tmp_path, name):
    examples = [
        (np.array(turns), np.linspace(1, 2, size, dtype=np.float32))
        for turns, size in ((2, 3), (1, 1), (7, 2), (4, 5))
    ]
    assert_as_runtime(load, tmp_path, loop(*LOOPS[name]), examples)


SPLITS = {
    "into single ones": "parts = SplitToSequence <axis = 0> (x)",
    "into single ones without the axis": "parts = SplitToSequence <axis = -2, keepdims = 0> (x)",
    "into parts of two": (
        "two = Constant <value = int64 {2}> () parts = SplitToSequence <axis = 0> (x, two)"
    ),
    "into parts whose sizes are computed": (
        "sizes = Shape <start = 0, end = 1> (x) one = Constant <value_ints = [1]> ()"
        " rest = Sub (sizes, one) each = Concat <axis = 0> (one, rest)"
        " parts = SplitToSequence <axis = 0> (x, each)"
    ),
}


@pytest.mark.parametrize("name", SPLITS)
def test_a_tensor_is_split_into_as_many_parts_as_it_has(load, tmp_path, name):
    text = f"""
        g (float[n, 3] x) => (int64 count, float[m, 3] first, float[k, 3] other) {{
          {SPLITS[name]}
          zero = Constant <value = int64 {{0}}> ()
          last = Constant <value = int64 {{-1}}> ()
          count = SequenceLength (parts)
          end = SequenceAt (parts, last)
          begin = SequenceAt (parts, zero)
          first = Add (begin, end)
          moved = SequenceInsert (parts, end, zero)
          less = SequenceErase (moved, last)
          joined = ConcatFromSequence <axis = 0> (less)
          other = Neg (joined)
        }}"""
    sizes = (4, 2, 6) if "two" in name else (3, 2, 6) if "computed" not in name else (2, 2)
    examples = [(np.random.default_rng(size).random((size, 3), np.float32),) for size in sizes]
    assert_as_runtime(load, tmp_path, text, examples)


def test_what_is_appended_moves_what_is_there_only_now_and_then():
    sequence, rooms = empty_of(1, torch.float32), set()
    for turn in range(500):
        sequence = sequence.insert(torch.full([2], float(turn)))
        rooms.add(sequence.flat.data_ptr())
    assert len(rooms) < 12
    assert sequence.concat(0, stacked=True)[:, 1].tolist() == [*range(500)]


def test_sequences_that_began_as_one_do_not_write_over_each_other():
    begin = empty_of(0, torch.int64).insert(torch.tensor(1)).insert(torch.tensor(2))
    one = begin.insert(torch.tensor(3))
    other = begin.insert(torch.tensor(4))
    third = one.erase(torch.tensor(0)).insert(torch.tensor(5))
    wanted = ((begin, [1, 2]), (one, [1, 2, 3]), (other, [1, 2, 4]), (third, [2, 3, 5]))
    for sequence, numbers in wanted:
        assert sequence.concat(0, stacked=True).tolist() == numbers


@pytest.mark.parametrize("place", [-3, 2])
@pytest.mark.parametrize("grows", [False, True])
def test_a_place_that_is_not_there_is_an_error(load, place, grows):
    where = f"p = Constant <value = int64 {{{place}}}> ()" if not grows else "p = Identity (q)"
    module = load(
        f"""g (float[n] x, int64 q) => (float[n] y) {{
          {where}
          pair = SequenceConstruct (x, x)
          y = SequenceAt (pair, p)
        }}"""
    )
    inputs = (torch.ones(2), torch.tensor(1))
    run = torch.jit.trace(module, inputs, check_trace=False) if grows else module
    with pytest.raises(
        (ConversionError, torch.jit.Error), match=r"SequenceAt.* index out of range|no such place"
    ):
        run(torch.ones(2), torch.tensor(place))
