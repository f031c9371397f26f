"""CPU flags that a job may name."""

from converters.inductor.vectors import VECTORS
from pipeline.toolchains import TOOLCHAINS
from targets import TARGETS
from targets.host.flags import FLAGS, OTHER_NAMES
from targets.target import TargetOptions


def test_what_targets_and_toolchains_ask_for_is_known():
    asked = {flag for target in TARGETS for flags in target.precisions.values() for flag in flags}
    asked |= {flag for toolchain in TOOLCHAINS for flag in toolchain.isa}
    asked |= {flag for vectors in VECTORS for flag in vectors.flags}
    asked |= set(TargetOptions.model_fields["isa"].default)
    assert {"avx2", "avx512_bf16", "avx512vl", "sse4_2"} <= asked
    assert asked <= set(FLAGS)


def test_no_flag_is_named_twice_and_other_names_are_no_flags():
    assert len(set(FLAGS)) == len(FLAGS)
    assert set(OTHER_NAMES.values()) <= set(FLAGS)
    assert not set(OTHER_NAMES) & set(FLAGS)
