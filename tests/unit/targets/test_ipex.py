"""What a job may ask of IPEX, and which hosts can run it; IPEX itself runs in its toolchain."""

import pytest
from pydantic import ValidationError

from registry.errors import ContractError
from targets.host.contract import check, make_contract
from targets.host.cpu import Host
from targets.ipex import TARGET, IpexOptions

FLAGS = {"bf16": "avx512_bf16", "i8": "avx512_vnni"}


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


@pytest.mark.parametrize("precision", FLAGS)
def test_a_precision_is_refused_for_a_fleet_without_its_flag(precision):
    with pytest.raises(ContractError, match=f"needs {FLAGS[precision]}, which the target's isa"):
        make_contract(TARGET, options(precision=precision))


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
