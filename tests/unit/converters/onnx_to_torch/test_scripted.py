import pytest
import torch

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")

BRANCH = """
g (float[n] x) => (float[m] y) {
  total = ReduceSum <keepdims = 0> (x)
  zero = Constant <value_float = 0.0> ()
  positive = Greater (total, zero)
  y = If (positive) <
    then_branch = then_graph () => (float[m] a) { a = Mul (x, x) },
    else_branch = else_graph () => (float[m] b) { b = Neg (x) }
  >
}
"""
LOOP = """
g (int64 turns, float[n] x) => (float[n] last, float[t, n] each) {
  yes = Constant <value = bool {1}> ()
  last, each = Loop (turns, yes, x) <
    body = body_graph (int64 turn, bool going, float[n] state)
        => (bool goes, float[n] doubled, float[n] seen) {
      goes = Identity (going)
      doubled = Add (state, state)
      seen = Add (doubled, x)
    }
  >
}
"""
UNTIL = """
g (float[n] x) => (float[n] last) {
  yes = Constant <value = bool {1}> ()
  last = Loop (, yes, x) <
    body = body_graph (int64 turn, bool going, float[n] state) => (bool goes, float[n] doubled) {
      doubled = Add (state, state)
      total = ReduceSum <keepdims = 0> (doubled)
      limit = Constant <value_float = 100.0> ()
      goes = Less (total, limit)
    }
  >
}
"""
SCAN = """
g (float[n] first, float[t, n] x) => (float[n] last, float[t, n] sums) {
  last, sums = Scan (first, x) <
    num_scan_inputs = 1,
    scan_output_directions = [1],
    body = body_graph (float[n] state, float[n] now) => (float[n] new, float[n] seen) {
      new = Add (state, now)
      seen = Identity (new)
    }
  >
}
"""


def traced(module, *inputs):
    return torch.jit.trace(module, inputs, check_trace=False)


def test_a_branch_is_chosen_in_every_call_also_in_a_trace(load):
    module = load(BRANCH)
    up, down = torch.tensor([1.0, 2.0]), torch.tensor([-1.0, -2.0, -3.0])
    for run in (module, traced(module, up), traced(module, down)):
        torch.testing.assert_close(run(up)[0], up * up)
        torch.testing.assert_close(run(down)[0], -down)


def test_a_loop_takes_as_many_turns_as_it_is_told_also_in_a_trace(load):
    module = load(LOOP)
    x = torch.tensor([1.0, 3.0])
    for run in (module, traced(module, torch.tensor(3), x)):
        for turns in (1, 3, 5):
            last, each = run(torch.tensor(turns), x)
            wanted = torch.stack([x * 2 ** (turn + 1) + x for turn in range(turns)])
            torch.testing.assert_close(last, x * 2**turns)
            torch.testing.assert_close(each, wanted)


def test_a_loop_ends_by_its_own_condition_also_in_a_trace(load):
    module = load(UNTIL)
    for run in (module, traced(module, torch.ones(2))):
        for start in (1.0, 7.0, 90.0):
            x = torch.full([2], start)
            wanted = x + x
            while wanted.sum() < 100:
                wanted = wanted + wanted
            torch.testing.assert_close(run(x)[0], wanted)


def test_a_scan_goes_over_all_there_is_also_in_a_trace(load):
    module = load(SCAN)
    first = torch.ones(2)
    for run in (module, traced(module, first, torch.rand(3, 2))):
        for length in (1, 3, 6):
            x = torch.rand(length, 2)
            last, sums = run(first, x)
            torch.testing.assert_close(last, first + x.sum(0))
            torch.testing.assert_close(sums, (first + x.cumsum(0)).flip(0))


def test_what_no_kernel_of_torch_does_is_scanned_in_a_trace(load):
    module = load(
        """
        g (float[t, b, 3] x, int32[b] lengths, float[1, 6, 3] w, float[1, 6, 2] r)
            => (float[t, 1, b, 2] y, float[1, b, 2] h) {
          y, h = GRU <hidden_size = 2> (x, w, r, , lengths)
        }
        """
    )
    w, r = torch.rand(1, 6, 3), torch.rand(1, 6, 2)
    run = traced(module, torch.rand(4, 2, 3), torch.tensor([4, 2], dtype=torch.int32), w, r)
    x, lengths = torch.rand(6, 3, 3), torch.tensor([1, 6, 3], dtype=torch.int32)
    y, h = module(x, lengths, w, r)
    for got, wanted in zip(run(x, lengths, w, r), (y, h), strict=True):
        torch.testing.assert_close(got, wanted)
    for at, length in enumerate(lengths.tolist()):
        alone, last = module(x[:length, at : at + 1], lengths[at : at + 1], w, r)
        torch.testing.assert_close(y[:length, :, at : at + 1], alone)
        torch.testing.assert_close(h[:, at : at + 1], last)
        assert not y[length:, :, at].any()


def test_a_loop_over_sequences_runs_but_is_not_traced(load):
    module = load(
        """
        g (int64 turns, float[n] x) => (float[m] y) {
          yes = Constant <value = bool {1}> ()
          none = SequenceEmpty ()
          all = Loop (turns, yes, none) <
            body = body_graph (int64 turn, bool going, seq(float[n]) so)
                => (bool goes, seq(float[n]) more) {
              goes = Identity (going)
              more = SequenceInsert (so, x)
            }
          >
          y = ConcatFromSequence <axis = 0> (all)
        }
        """
    )
    x = torch.tensor([1.0, 2.0])
    torch.testing.assert_close(module(torch.tensor(2), x)[0], torch.cat([x, x]))
    with pytest.raises(TypeError, match="sequence"):
        traced(module, torch.tensor(2), x)
