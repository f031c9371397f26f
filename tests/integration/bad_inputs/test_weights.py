"""Weights that are missing, damaged, hostile, or not this model's."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from registry.errors import JobError, SourceError
from tests.bad_models import sound
from tests.bench import SOUND, Bench
from tests.hostile_files import bomb_as_plain_pickle, bomb_in_old_format, bomb_in_state_dict


def with_weights(name: str) -> dict[str, object]:
    return SOUND["source"] | {"weights": name}


def weights(bench: Bench, name: str, **changed: torch.Tensor | None) -> dict[str, object]:
    """Write the sound model's weights with some changed; None leaves one out."""
    state = sound().state_dict() | {key.replace("__", "."): t for key, t in changed.items()}
    save_file({key: t for key, t in state.items() if t is not None}, bench.folder / name)
    return with_weights(name)


def test_weights_that_are_not_there_are_found_by_the_check_already(bench):
    weights(bench, "weights.safetensors")
    bench.write("job.yaml", source=with_weights("weight.safetensors"))
    for command in ("check", "plan", "run"):
        said = bench.refuses(
            JobError, "weight.safetensors", "job.yaml:", "^", command=(command, "job.yaml")
        )
        assert "did you mean" in said.err


def test_all_that_does_not_fit_is_told_together(bench):
    source = weights(
        bench,
        "other.safetensors",
        items__weight=torch.zeros(1200, 9),
        deep__weight=None,
        deep__wieght=torch.zeros(1, 12),
        extra__bias=torch.zeros(3),
        deep__bias=torch.zeros(1, dtype=torch.int64),
    )
    bench.refuses_job(
        SourceError,
        "other.safetensors: the weights do not fit Sound",
        "missing: deep.weight [1, 12] (the weights have 'deep.wieght')",
        "unexpected: extra.bias [3]",
        "shape: items.weight is [1200, 9] in the weights, [1200, 8] in the model",
        "type: deep.bias is int64",
        "Give the factory the arguments",
        source=source,
    )


def test_weights_that_are_not_numbers(bench):
    table = torch.ones(1200, 8)
    table[700, 3] = float("nan")
    source = weights(bench, "diverged.safetensors", items__weight=table)
    at = f"at flat index {700 * 8 + 3}"
    words = ("diverged.safetensors", "items.weight (NaN", at, "before the training diverged")
    bench.refuses_job(SourceError, *words, source=source)


@pytest.mark.parametrize("bomb", [bomb_in_state_dict, bomb_in_old_format, bomb_as_plain_pickle])
def test_a_pickle_that_wants_to_run_code_runs_nothing(bench, bomb):
    mark = bench.folder / "mark"
    bomb(bench.folder / "bomb.pt", mark)
    bench.refuses_job(SourceError, "bomb.pt", source=with_weights("bomb.pt"))
    assert not mark.exists()


def test_weights_that_are_cut_short(bench):
    source = weights(bench, "short.safetensors")
    file = bench.folder / "short.safetensors"
    file.write_bytes(file.read_bytes()[:-100])
    bench.refuses_job(SourceError, "short.safetensors", source=source)


def test_weights_that_are_a_page_of_html(bench):
    (bench.folder / "page.safetensors").write_text("<!DOCTYPE html><title>Sign in</title>" * 9)
    bench.refuses_job(SourceError, "page.safetensors", source=with_weights("page.safetensors"))


def test_a_git_lfs_pointer_in_place_of_weights(bench):
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4\n"
    (bench.folder / "pointer.safetensors").write_text(pointer)
    source = with_weights("pointer.safetensors")
    bench.refuses_job(SourceError, "pointer.safetensors", "git lfs pull", source=source)


def test_weights_that_change_while_the_job_runs_are_refused_or_not_mixed(bench):
    """The tables stage reads what the split read, or nothing."""
    source = weights(bench, "moving.safetensors")
    bench.write(source=source)
    assert bench.call("run", "job.yaml", "--until", "split").code == 0
    weights(bench, "moving.safetensors", items__weight=torch.full((1200, 8), 2.0))
    assert bench.call("run", "job.yaml", "--until", "tables").code == 0
    shard = next(path for path in bench.home.glob("cache/tables/*/output/**/*.safetensors"))
    assert np.frombuffer(shard.read_bytes()[-32:], "f4").tolist() == [2.0] * 8
