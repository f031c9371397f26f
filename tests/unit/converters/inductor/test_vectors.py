"""What a package is compiled for, and what compiling needs."""

import pytest

from converters.inductor.compiler import check_compiler
from converters.inductor.vectors import VECTORS, vectors_for
from registry.errors import ConversionError

AVX512 = VECTORS[0].flags


@pytest.mark.parametrize(
    ("isa", "name"),
    [
        ((), "INVALID_VEC_ISA"),
        (("avx2",), "INVALID_VEC_ISA"),
        (("avx2", "fma"), "AVX2"),
        (("avx2", "fma", "avx512f"), "AVX2"),
        (AVX512, "AVX512"),
        ((*AVX512, "amx_tile"), "AVX512"),
    ],
)
def test_a_package_uses_no_more_than_the_target_has(isa, name):
    assert vectors_for(isa).name == name


def test_a_host_without_a_compiler_is_told_how_to_get_one(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(ConversionError, match=r"no g\+\+ here. Run: apt-get install g\+\+"):
        check_compiler()
