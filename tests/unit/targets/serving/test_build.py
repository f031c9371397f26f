import pytest

from registry.errors import ContractError, JobError
from targets.serving.build import choose_build
from tests.built import with_part
from tests.versions import write_draft


def with_flags(draft, **flags):
    """Let the builds of some targets demand a CPU flag."""
    builds = []
    for build in draft.builds:
        isa = (flags[build.target],) if build.target in flags else ()
        contract = build.parts[0].contract.model_copy(update={"isa": isa})
        builds.append(with_part(build, contract=contract))
    return draft.model_copy(update={"builds": tuple(builds)})


@pytest.fixture(scope="module")
def draft(tmp_path_factory):
    return write_draft(tmp_path_factory.mktemp("version"), 1)


def test_takes_the_first_build_that_this_host_can_run(draft):
    assert choose_build(draft).target == "onnxruntime"
    assert choose_build(with_flags(draft, onnxruntime="flag_of_no_cpu")).target == "openvino"


def test_takes_the_build_that_is_named(draft):
    assert choose_build(draft, "openvino").target == "openvino"


def test_takes_no_other_where_the_named_one_cannot_run(draft):
    with pytest.raises(ContractError, match="flag_of_no_cpu"):
        choose_build(with_flags(draft, openvino="flag_of_no_cpu"), "openvino")


def test_says_of_each_build_why_it_cannot_run(draft):
    none = with_flags(draft, onnxruntime="flag_one", openvino="flag_two")
    with pytest.raises(ContractError, match=r"onnxruntime: .*flag_one.*openvino: .*flag_two"):
        choose_build(none)


def test_names_the_builds_that_there_are(draft):
    with pytest.raises(JobError, match="no build for 'gpu'; it has onnxruntime, openvino"):
        choose_build(draft, "gpu")
