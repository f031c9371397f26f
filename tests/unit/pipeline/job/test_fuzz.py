"""Whatever stands in a job file, it is a job or a JobError, and soon."""

import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pipeline.job.load import load_job
from registry.errors import JobError

GOLDENS = Path(__file__).parents[3] / "goldens" / "job_faults"
SEEDS = tuple(job.read_bytes() for job in sorted(GOLDENS.glob("*.yaml")))
WORDS = (
    *rb"no !!python/object:os.system &a *a <<: --- ... ? [ ] { } : - # | >- @ ` ~ true".split(),
    *rb"""%YAML " ' \ "\ud800" ../.. ${HOME} axes: inputs: .nan .inf 1e999 0o17 1:30""".split(),
    *(
        b"\t",
        b"\x00",
        b"\xff",
        b"\n\n",
        b"\r",
        b": ",
        b"- ",
        b"# ",
        b"9" * 50,
        b"a" * 5000,
        b"[" * 40,
    ),
    *("\u2028\x85\ufeff\U0001f600誤".encode(), "\ud800".encode("utf-8", "surrogatepass")),
)
BLOCKS = ("source", "inputs", "axes", "outputs", "samples", "split", "targets", "parity", "push")
SLOW = (HealthCheck.function_scoped_fixture, HealthCheck.too_slow)


def outcome(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    try:
        load_job(path)
    except JobError as error:
        return str(error)
    return "a job"


def mutate(dice: random.Random) -> bytes:
    """Cut, repeat, swap and spoil pieces of a job."""
    job = bytearray(dice.choice(SEEDS))
    for _ in range(dice.randint(1, 6)):
        start = dice.randint(0, len(job))
        end = min(len(job), start + dice.randint(0, 30))
        lines = job.splitlines(keepends=True)
        piece = dice.choice((b"", dice.choice(WORDS), bytes(dice.choice(lines or [b""]))))
        job[start:end] = piece
    return bytes(job)


@pytest.mark.parametrize("seed", range(8))
def test_a_mutated_job_is_a_job_or_a_job_error(seed, tmp_path):
    dice = random.Random(seed)
    for _ in range(50):
        content = mutate(dice)
        started = time.monotonic()
        assert outcome(tmp_path / "job.yaml", content), content
        assert time.monotonic() - started < 5, content


@given(st.text(max_size=200))
@example("\ufeff")
@example("\x85")
@example("a: \u2028b")
@example("? ? ? a")
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_text_is_a_job_error(tmp_path, text):
    content = text.encode("utf-8", "surrogatepass")
    assert outcome(tmp_path / "job.yaml", content) != "a job"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=8,
    ),
    st.sampled_from(
        ("source", "inputs", "axes", "outputs", "samples", "split", "targets", "parity", "push")
    ),
)
@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_value_of_a_block_is_a_job_error(tmp_path, value, block):
    content = f"schema: 1\nmodel: m\n{block}: {json.dumps(value)}\n"
    assert outcome(tmp_path / "job.yaml", content.encode("utf-8")) != "a job"


def test_a_billion_laughs_take_no_time(tmp_path):
    job = GOLDENS / "billion_laughs.yaml"
    started = time.monotonic()
    assert "more than 20,000 values" in outcome(tmp_path / "job.yaml", job.read_bytes())
    assert time.monotonic() - started < 1


def test_aliases_do_not_nest_deeper_than_brackets(tmp_path):
    chain = "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 60))
    content = f"schema: 1\na0: &a0 x\n{chain}".encode()
    assert "nested deeper than 32 levels" in outcome(tmp_path / "job.yaml", content)


MEBIBYTES = {
    "items": b"- a\n" * 260_000,
    "brackets": b"[" * 1_000_000,
    "colons": b"a: " * 300_000,
    "question marks": b"? " * 500_000,
    "one word": b"x" * 1_000_000,
    "quotes": b"'" * 999_999,
    "aliases": b"a: &a [" + b"*a," * 300_000 + b"]",
    "empty lines": b"\n" * 1_000_000,
    "a comment": b"#" * 1_000_000,
    "braces": b"{a: 1, " * 100_000,
    "anchors": b"&a " * 100_000,
    "controls": b"\x07" * 1_000_000,
}


@pytest.mark.parametrize("content", MEBIBYTES.values(), ids=MEBIBYTES)
def test_a_mebibyte_of_anything_is_refused_in_bounded_time(content, tmp_path):
    started = time.monotonic()
    assert outcome(tmp_path / "job.yaml", content) != "a job"
    assert time.monotonic() - started < 20


def test_more_than_a_mebibyte_is_refused_unread(tmp_path):
    message = outcome(tmp_path / "job.yaml", b"#" * ((1 << 20) + 1))
    assert "longer than 1 MiB" in message
