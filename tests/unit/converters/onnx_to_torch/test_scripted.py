import pytest
import torch

from registry.errors import ConversionError

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


def over_sequence(body: str, after: str = "ConcatFromSequence <axis = 0> (all)") -> str:
    return f"""
        g (int64 turns, float[n] x) => (float[m] y) {{
          yes = Constant <value = bool {{1}}> ()
          none = SequenceEmpty ()
          all = Loop (turns, yes, none) <
            body = body_graph (int64 turn, bool going, seq(float[n]) so)
                => (bool goes, seq(float[n]) more) {{
              goes = Identity (going)
              {body}
            }}
          >
          y = {after}
        }}
    """


#: Adds the turn to x, and as many elements fewer as there are turns.
SHORTER = """
    f = Cast <to = 1> (turn)
    added = Add (x, f)
    one = Constant <value_ints = [1]> ()
    from_ = Reshape (turn, one)
    end = Constant <value_ints = [99]> ()
    less = Slice (added, from_, end)
    more = SequenceInsert (so, less)
"""


def test_a_loop_grows_a_sequence_also_in_a_trace(load):
    module = load(over_sequence(SHORTER))
    for run in (module, traced(module, torch.tensor(2), torch.ones(4))):
        for turns, x in ((1, torch.rand(3)), (4, torch.rand(6)), (7, torch.rand(9))):
            wanted = torch.cat([(x + turn)[turn:] for turn in range(turns)])
            torch.testing.assert_close(run(torch.tensor(turns), x)[0], wanted)


def test_of_a_sequence_that_grew_any_element_can_be_taken_in_a_trace(load):
    after = "SequenceAt (all, place)"
    text = over_sequence(SHORTER, after).replace("int64 turns,", "int64 turns, int64 place,")
    module = load(text)
    run = traced(module, torch.tensor(2), torch.tensor(1), torch.ones(4))
    x = torch.rand(6)
    for turns, place, wanted in ((3, 1, 1), (5, 4, 4), (4, -1, 3), (2, 0, 0)):
        found = run(torch.tensor(turns), torch.tensor(place), x)[0]
        torch.testing.assert_close(found, (x + wanted)[wanted:])


def test_a_branch_in_a_loop_decides_whether_a_sequence_grows(load):
    module = load(
        over_sequence(
            """
            two = Constant <value = int64 {2}> ()
            rest = Mod (turn, two)
            zero = Constant <value = int64 {0}> ()
            even = Equal (rest, zero)
            more = If (even) <
              then_branch = t () => (seq(float[n]) a) { a = SequenceInsert (so, x) },
              else_branch = e () => (seq(float[n]) b) { b = Identity (so) }
            >
            """,
            "ConcatFromSequence <axis = 0, new_axis = 1> (all)",
        )
    )
    run = traced(module, torch.tensor(2), torch.ones(4))
    for turns, length in ((1, 1), (2, 1), (5, 3), (8, 4)):
        x = torch.rand(3)
        torch.testing.assert_close(run(torch.tensor(turns), x)[0], torch.stack([x] * length))


def test_a_scan_may_read_a_sequence_in_a_trace(load):
    module = load(
        """
        g (float[t, n] x, float[n] a) => (float[t, n] y) {
          pair = SequenceConstruct (a, a)
          y = Scan (x) <
            num_scan_inputs = 1,
            body = body_graph (float[n] now) => (float[n] seen) {
              one = Constant <value = int64 {1}> ()
              second = SequenceAt (pair, one)
              seen = Add (now, second)
            }
          >
        }
        """
    )
    run = traced(module, torch.rand(2, 3), torch.rand(3))
    x, a = torch.rand(5, 4), torch.rand(4)
    torch.testing.assert_close(run(x, a)[0], x + a)


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        (
            """
            axes = Constant <value_ints = [1]> ()
            row = Unsqueeze (x, axes)
            big = SequenceInsert (so, x)
            more = SequenceInsert (big, row)
            """,
            r"SequenceInsert-11 \(node that gives 'more'\).*several ranks or types",
        ),
        (
            "big = SequenceInsert (so, x) more = SequenceErase (big)",
            r"Loop-\d+ \(node that gives 'all'\).*whose first element no turn gives: start",
        ),
        (
            "more = Identity (so)",
            r"Loop-\d+ \(node that gives 'all'\).*whose first element no turn gives: start",
        ),
    ],
)
def test_what_a_trace_cannot_do_with_a_sequence_is_refused_by_the_node(body, fault, load):
    module = load(over_sequence(body))
    with pytest.raises(ConversionError, match=rf"operator {fault}"):
        traced(module, torch.tensor(2), torch.tensor([1.0, 2.0]))
