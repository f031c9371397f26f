"""Targets that this host cannot run are told before anything is converted for them."""

import json

import onnx
import pytest
import yaml
from onnx import TensorProto, helper

from pipeline.cli import call
from pipeline.job.load import load_job
from pipeline.planning.able import unfit
from pipeline.planning.plan import plan
from pipeline.running.run import Wishes, execute
from pipeline.showing.watch import Unwatched
from registry.errors import ContractError
from targets.host.cpu import Host, host
from targets.host.flags import FLAGS
from targets.ipex import IpexOptions
from targets.openvino import OpenvinoOptions

AVX2 = Host(flags=frozenset({"avx2", "fma"}), cpus=2, cores=2, memory=1 << 30)

#: No CPU has all flags.
LACKING = next(flag for flag in reversed(FLAGS) if flag not in host().flags)
BF16 = ("avx2", "fma", "avx512_bf16")


@pytest.mark.parametrize("options", [IpexOptions, OpenvinoOptions])
def test_a_precision_without_its_flag_names_target_flag_and_remedy(options):
    asked = options(name="narrow", precision="bf16", isa=BF16)
    (said,) = unfit([asked, asked], AVX2)
    assert said.startswith("narrow: this host's CPU has no avx512_bf16, which precision bf16 needs")
    assert said.endswith("Run the job on a host that has it, or take precision: f32")
    assert unfit([asked], Host(frozenset(BF16), cpus=2, cores=2, memory=1)) == ()


def test_a_flag_of_the_fleet_that_this_host_lacks_is_told_as_such():
    (said,) = unfit([OpenvinoOptions(name="wide", isa=("avx2", "avx512_vnni"))], AVX2)
    assert "has no avx512_vnni, which its `isa` names" in said
    assert said.endswith("or take it out of `isa`")


@pytest.fixture
def job(tmp_path):
    """Return a job for a CPU that there is not, and for a toolchain that is not built."""
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", 4]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "graph", [x], [y])
    onnx.save(helper.make_model(graph), tmp_path / "model.onnx")
    job = {
        "schema": 1,
        "model": "model",
        "source": {"kind": "onnx", "file": "model.onnx"},
        "axes": {"batch": {"max": 64}},
        "inputs": [{"name": "x", "dtype": "float32", "shape": ["batch", 4]}],
        "targets": [
            {"name": "ov", "runtime": "openvino", "isa": ["avx2", LACKING]},
            {"name": "ext", "runtime": "ipex"},
        ],
        "parity": {"conversion": {"atol": 0, "rtol": 0, "because": "it is a test"}},
    }
    (tmp_path / "job.yaml").write_text(yaml.safe_dump(job, sort_keys=False))
    return tmp_path / "job.yaml"


def test_a_run_is_refused_before_its_first_stage(job, tmp_path):
    result = execute(plan(load_job(job), job.parent, tmp_path / "home"), Wishes(), Unwatched())
    assert isinstance(result.error, ContractError)
    assert f"ov: this host's CPU has no {LACKING}" in str(result.error)
    assert {stage.outcome for stage in result.record.stages} == {"skipped"}


def test_a_plan_tells_of_toolchains_that_are_not_built(job, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PIPELINE_TOOLCHAINS", str(tmp_path / "toolchains"))
    assert call(["plan", str(job)]) == 0
    out = capsys.readouterr().out
    assert "toolchain ipex: not built; it takes 5.8 GiB of disk and, until it is built, 3.1" in out
    assert "Run: pipeline toolchain sync ipex" in out
    assert call(["plan", str(job), "--json"]) == 0
    (needed,) = json.loads(capsys.readouterr().out)["toolchains"]
    assert (needed["name"], needed["built"], needed["disk"]) == ("ipex", False, 6_200_000_000)


@pytest.mark.parametrize("command", ["check", "plan"])
def test_what_is_looked_at_before_a_run_says_it_too(job, command, capsys):
    assert call([command, str(job)]) == 0
    assert f"ov: this host's CPU has no {LACKING}" in capsys.readouterr().out
    assert call([command, str(job), "--json"]) == 0
    (said,) = json.loads(capsys.readouterr().out)["unable"]
    assert f"has no {LACKING}" in said
