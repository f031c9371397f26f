"""What a job may ask of IPEX, and which hosts can run it; IPEX itself runs in its toolchain."""

import pytest
from pydantic import ValidationError

from registry.calibration import Calibrated
from registry.errors import ContractError
from targets.host.contract import check, make_contract
from targets.host.cpu import Host
from targets.ipex import TARGET, IpexOptions

#: CPU flags that targets ask for in their `isa`.
FLAGS = {"bf16": "avx512_bf16", "i8": "avx512_vnni"}
CALIBRATED = {"precision": "i8", "calibration": {"samples": 64}}


def options(**said) -> IpexOptions:
    return IpexOptions.model_validate({"name": "one", "runtime": "ipex", **said})


def host(*flags: str) -> Host:
    return Host(frozenset({"avx2", "fma", *flags}), cpus=2, cores=2, memory=1 << 34)


@pytest.mark.parametrize("precision", ["f32", "bf16", "i8"])
def test_weights_are_kept_as_it_computes(precision):
    assert options(precision=precision).weights == precision


def test_weights_other_than_it_computes_in_are_refused():
    with pytest.raises(ValidationError, match="write weights: bf16"):
        options(precision="bf16", weights="f32")


def test_a_precision_is_refused_for_a_fleet_without_its_flag():
    with pytest.raises(ContractError, match="needs avx512_bf16, which the target's isa"):
        make_contract(TARGET, options(precision="bf16"))


@pytest.mark.parametrize("isa", [("avx2", "fma"), ("avx2", "fma", "avx512f", "avx512bw")])
def test_without_vnni_values_have_seven_bits_so_that_sums_fit_16(isa, monkeypatch):
    """u7 by s8, twice: 2 * 127 * 128 is less than 2 ** 15; with u8 it is not."""
    monkeypatch.setattr("targets.ipex.version", lambda package: "2.8.0")
    asked = options(**CALIBRATED, isa=isa)
    assert asked.calibrated == Calibrated(samples=64, bits=7)
    check(make_contract(TARGET, asked), host(*isa))


def test_with_vnni_values_have_eight_bits_and_hosts_without_it_are_refused(monkeypatch):
    monkeypatch.setattr("targets.ipex.version", lambda package: "2.8.0")
    asked = options(**CALIBRATED, isa=("avx2", "fma", "avx512_vnni"))
    assert asked.calibrated == Calibrated(samples=64, bits=8)
    with pytest.raises(ContractError, match="its CPU has no avx512_vnni"):
        check(make_contract(TARGET, asked), host())


def test_scales_are_those_of_each_request_unless_a_job_calibrates():
    assert options(precision="i8").calibrated is None
    assert options(precision="i8", calibration={}).calibrated == Calibrated(samples=256, bits=7)


def test_only_int8_is_calibrated():
    with pytest.raises(ValidationError, match="calibration is for int8: write precision: i8"):
        options(precision="bf16", calibration={"samples": 64})


@pytest.mark.parametrize("precision", FLAGS)
def test_a_build_is_refused_by_a_host_without_its_flag(precision, monkeypatch):
    monkeypatch.setattr("targets.ipex.version", lambda package: "2.8.0")
    asked = options(precision=precision, isa=("avx2", "fma", FLAGS[precision]))
    contract = make_contract(TARGET, asked)
    assert FLAGS[precision] in contract.isa
    check(contract, host(FLAGS[precision]))
    with pytest.raises(ContractError, match=f"its CPU has no {FLAGS[precision]}"):
        check(contract, host())


def test_the_allocator_is_in_the_contract(monkeypatch):
    monkeypatch.setattr("targets.ipex.version", lambda package: "2.8.0")
    assert make_contract(TARGET, options()).allocator == "default"
    assert make_contract(TARGET, options(allocator="jemalloc")).allocator == "jemalloc"


def test_the_layout_of_images_is_the_converters():
    assert options().layout == "auto"
    assert options(memory_format="channels_last").layout == "channels_last"


@pytest.mark.parametrize("precision", ["f32", "bf16", "i8"])
def test_either_road_takes_every_precision_and_layout(precision):
    for via in ("onnx", "torch"):
        asked = options(via=via, precision=precision, memory_format="channels_last")
        assert (asked.road, asked.precision) == (via, precision)
