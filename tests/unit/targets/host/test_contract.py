"""A host is held against a contract; all that is missing is told, with what to do."""

from dataclasses import replace

import pytest

from registry.errors import ContractError
from registry.manifest import Contract
from targets import find_target
from targets.host.contract import check, make_contract
from targets.host.cpu import Host
from targets.onnxruntime import OnnxruntimeOptions
from targets.openvino import OpenvinoOptions
from targets.target import Target

HOST = Host(flags=frozenset({"avx2", "fma", "avx512_bf16"}), cpus=2, cores=2, memory=1 << 30)
OPENVINO = find_target("openvino")


def installed(version: str) -> Target:
    return replace(OPENVINO, version=lambda: version)


def contract(**fields: object) -> Contract:
    given: dict[str, object] = {
        "isa": ("avx2",),
        "runtime": "openvino",
        "at_least": "2025.4",
        "below": "2027",
        "precision": "f32",
    }
    return Contract.model_validate(given | fields)


def test_a_host_that_has_everything_passes():
    check(contract(precision="bf16", memory=1 << 30), HOST)


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        ({"isa": ("avx2", "amx_tile", "avx9")}, "its CPU has no amx_tile, avx9; take another"),
        ({"precision": "f16"}, "its CPU has no avx512_fp16"),
        ({"at_least": "2099.1", "below": "2100"}, r"Run: pip install 'openvino>=2099.1,<2100'"),
        ({"below": "2025.9"}, r"openvino is 20\d\d\.\d.*<2025.9"),
        ({"runtime": "onnxruntime", "precision": "bf16"}, "does not compute in bf16; build for f3"),
        ({"memory": 1 << 40}, "takes 1048576 MiB of memory, of which there are 1024; raise"),
    ],
)
def test_what_is_missing_is_named(fields, fault):
    with pytest.raises(ContractError, match=fault):
        check(contract(**fields), HOST)


def test_every_fault_is_told_at_once():
    with pytest.raises(ContractError) as caught:
        check(contract(isa=("abacus",), at_least="2099", below="2100", memory=1 << 50), HOST)
    for part in ("no abacus", "pip install", "memory"):
        assert part in str(caught.value)


def test_versions_are_compared_as_versions_not_as_texts():
    check(contract(at_least="2025.4", below="2026.100"), HOST)
    with pytest.raises(ContractError):
        check(contract(at_least="2026.100", below="2027"), HOST)


def test_a_runtime_that_is_not_installed_is_named_with_the_command(monkeypatch):
    # An empty search path is a host without packages.
    monkeypatch.setattr("sys.path", [])
    with pytest.raises(ContractError, match=r"installed\. Run: pip install 'openvino>=20"):
        check(contract(), HOST)


def test_a_contract_says_what_the_job_and_the_runtime_demand():
    options = OpenvinoOptions(name="fast", isa=("avx2", "avx512_bf16"), precision="bf16", threads=3)
    made = make_contract(installed("2025.4.1"), options, memory=17)
    assert made == contract(isa=("avx2", "avx512_bf16"), precision="bf16", threads=3, memory=17)


@pytest.mark.parametrize(
    ("version", "toolchain", "versions"),
    [
        ("2026.4.1", None, ("2026.4", "2027")),
        ("2026.4.1", "of-its-own", ("2026.4", "2026.5")),
        ("2026.10.0", "of-its-own", ("2026.10", "2026.11")),
        ("2024.6.0", None, ("2025.4", "2027")),
        ("2027.0.0", "of-its-own", ("2025.4", "2027")),
    ],
)
def test_what_is_older_than_the_runtime_it_was_tried_with_may_not_run_it(
    version, toolchain, versions
):
    options = OpenvinoOptions(name="fast", toolchain=toolchain)
    made = make_contract(installed(version), options)
    assert (made.at_least, made.below) == versions


@pytest.mark.parametrize(("precision", "flag"), [("bf16", "avx512_bf16"), ("f16", "avx512_fp16")])
def test_a_precision_that_the_fleet_lacks_the_flags_for_is_refused(precision, flag):
    options = OpenvinoOptions(name="fast", precision=precision)
    with pytest.raises(ContractError, match=f"fast: precision {precision} needs {flag}, which the"):
        make_contract(OPENVINO, options)


def test_f32_needs_no_flags_beyond_those_of_the_job():
    made = make_contract(find_target("onnxruntime"), OnnxruntimeOptions(name="plain", isa=()))
    check(made, Host(flags=frozenset(), cpus=1, cores=1, memory=0))
